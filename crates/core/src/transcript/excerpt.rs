//! Shortens Markdown to one line.

use super::markdown::{BlockKind, LineBreaks, split_blocks};
use crate::prose::{append_clause, truncate};

/// Returns the beginning of a Markdown text as one line of at most `max_chars` characters: its
/// paragraphs and list items, without headings and code.
pub fn excerpt(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    let blocks = split_blocks(text, LineBreaks::Join);
    for block in blocks.iter().filter(|block| block.kind != BlockKind::Heading) {
        append_clause(&mut line, &block.text);
        let is_enough = line.len() > max_chars * char::MAX.len_utf8();
        if is_enough {
            break;
        }
    }
    if line.is_empty() {
        let mut lines = text.lines().map(|line| line.trim_matches(['#', '*', '`', '>', ' ']));
        line = lines.find(|line| !line.is_empty()).unwrap_or("").to_owned();
    }
    truncate(&line, max_chars)
}
