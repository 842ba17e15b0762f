//! Imports of TypeScript and JavaScript.

use crate::parse::visit_nodes;
use crate::statements::Statements;

pub(crate) fn read(content: &[u8], statements: &mut Statements) {
    // The grammar of TSX reads plain TypeScript and JavaScript, too. It cannot read a cast such as `<T>x`, after which an
    // import may be missed; the grammar that can is 1.4 MB of the binary.
    let language = tree_sitter_typescript::LANGUAGE_TSX.into();
    visit_nodes(&language, content, |source, node| {
        match node.kind() {
            "import_statement" | "export_statement" | "import_require_clause" => {
                if let Some(from) = node.child_by_field_name("source") {
                    statements.import(source.string(from));
                }
            }
            "call_expression" => {
                let called = source.field(node, "function");
                let arguments = node.child_by_field_name("arguments");
                let first = arguments.and_then(|arguments| arguments.named_child(0));
                if let Some(first) = first.filter(|first| first.kind() == "string")
                    && matches!(called, "require" | "import")
                {
                    statements.import(source.string(first));
                }
            }
            _ => {}
        }
        true
    });
}
