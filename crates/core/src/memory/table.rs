//! Reads and writes rows of markdown tables.

use super::bullet::EntryContent;
use super::comment::{take_marks, write_comment};
use super::escape::{decode, encode_cell};
use super::{EntryField, EntryFields, EntryKind, MemoryOwner, NewEntry};

/// Returns whether a line is a row of a table.
pub(super) fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|')
}

/// Returns whether a row separates the header of a table from its body.
pub(super) fn is_delimiter(line: &str) -> bool {
    is_row(line)
        && line.contains('-')
        && line.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Splits a row into its raw cells.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let mut cells = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (offset, c) in inner.char_indices() {
        match c {
            '\\' => {
                escaped = true;
                continue;
            }
            '|' if !escaped => {
                cells.push(inner[start..offset].trim());
                start = offset + 1;
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

/// Returns the text of a raw cell.
pub(super) fn cell_text(cell: &str) -> String {
    decode(&cell.replace("\\|", "|"))
}

/// Returns the column titles of a new table.
pub(super) fn default_columns(kind: EntryKind, owner: MemoryOwner) -> Vec<String> {
    let fields = match owner {
        MemoryOwner::Agent => [EntryField::Choice, EntryField::Rationale, EntryField::Date],
        MemoryOwner::Plan | MemoryOwner::Level => {
            [EntryField::Choice, EntryField::Affects, EntryField::Date]
        }
    };
    std::iter::once(first_column(kind))
        .chain(fields.into_iter().map(EntryField::column))
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

/// Returns the fields for which a table has no column.
pub(super) fn missing_fields(columns: &[String], fields: &EntryFields) -> Vec<EntryField> {
    let has_column = |field: &EntryField| {
        columns.iter().any(|title| EntryField::from_column(title) == Some(*field))
    };
    fields.keys().copied().filter(|field| !has_column(field)).collect()
}

/// Writes the header of a table.
pub(super) fn write_header(columns: &[String], newline: &str) -> String {
    let dashes: Vec<String> =
        columns.iter().map(|title| "-".repeat(title.chars().count() + 2)).collect();
    format!("| {} |{newline}|{}|{newline}", columns.join(" | "), dashes.join("|"))
}

/// Writes a row with the text in the first column.
pub(super) fn write_row(entry: &NewEntry<'_>, columns: &[String]) -> String {
    let cells = columns.iter().enumerate().map(|(index, title)| {
        if index == 0 {
            return format!("{}{}", encode_cell(entry.text.trim()), write_comment(&entry.marks));
        }
        let field = EntryField::from_column(title).and_then(|field| entry.fields.get(&field));
        field.map(|value| encode_cell(value)).unwrap_or_default()
    });
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// Reads the content of a row.
pub(super) fn read_row(line: &str, columns: &[String]) -> EntryContent {
    let cells = cells(line);
    let (text, marks) = take_marks(cells.first().copied().unwrap_or_default());
    let mut fields = EntryFields::new();
    for (title, cell) in columns.iter().zip(&cells).skip(1) {
        if let Some(field) = EntryField::from_column(title).filter(|_| !cell.is_empty()) {
            fields.insert(field, cell_text(cell));
        }
    }
    let status = fields.get(&EntryField::Status).map(String::as_str).unwrap_or_default();
    let (resolved, resolution) = match status.split_once(": ") {
        Some((word, resolution)) if is_resolved_status(word) => (true, Some(resolution.to_owned())),
        _ => (is_resolved_status(status), None),
    };
    EntryContent { text: cell_text(&text), fields, resolved, resolution, marks }
}

/// Returns whether a status means that an entry is resolved.
pub fn is_resolved_status(status: &str) -> bool {
    ["resolved", "done", "closed", "answered", "fixed"]
        .iter()
        .any(|word| status.trim().eq_ignore_ascii_case(word))
}
