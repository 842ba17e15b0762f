//! From a document's text to its entries.

use std::collections::HashMap;

use super::form::{self, Said};
use super::sections::{self, Row, Section, heading_of};
use super::{Entry, EntryKind, Form, Notebook, rows, without_marks};
use crate::document::conflict_marker;
use crate::words::{digest, normalised};
use crate::{Problem, day};

/// Reads the entries of a memory document. A file in the middle of a merge is not read at all: half
/// of it would be somebody else's.
pub fn read(path: &str, text: &str) -> Notebook {
    if let Some(problem) = conflict_marker(path, text) {
        return Notebook { entries: vec![], problems: vec![problem] };
    }
    let rows = sections::rows(text);
    let mut entries = Vec::new();
    for section in sections::sections(&rows) {
        match section.kind {
            EntryKind::Session => read_log(&rows, &section, &mut entries),
            _ => read_section(&rows, &section, &mut entries),
        }
    }
    drop_earlier_states(&mut entries);
    number(&mut entries);
    let problems = repeated_ids(path, &entries);
    Notebook { entries, problems }
}

/// Reads bullets and table rows.
fn read_section(rows: &[Row<'_>], section: &Section, entries: &mut Vec<Entry>) {
    let body = section.rows.start + 1..section.rows.end;
    let mut at = body.start;
    while at < body.end {
        let row = &rows[at];
        if row.is_opaque || heading_of(row).is_some() {
            at += 1;
        } else if rows::is_row(row.text) {
            at = read_table(rows, at, body.end, section, entries);
        } else if let Some((_, content)) = form::bullet(row.text) {
            let end = bullet_end(rows, at, body.end);
            let more = rows[at + 1..end].iter().map(|more| more.text);
            let lines = std::iter::once(content).chain(more).map(str::trim);
            let content: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            let said = form::read(&content.join(" "));
            entries.push(entry(rows, at..end, section.kind, said, Form::Bullet));
            at = end;
        } else {
            at += 1;
        }
    }
}

/// Returns where a bullet's lines end: after its indented lines, and after lines that go straight on.
fn bullet_end(rows: &[Row<'_>], start: usize, end: usize) -> usize {
    let mut last = start + 1;
    let mut blank = false;
    for (at, row) in rows.iter().enumerate().take(end).skip(start + 1) {
        let text = row.text;
        if text.trim().is_empty() && !row.is_opaque {
            blank = true;
            continue;
        }
        let indented = text.starts_with("  ") || text.starts_with('\t');
        let goes_on = !blank
            && !row.is_opaque
            && heading_of(row).is_none()
            && !rows::is_row(text)
            && form::bullet(text).is_none();
        if !(indented && form::bullet(text).is_none_or(|_| text.starts_with("  ")) || goes_on) {
            break;
        }
        blank = false;
        last = at + 1;
    }
    last
}

/// Reads a block of rows and returns where it ends. After a merge it may hold a second head.
fn read_table(
    rows: &[Row<'_>],
    start: usize,
    end: usize,
    section: &Section,
    entries: &mut Vec<Entry>,
) -> usize {
    let block = (start..end).find(|&at| !rows::is_row(rows[at].text)).unwrap_or(end);
    let mut columns: Vec<String> = Vec::new();
    // A merge that left two heads left the rows of both sides, and those that they share twice.
    let heads = (start..block).filter(|&at| rows::is_delimiter(rows[at].text)).count();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for at in start..block {
        let line = rows[at].text;
        let is_head = at + 1 < block && rows::is_delimiter(rows[at + 1].text);
        if rows::is_delimiter(line) {
            continue;
        }
        let cells = rows::cells(line);
        if is_head || (columns.is_empty() && at == start && block > start + 1) {
            columns = cells.iter().map(|cell| rows::value(cell)).collect();
            continue;
        }
        if cells.iter().all(|cell| cell.is_empty()) {
            continue;
        }
        let said = rows::read(line, &columns);
        let new = entry(rows, at..at + 1, section.kind, said, Form::Row(columns.clone()));
        let bare = if heads > 1 { without_marks(line).trim().to_owned() } else { String::new() };
        match seen.get(&bare).filter(|_| heads > 1) {
            Some(&first) if new.is_marked() && !entries[first].is_marked() => entries[first] = new,
            Some(_) => {}
            None => {
                seen.insert(bare, entries.len());
                entries.push(new);
            }
        }
    }
    block
}

/// Reads `### Session 3 — 2026-02-02` and what is under it.
fn read_log(rows: &[Row<'_>], section: &Section, entries: &mut Vec<Entry>) {
    let heads: Vec<usize> = (section.rows.start + 1..section.rows.end)
        .filter(|&at| heading_of(&rows[at]).is_some_and(|(level, _)| level == section.level + 1))
        .collect();
    for (nth, &head) in heads.iter().enumerate() {
        let end = heads.get(nth + 1).copied().unwrap_or(section.rows.end);
        let (title, marks) =
            form::take_comment(heading_of(&rows[head]).map_or("", |(_, title)| title));
        let lines = rows[head + 1..end].iter().map(|row| {
            let line = row.text.split("<!-- session:").next().unwrap_or_default();
            form::bullet(line).map_or(line.trim(), |(_, content)| content.trim())
        });
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let mut said =
            Said { text: super::escape::decode(&lines.join("\n")), marks, ..Said::default() };
        if let Some(date) = title.split_whitespace().find_map(day::parse) {
            said.fields.insert(super::Field::Date, date.to_string());
        }
        let mut entry = entry(rows, head..end, EntryKind::Session, said, Form::Session);
        entry.number = session_number(&title).unwrap_or(0);
        entries.push(entry);
    }
}

/// Returns the number in `Session 3 — 2026-02-02`.
fn session_number(title: &str) -> Option<usize> {
    let mut words = title.split_whitespace();
    words.next().filter(|word| word.eq_ignore_ascii_case("session"))?;
    words.next()?.trim_end_matches([':', ',', '.']).parse().ok()
}

fn entry(
    rows: &[Row<'_>],
    span: std::ops::Range<usize>,
    kind: EntryKind,
    said: Said,
    form: Form,
) -> Entry {
    let Said { text, fields, resolved, resolution, marks } = said;
    Entry {
        kind,
        number: 0,
        id: String::new(),
        text,
        fields,
        resolved,
        resolution,
        marks,
        line: rows[span.start].number,
        bytes: rows[span.start].bytes.start..rows[span.end - 1].bytes.end,
        form,
    }
}

/// A union merge keeps an entry both as one branch left it and as the other changed it, in one list
/// but not always side by side: the other branch's new entries may lie between them. Where only an
/// id was written beside it, or a task was settled, that is one entry, and the later state counts.
/// Where both branches added it on different days, the earlier day counts.
fn drop_earlier_states(entries: &mut Vec<Entry>) {
    let state = |entry: &Entry| (entry.resolved, entry.is_marked());
    let is_unmarked = |entry: &Entry| state(entry) == (false, false) && entry.added().is_none();
    if entries.iter().all(is_unmarked) {
        return;
    }
    let mut lists: HashMap<(usize, EntryKind, String), Vec<usize>> = HashMap::new();
    let mut list = 0;
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 && entries[at - 1].bytes.end != entry.bytes.start {
            list = at;
        }
        lists.entry((list, entry.kind, normalised(&entry.text))).or_default().push(at);
    }
    let is_earlier = |a: &Entry, b: &Entry| {
        let (own, other) = (a.marks.get("id"), b.marks.get("id"));
        let added = |entry: &Entry| (entry.added().is_none(), entry.added());
        let is_same_state = state(a) == state(b) && a.resolution == b.resolution;
        let is_later_copy = own == other && is_same_state && added(a) > added(b);
        let is_earlier_state = (own.is_none() || own == other) && state(a) < state(b);
        let is_alike = a.kind != EntryKind::Session && a.fields == b.fields;
        is_alike && (is_earlier_state || is_later_copy)
    };
    let mut earlier: Vec<usize> = Vec::new();
    for twins in lists.values().filter(|twins| twins.len() > 1) {
        earlier.extend(
            twins
                .iter()
                .copied()
                .filter(|&at| twins.iter().any(|&other| is_earlier(&entries[at], &entries[other]))),
        );
    }
    earlier.sort_unstable();
    for at in earlier.into_iter().rev() {
        entries.remove(at);
    }
}

fn number(entries: &mut [Entry]) {
    let mut of_kind: HashMap<EntryKind, usize> = HashMap::new();
    let mut equals: HashMap<(EntryKind, String), usize> = HashMap::new();
    for entry in entries.iter_mut() {
        let number = of_kind.entry(entry.kind).or_default();
        *number += 1;
        if entry.number == 0 {
            entry.number = *number;
        }
        let text = normalised(&entry.text);
        let ordinal = equals.entry((entry.kind, text.clone())).or_default();
        *ordinal += 1;
        entry.id = match entry.marks.get("id") {
            Some(id) => id.to_lowercase(),
            None => derived_id(entry.kind, &text, *ordinal),
        };
    }
}

fn derived_id(kind: EntryKind, text: &str, ordinal: usize) -> String {
    digest(&format!("{}\n{ordinal}\n{text}", kind.word()))
}

fn repeated_ids(path: &str, entries: &[Entry]) -> Vec<Problem> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut problems = Vec::new();
    for entry in entries.iter().filter(|entry| entry.is_marked()) {
        match seen.get(entry.id.as_str()) {
            None => drop(seen.insert(&entry.id, entry.line)),
            Some(first) => problems.push(
                Problem::at(
                    path,
                    entry.line,
                    format!("the entry on line {first} has the same id, {}", entry.id),
                )
                .hint("remove one of the two, or the comment with the id"),
            ),
        }
    }
    problems
}
