//! Parses a source and visits the nodes of its tree.

use std::ops::ControlFlow;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser};

/// How often the parser may report progress, which it does after about a hundred operations. Ordinary code of the
/// greatest length needs a tenth of it; ambiguous or broken code could take minutes.
const MAX_PARSE_STEPS: usize = 50_000;

/// Nodes that are nested deeper are not visited.
const MAX_DEPTH: u32 = 200;

/// A parsed source.
pub(crate) struct Source<'s> {
    content: &'s [u8],
}

impl<'s> Source<'s> {
    /// Returns the text of a node; empty if it is not UTF-8.
    pub(crate) fn text(&self, node: Node<'_>) -> &'s str {
        let bytes = self.content.get(node.byte_range()).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }

    /// Returns the text of a field of a node; empty if it has none.
    pub(crate) fn field(&self, node: Node<'_>, name: &str) -> &'s str {
        node.child_by_field_name(name).map_or("", |field| self.text(field))
    }

    /// Returns the text of a string literal without its quotes.
    pub(crate) fn string(&self, node: Node<'_>) -> &'s str {
        self.text(node).trim_matches(['"', '\'', '`'])
    }
}

/// Parses a source and visits its nodes from above and from left to right. `visit` returns whether the nodes inside one
/// are visited too.
pub(crate) fn visit_nodes(
    language: &Language,
    content: &[u8],
    mut visit: impl FnMut(&Source<'_>, Node<'_>) -> bool,
) {
    let mut parser = Parser::new();
    if parser.set_language(language).is_err() {
        return;
    }
    let mut steps = 0;
    let mut progress = |_: &ParseState| {
        steps += 1;
        if steps > MAX_PARSE_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _| content.get(offset..).unwrap_or_default();
    let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else { return };
    let source = Source { content };
    let mut cursor = tree.walk();
    loop {
        let is_deep = cursor.depth() >= MAX_DEPTH;
        if visit(&source, cursor.node()) && !is_deep && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}
