//! Reads the entries of a memory document.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::bullet::{self, EntryContent};
use super::bullet_lines::bullet_end;
use super::ids::{assign_numbers_and_ids, find_repeated_ids};
use super::list_item::split_bullet;
use super::sections::{self, EntrySection, TextLine, heading_of};
use super::{
    EntryForm, EntryKind, MemoryEntries, MemoryEntry, MemoryFormat, comment, learning, table,
    without_marks,
};
use crate::day;
use crate::document::conflict_marker;
use crate::words::normalise;

/// Reads the entries of a document in a format.
pub fn read_as(format: MemoryFormat, path: &str, text: &str) -> MemoryEntries {
    match format {
        MemoryFormat::Sections => read(path, text),
        MemoryFormat::Learnings(kind) => learning::read(path, kind, text),
    }
}

/// Reads the entries of a memory document. A file with conflict markers is not read: its entries are not decided yet.
pub fn read(path: &str, text: &str) -> MemoryEntries {
    if let Some(problem) = conflict_marker(path, text) {
        return MemoryEntries { entries: vec![], problems: vec![problem] };
    }
    let mut entries = parse(text);
    for copy in find_copies(text, &entries).into_iter().rev() {
        entries.remove(copy);
    }
    drop_earlier_states(&mut entries);
    assign_numbers_and_ids(&mut entries);
    let problems = find_repeated_ids(path, &entries);
    MemoryEntries { entries, problems }
}

/// Returns a document without the entries that repeat another one byte for byte, with the same id.
pub(super) fn remove_copies(text: &str) -> Cow<'_, str> {
    let entries = parse(text);
    let copies = find_copies(text, &entries);
    if copies.is_empty() || conflict_marker("", text).is_some() {
        return Cow::Borrowed(text);
    }
    let mut tidied = text.to_owned();
    for copy in copies.into_iter().rev() {
        tidied.replace_range(entries[copy].bytes.clone(), "");
    }
    Cow::Owned(tidied)
}

/// Returns a document without the other copies of an entry, which all come after it.
pub(super) fn remove_copies_of<'t>(text: &'t str, entry: &MemoryEntry) -> Cow<'t, str> {
    if entry.format() != MemoryFormat::Sections {
        return Cow::Borrowed(text);
    }
    let entries = parse(text);
    let is_copy = |copy: &&usize| {
        let copied = &entries[**copy];
        copied.bytes.start > entry.bytes.start && copy_key(text, copied) == copy_key(text, entry)
    };
    let copies = find_copies(text, &entries);
    let copies: Vec<&usize> = copies.iter().filter(is_copy).collect();
    let mut tidied = Cow::Borrowed(text);
    for copy in copies.into_iter().rev() {
        tidied.to_mut().replace_range(entries[*copy].bytes.clone(), "");
    }
    tidied
}

/// Returns the positions of entries that repeat an earlier one byte for byte, with the same id. A rebase or two branches
/// that promote the same entry leave such copies.
fn find_copies(text: &str, entries: &[MemoryEntry]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let marked = entries.iter().enumerate().filter(|(_, entry)| entry.has_stored_id());
    let copies = marked.filter(|(_, entry)| !seen.insert(copy_key(text, entry)));
    copies.map(|(position, _)| position).collect()
}

/// Returns what is equal for copies of an entry. The bytes include the id.
fn copy_key<'t>(text: &'t str, entry: &MemoryEntry) -> (EntryKind, &'t str) {
    (entry.kind, text.get(entry.bytes.clone()).unwrap_or_default().trim())
}

/// Reads the entries of all sections, without numbers and ids.
fn parse(text: &str) -> Vec<MemoryEntry> {
    let lines = sections::split_lines(text);
    let mut entries = Vec::new();
    for section in sections::find_sections(&lines) {
        match section.kind {
            EntryKind::Session => read_sessions(&lines, &section, &mut entries),
            _ => read_section(&lines, &section, &mut entries),
        }
    }
    entries
}

/// Reads the bullets and table rows of a section.
fn read_section(lines: &[TextLine<'_>], section: &EntrySection, entries: &mut Vec<MemoryEntry>) {
    let body = section.lines.start + 1..section.lines.end;
    let mut index = body.start;
    while index < body.end {
        let line = &lines[index];
        if line.is_opaque || heading_of(line).is_some() {
            index += 1;
        } else if table::is_row(line.text) {
            index = read_table(lines, index, body.end, section, entries);
        } else if let Some((_, content)) = split_bullet(line.text) {
            let end = bullet_end(lines, index, body.end);
            let continued = lines[index + 1..end].iter().map(|line| line.text);
            let parts = std::iter::once(content).chain(continued).map(str::trim);
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            let content = bullet::read(&parts.join(" "));
            entries.push(entry(lines, index..end, section.kind, content, EntryForm::Bullet));
            index = end;
        } else {
            index += 1;
        }
    }
}

/// Reads a block of table rows and returns the index after it. After a union merge it may contain a second header.
fn read_table(
    lines: &[TextLine<'_>],
    start: usize,
    end: usize,
    section: &EntrySection,
    entries: &mut Vec<MemoryEntry>,
) -> usize {
    let block_end = (start..end).find(|&index| !table::is_row(lines[index].text)).unwrap_or(end);
    let mut columns: Vec<String> = Vec::new();
    // A union merge that kept two headers kept the rows of both sides, so shared rows occur twice.
    let headers =
        (start..block_end).filter(|&index| table::is_delimiter(lines[index].text)).count();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for index in start..block_end {
        let line = lines[index].text;
        let is_header = index + 1 < block_end && table::is_delimiter(lines[index + 1].text);
        if table::is_delimiter(line) {
            continue;
        }
        let cells = table::cells(line);
        if is_header || (columns.is_empty() && index == start && block_end > start + 1) {
            columns = cells.iter().map(|cell| table::cell_text(cell)).collect();
            continue;
        }
        if cells.iter().all(|cell| cell.is_empty()) {
            continue;
        }
        let content = table::read_row(line, &columns);
        let new =
            entry(lines, index..index + 1, section.kind, content, EntryForm::Row(columns.clone()));
        let bare = if headers > 1 { without_marks(line).trim().to_owned() } else { String::new() };
        match seen.get(&bare).filter(|_| headers > 1) {
            Some(&first) if new.has_stored_id() && !entries[first].has_stored_id() => {
                entries[first] = new;
            }
            Some(_) => {}
            None => {
                seen.insert(bare, entries.len());
                entries.push(new);
            }
        }
    }
    block_end
}

/// Reads the headings `### Session 3 — 2026-02-02` of a session log and the lines below them.
fn read_sessions(lines: &[TextLine<'_>], section: &EntrySection, entries: &mut Vec<MemoryEntry>) {
    let headings: Vec<usize> = (section.lines.start + 1..section.lines.end)
        .filter(|&index| {
            heading_of(&lines[index]).is_some_and(|(level, _)| level == section.level + 1)
        })
        .collect();
    for (position, &heading) in headings.iter().enumerate() {
        let end = headings.get(position + 1).copied().unwrap_or(section.lines.end);
        let (title, marks) =
            comment::take_marks(heading_of(&lines[heading]).map_or("", |(_, title)| title));
        let points = lines[heading + 1..end].iter().map(|line| {
            let line = line.text.split("<!-- session:").next().unwrap_or_default();
            split_bullet(line).map_or(line.trim(), |(_, content)| content.trim())
        });
        let points: Vec<&str> = points.filter(|point| !point.is_empty()).collect();
        let text = super::escape::decode(&points.join("\n"));
        let mut content = EntryContent { text, marks, ..EntryContent::default() };
        if let Some(date) = title.split_whitespace().find_map(day::parse) {
            content.fields.insert(super::EntryField::Date, date.to_string());
        }
        let mut entry = entry(lines, heading..end, EntryKind::Session, content, EntryForm::Session);
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
    lines: &[TextLine<'_>],
    span: std::ops::Range<usize>,
    kind: EntryKind,
    content: EntryContent,
    form: EntryForm,
) -> MemoryEntry {
    let EntryContent { text, fields, resolved, resolution, marks } = content;
    MemoryEntry {
        kind,
        number: 0,
        id: String::new(),
        title: None,
        category: None,
        tags: vec![],
        text,
        fields,
        resolved,
        resolution,
        marks,
        line: lines[span.start].number,
        last_line: lines[span.end - 1].number,
        bytes: lines[span.start].bytes.start..lines[span.end - 1].bytes.end,
        form,
    }
}

/// Removes earlier states of entries that a union merge kept.
///
/// A union merge keeps an entry both as one branch left it and as the other changed it, in the same list but not always
/// adjacent. If the change only added an id or resolved a task, both are one entry, and the later state is kept. If
/// both branches added the entry on different days, the one with the earlier day is kept.
fn drop_earlier_states(entries: &mut Vec<MemoryEntry>) {
    let state = |entry: &MemoryEntry| (entry.resolved, entry.has_stored_id());
    let is_unmarked =
        |entry: &MemoryEntry| state(entry) == (false, false) && entry.added().is_none();
    if entries.iter().all(is_unmarked) {
        return;
    }
    let mut copies: HashMap<(usize, EntryKind, String), Vec<usize>> = HashMap::new();
    let mut list = 0;
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 && entries[index - 1].bytes.end != entry.bytes.start {
            list = index;
        }
        copies.entry((list, entry.kind, normalise(&entry.text))).or_default().push(index);
    }
    let is_earlier = |a: &MemoryEntry, b: &MemoryEntry| {
        let (id_a, id_b) = (a.marks.get("id"), b.marks.get("id"));
        let added = |entry: &MemoryEntry| (entry.added().is_none(), entry.added());
        let is_same_state = state(a) == state(b) && a.resolution == b.resolution;
        let is_later_copy = id_a == id_b && is_same_state && added(a) > added(b);
        let is_earlier_state = (id_a.is_none() || id_a == id_b) && state(a) < state(b);
        let is_comparable = a.kind != EntryKind::Session && a.fields == b.fields;
        is_comparable && (is_earlier_state || is_later_copy)
    };
    let mut earlier: Vec<usize> = Vec::new();
    for copies in copies.values().filter(|copies| copies.len() > 1) {
        earlier.extend(copies.iter().copied().filter(|&index| {
            copies.iter().any(|&other| is_earlier(&entries[index], &entries[other]))
        }));
    }
    earlier.sort_unstable();
    for index in earlier.into_iter().rev() {
        entries.remove(index);
    }
}
