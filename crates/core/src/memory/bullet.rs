//! Reads and writes an entry as a bullet: marker, checkbox, text, fields and comment.

use indexmap::IndexMap;

use super::comment::{take_marks, write_comment};
use super::escape::{decode, encode, encode_field};
use super::{EntryField, EntryFields, NewEntry};

/// The content of an entry, read from a bullet, a table row or a session.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct EntryContent {
    pub(super) text: String,
    pub(super) fields: EntryFields,
    pub(super) resolved: bool,
    pub(super) resolution: Option<String>,
    pub(super) marks: IndexMap<String, String>,
}

/// Reads the content of a bullet.
pub(super) fn read(content: &str) -> EntryContent {
    let (content, marks) = take_marks(content);
    let (resolved, content) = take_checkbox(&content);
    let struck = content.strip_prefix("~~").and_then(|rest| rest.split_once("~~"));
    let (text, resolution) = match struck {
        Some((text, rest)) => {
            let rest = rest.trim();
            let (rest, fields) = take_fields(rest);
            let resolution = rest.trim().trim_start_matches(['—', '–', '-', ':']).trim();
            let resolution = (!resolution.is_empty()).then(|| decode(resolution));
            let (text, more) = take_fields(text);
            let fields: EntryFields = more.into_iter().chain(fields).collect();
            return EntryContent { text: decode(text), fields, resolved: true, resolution, marks };
        }
        None if resolved => match content.rsplit_once(" — ") {
            Some((text, resolution)) => (text, Some(decode(resolution.trim()))),
            None => (content, None),
        },
        None => (content, None),
    };
    let (text, fields) = take_fields(text);
    EntryContent { text: decode(text), fields, resolved, resolution, marks }
}

fn take_checkbox(content: &str) -> (bool, &str) {
    for (checkbox, resolved) in [("[ ]", false), ("[x]", true), ("[X]", true)] {
        if let Some(rest) = content.strip_prefix(checkbox)
            && (rest.is_empty() || rest.starts_with([' ', '\t']))
        {
            return (resolved, rest.trim_start());
        }
    }
    (false, content)
}

/// Splits the fields off the end of a bullet's text: `(date: 2026-02-22 · found by: 001)`.
fn take_fields(text: &str) -> (&str, EntryFields) {
    let none = (text, EntryFields::new());
    let Some(inside) = text.strip_suffix(')') else { return none };
    let Some(start) = inside.rfind('(') else { return none };
    if start > 0 && !inside[..start].ends_with(' ') {
        return none;
    }
    let mut fields = EntryFields::new();
    for part in inside[start + 1..].split(" · ") {
        let known = part.split_once(": ").and_then(|(word, value)| {
            let field = EntryField::ALL.into_iter().find(|field| field.as_str() == word)?;
            Some((field, decode(value.trim())))
        });
        let Some((field, value)) = known else { return none };
        fields.insert(field, value);
    }
    (text[..start].trim_end(), fields)
}

/// Writes the fields of a bullet.
fn write_fields(fields: &EntryFields) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(field, value)| format!("{}: {}", field.as_str(), encode_field(value)))
        .collect();
    if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(" · ")) }
}

/// Writes a text, escaping an end that would be read as fields.
fn write_text(text: &str) -> String {
    let written = encode(text.trim());
    match written.rfind('(') {
        Some(start) if !take_fields(&written).1.is_empty() => {
            format!("{}&#40;{}", &written[..start], &written[start + 1..])
        }
        _ => written,
    }
}

/// Writes the content of a bullet.
pub(super) fn write(entry: &NewEntry<'_>) -> String {
    let text = write_text(entry.text);
    let fields = write_fields(&entry.fields);
    let comment = write_comment(&entry.marks);
    match (entry.kind.is_task(), entry.resolved) {
        (_, true) => format!("[x] ~~{text}~~{fields}{comment}"),
        (true, false) => format!("[ ] {text}{fields}{comment}"),
        (false, false) => format!("{text}{fields}{comment}"),
    }
}
