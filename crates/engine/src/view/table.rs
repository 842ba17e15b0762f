//! Renders tables of aligned columns, wrapping cells where the terminal is too narrow.

use heirloom_core::hint::HintFormatter;
use unicode_width::UnicodeWidthStr;

use super::text::{Role, Span};

/// Spaces between two columns.
const COLUMN_GAP: usize = 2;

/// Columns are not made narrower than this, so that dates and short ids stay on one line.
const MIN_COLUMN_WIDTH: usize = 16;

/// A cell with its printable text.
struct Cell {
    role: Role,
    text: String,
}

/// Renders a table. Without a width, every row is one line.
pub(super) fn render(
    head: &[&str],
    rows: &[Vec<Span>],
    width: Option<usize>,
    word: HintFormatter<'_>,
    paint: &dyn Fn(Role, &str) -> String,
    out: &mut String,
) {
    let cell = |span: &Span| Cell { role: span.role, text: span.printable(word) };
    let rows: Vec<Vec<Cell>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0).max(head.len());
    let mut widths = vec![0; columns];
    let mut is_key = vec![false; columns];
    for (at, title) in head.iter().enumerate() {
        widths[at] = title.width();
    }
    for (at, cell) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        widths[at] = widths[at].max(cell.text.width());
        is_key[at] |= cell.role == Role::Key;
    }
    if let Some(width) = width {
        narrow(&mut widths, &is_key, width);
    }
    let title = |title: &&str| Cell { role: Role::Dim, text: (*title).to_owned() };
    let head: Vec<Cell> = head.iter().map(title).collect();
    let head_row = (!head.is_empty()).then_some(&head);
    for row in head_row.into_iter().chain(&rows) {
        render_row(row, &widths, paint, out);
    }
}

fn render_row(
    row: &[Cell],
    widths: &[usize],
    paint: &dyn Fn(Role, &str) -> String,
    out: &mut String,
) {
    let cells: Vec<Vec<String>> =
        row.iter().zip(widths).map(|(cell, width)| wrap(&cell.text, *width)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    for line in 0..height {
        let text = |at: usize| cells[at].get(line).map_or("", String::as_str);
        let last = (0..cells.len()).rfind(|&at| !text(at).is_empty());
        for (at, cell) in row.iter().enumerate() {
            if !text(at).is_empty() {
                out.push_str(&paint(cell.role, text(at)));
            }
            if last.is_some_and(|last| at < last) {
                let padding = widths[at].saturating_sub(text(at).width());
                out.push_str(&" ".repeat(padding + COLUMN_GAP));
            }
        }
        out.push('\n');
    }
}

/// Narrows the widest columns until the table fits. Columns of names and ids are never narrowed.
fn narrow(widths: &mut [usize], is_key: &[bool], width: usize) {
    let gaps = COLUMN_GAP * widths.len().saturating_sub(1);
    let capped = |cap: usize| -> Vec<usize> {
        let columns = widths.iter().zip(is_key);
        columns
            .map(|(natural, is_key)| if *is_key { *natural } else { (*natural).min(cap) })
            .collect()
    };
    let fits = |cap: &usize| capped(*cap).iter().sum::<usize>() + gaps <= width;
    let widest = widths.iter().copied().max().unwrap_or(0);
    if fits(&widest) {
        return;
    }
    let cap = (MIN_COLUMN_WIDTH..width).rev().find(fits).unwrap_or(MIN_COLUMN_WIDTH);
    let narrowed = capped(cap);
    widths.copy_from_slice(&narrowed);
}

/// Wraps a text at spaces and after slashes. A word that is too long stays whole on its own line,
/// because it may be an id.
fn wrap(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    for piece in text.split_inclusive([' ', '/']) {
        if !line.is_empty() && line.width() + piece.trim_end().width() > width {
            lines.push(line.trim_end().to_owned());
            line.clear();
        }
        line.push_str(piece);
    }
    lines.push(line.trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{plain_text, span};

    fn rendered(rows: &[Vec<Span>], width: Option<usize>) -> String {
        let mut out = String::new();
        render(&["id", "what"], rows, width, &plain_text, &|_, text| text.to_owned(), &mut out);
        out
    }

    #[test]
    fn the_widest_column_is_wrapped_but_keys_are_not() {
        let rows = vec![
            vec![
                span(Role::Key, "0198c0de-0000-7000-8000-00000000002a"),
                "one two three four".into(),
            ],
            vec![span(Role::Key, "b"), "plans/0042-graph/agents".into(), "end".into()],
        ];
        let wide = rendered(&rows, None);
        assert_eq!(rendered(&rows, Some(200)), wide);
        assert_eq!(wide.lines().count(), 3);
        let blank = " ".repeat(38);
        let expected = [
            format!("id{}what", " ".repeat(36)),
            "0198c0de-0000-7000-8000-00000000002a  one two three".to_owned(),
            format!("{blank}four"),
            format!("b{}plans/0042-graph/  end", " ".repeat(37)),
            format!("{blank}agents"),
        ];
        assert_eq!(rendered(&rows, Some(60)).lines().collect::<Vec<_>>(), expected);
        // Ids stay whole even if the table does not fit.
        assert!(rendered(&rows, Some(20)).contains("0198c0de-0000-7000-8000-00000000002a"));
    }
}
