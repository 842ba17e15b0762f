//! Finds the lines that belong to a bullet.

use super::list_item::split_bullet;
use super::sections::{TextLine, heading_of};
use super::table;

/// Returns the index after the last line of a bullet, which includes indented lines and paragraph continuations.
pub(super) fn bullet_end(lines: &[TextLine<'_>], start: usize, end: usize) -> usize {
    let mut last = start + 1;
    let mut after_blank = false;
    for (index, line) in lines.iter().enumerate().take(end).skip(start + 1) {
        let text = line.text;
        if text.trim().is_empty() && !line.is_opaque {
            after_blank = true;
            continue;
        }
        let is_indented = text.starts_with("  ") || text.starts_with('\t');
        let continues_paragraph = !after_blank
            && !line.is_opaque
            && heading_of(line).is_none()
            && !table::is_row(text)
            && split_bullet(text).is_none();
        let is_continuation =
            is_indented && split_bullet(text).is_none_or(|_| text.starts_with("  "));
        if !(is_continuation || continues_paragraph) {
            break;
        }
        after_blank = false;
        last = index + 1;
    }
    last
}
