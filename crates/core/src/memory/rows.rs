//! Rows of a markdown table.

use super::escape::{decode, encode_cell};
use super::form::{take_comment, write_comment};
use super::{EntryKind, Field, Fields, NewEntry, Owner};

/// Returns whether a line is a row of a table.
pub(super) fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Returns whether a row parts the head of a table from its body.
pub(super) fn is_delimiter(line: &str) -> bool {
    is_row(line)
        && line.contains('-')
        && line.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Returns the cells of a row, as they are written.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            '\\' => {
                escaped = true;
                continue;
            }
            '|' if !escaped => {
                cells.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    if !inner[start..].trim().is_empty() {
        cells.push(inner[start..].trim());
    }
    cells
}

/// Returns what a cell says.
pub(super) fn value(cell: &str) -> String {
    decode(&cell.replace("\\|", "|"))
}

/// Returns the columns that a new table has.
pub(super) fn columns(kind: EntryKind, owner: Owner) -> Vec<String> {
    let fields = match owner {
        Owner::Agent => [Field::Choice, Field::Rationale, Field::Date],
        Owner::Plan => [Field::Choice, Field::Affects, Field::Date],
    };
    std::iter::once(first_column(kind))
        .chain(fields.into_iter().map(Field::column))
        .map(str::to_owned)
        .collect()
}

fn first_column(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Finding => "Finding",
        EntryKind::Decision => "Decision",
        EntryKind::Blocker => "Blocker",
        EntryKind::Question => "Question",
        EntryKind::Lesson => "Lesson",
        EntryKind::Session => "Session",
    }
}

/// Returns the columns that a table lacks for what is to be said.
pub(super) fn missing(columns: &[String], fields: &Fields) -> Vec<Field> {
    let has = |field: &Field| columns.iter().any(|title| Field::from_column(title) == Some(*field));
    fields.keys().copied().filter(|field| !has(field)).collect()
}

/// Writes the head of a table.
pub(super) fn write_head(columns: &[String], newline: &str) -> String {
    let dashes: Vec<String> =
        columns.iter().map(|title| "-".repeat(title.chars().count() + 2)).collect();
    format!("| {} |{newline}|{}|{newline}", columns.join(" | "), dashes.join("|"))
}

/// Writes a row; the first column holds the text.
pub(super) fn write(entry: &NewEntry<'_>, columns: &[String]) -> String {
    let cells = columns.iter().enumerate().map(|(at, title)| {
        if at == 0 {
            return format!("{}{}", encode_cell(entry.text.trim()), write_comment(&entry.marks));
        }
        let field = Field::from_column(title).and_then(|field| entry.fields.get(&field));
        field.map(|value| encode_cell(value)).unwrap_or_default()
    });
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// What a row says: its text, what is said of it, its comment.
pub(super) fn read(line: &str, columns: &[String]) -> super::form::Said {
    let cells = cells(line);
    let (text, marks) = take_comment(cells.first().copied().unwrap_or_default());
    let mut fields = Fields::new();
    for (title, cell) in columns.iter().zip(&cells).skip(1) {
        if let Some(field) = Field::from_column(title).filter(|_| !cell.is_empty()) {
            fields.insert(field, value(cell));
        }
    }
    let status = fields.get(&Field::Status).map(String::as_str).unwrap_or_default();
    let (resolved, resolution) = match status.split_once(": ") {
        Some((word, how)) if is_settled(word) => (true, Some(how.to_owned())),
        _ => (is_settled(status), None),
    };
    super::form::Said { text: value(&text), fields, resolved, resolution, marks }
}

/// Returns whether a status says that nothing is left to do.
pub fn is_settled(status: &str) -> bool {
    ["resolved", "done", "closed", "answered", "fixed"]
        .iter()
        .any(|word| status.trim().eq_ignore_ascii_case(word))
}
