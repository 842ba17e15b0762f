//! Imports of Java.

use crate::parse::visit_nodes;
use crate::statements::Statements;

/// Beginnings of packages that are never part of a repository.
const STANDARD_PACKAGES: [&str; 2] = ["java.", "javax."];

pub(crate) fn read(content: &[u8], statements: &mut Statements) {
    let language = tree_sitter_java::LANGUAGE.into();
    visit_nodes(&language, content, |source, node| {
        if node.kind() == "import_declaration" {
            let mut cursor = node.walk();
            let name =
                node.named_children(&mut cursor).find(|it| it.kind().ends_with("identifier"));
            let name = name.map_or("", |name| source.text(name)).replace(char::is_whitespace, "");
            let has_asterisk = node.named_children(&mut cursor).any(|it| it.kind() == "asterisk");
            if !STANDARD_PACKAGES.iter().any(|package| name.starts_with(package)) {
                statements.import(&if has_asterisk { format!("{name}.*") } else { name });
            }
        }
        // Imports are at the top.
        node.kind() == "program"
    });
}
