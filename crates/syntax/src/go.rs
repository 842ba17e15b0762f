//! Imports of Go.

use crate::parse::visit_nodes;
use crate::statements::Statements;

pub(crate) fn read(content: &[u8], statements: &mut Statements) {
    let language = tree_sitter_go::LANGUAGE.into();
    visit_nodes(&language, content, |source, node| {
        if node.kind() == "import_spec"
            && let Some(path) = node.child_by_field_name("path")
        {
            statements.import(source.string(path));
        }
        // Imports are at the top.
        matches!(node.kind(), "source_file" | "import_declaration" | "import_spec_list")
    });
}
