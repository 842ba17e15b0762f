//! Imports of Python.

use tree_sitter::Node;

use crate::parse::{Source, visit_nodes};
use crate::statements::Statements;

pub(crate) fn read(content: &[u8], statements: &mut Statements) {
    let language = tree_sitter_python::LANGUAGE.into();
    visit_nodes(&language, content, |source, node| {
        match node.kind() {
            "import_statement" => {
                for name in node.children_by_field_name("name", &mut node.walk()) {
                    statements.import(imported_name(source, name));
                }
                false
            }
            "import_from_statement" => {
                let module = source.field(node, "module_name").replace(char::is_whitespace, "");
                let mut has_name = false;
                for name in node.children_by_field_name("name", &mut node.walk()) {
                    has_name = true;
                    let separator = if module.ends_with('.') { "" } else { "." };
                    let name = imported_name(source, name);
                    statements.import(&format!("{module}{separator}{name}"));
                }
                // `from a import *`
                if !has_name {
                    statements.import(&module);
                }
                false
            }
            // Statements cannot be inside of expressions.
            "expression_statement" | "argument_list" => false,
            _ => true,
        }
    });
}

fn imported_name<'s>(source: &Source<'s>, node: Node<'_>) -> &'s str {
    match node.kind() {
        "aliased_import" => source.field(node, "name"),
        _ => source.text(node),
    }
}
