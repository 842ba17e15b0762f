//! Edits of one entry that leave every other byte unchanged.
//!
//! After each edit the document is parsed again: the entry must have its new content, and all others must be unchanged.
//! Otherwise the edit is refused.

use std::ops::Range;

use indexmap::IndexMap;
use jiff::civil::Date;

use super::edit_check::{EntryEditError, is_same};
use super::escape::{encode, encode_cell};
use super::list_item::split_bullet;
use super::read::remove_copies_of;
use super::sections::{self, EntrySection, TextLine, heading_of};
use super::{
    EntryField, EntryForm, EntryKind, MemoryEntries, MemoryEntry, MemoryOwner, NewEntry, bullet,
    comment, learning, read, read_as, table, without_marks,
};
use crate::lines::{breaks_to_empty_line, detect_newline};
use crate::name;

/// Adds an entry to its section, creating the section if it is missing. Returns the new text and the entry.
pub fn add(
    text: &str,
    owner: MemoryOwner,
    new: &NewEntry<'_>,
) -> Result<(String, MemoryEntry), EntryEditError> {
    let (text, section) = with_section(text, owner, new.kind);
    let before = read("", &text);
    let lines = sections::split_lines(&text);
    let after = match new.kind {
        EntryKind::Decision => add_row(&text, &lines, &section, owner, new),
        _ => add_bullet(&text, &before, &lines, &section, new),
    };
    let entry = verify_added(&before, read("", &after), new)?;
    Ok((after, entry))
}

/// Adds the note of a session at the start of the session log, with its id, so that a merge keeps the sessions of two
/// branches apart.
pub fn add_session(
    text: &str,
    owner: MemoryOwner,
    number: usize,
    day: Date,
    note: &str,
    id: &str,
) -> String {
    let newline = detect_newline(text);
    let (text, section) = with_section(text, owner, EntryKind::Session);
    let lines = sections::split_lines(&text);
    let body = section.lines.start + 1..section.lines.end;
    let first = body.clone().find(|&index| heading_of(&lines[index]).is_some());
    let level = "#".repeat(section.level + 1);
    let points: Vec<&str> = note
        .lines()
        .map(|line| line.trim().trim_start_matches("- ").trim())
        .filter(|line| !line.is_empty())
        .collect();
    // Both lines contain the id: a union merge keeps only one of two equal lines.
    let block = format!(
        "{level} Session {number} — {day} <!-- id:{id} -->{newline}- {} <!-- session:{id} -->{newline}",
        encode(&points.join("\n"))
    );
    match first {
        Some(index) => {
            let offset = lines[index].bytes.start;
            splice(&text, offset..offset, &format!("{block}{newline}"))
        }
        None => {
            let (offset, gap) = first_entry_offset(&text, &lines, &section);
            insert_after(&text, offset, &block, gap)
        }
    }
}

/// Marks a blocker or a question as resolved.
pub fn resolve(
    text: &str,
    entry: &MemoryEntry,
    resolution: &str,
) -> Result<String, EntryEditError> {
    let text = &*remove_copies_of(text, entry);
    let resolution = resolution.trim();
    let edited = match &entry.form {
        EntryForm::Bullet => resolve_bullet(text, entry, resolution),
        EntryForm::Row(columns) => resolve_row(text, entry, columns, resolution),
        EntryForm::Session | EntryForm::LearningHeading | EntryForm::LearningBullet => {
            let message = format!("a {} cannot be resolved", entry.kind.as_str());
            return Err(EntryEditError { line: entry.line, message });
        }
    };
    let expected = MemoryEntry {
        resolved: true,
        resolution: (!resolution.is_empty()).then(|| resolution.to_owned()),
        ..entry.clone()
    };
    let is_expected = |edited: Option<&MemoryEntry>| {
        edited.is_some_and(|edited| is_same_except_status(&expected, edited))
    };
    verify(text, edited, entry, is_expected)
}

/// Removes an entry.
pub fn remove(text: &str, entry: &MemoryEntry) -> Result<String, EntryEditError> {
    let text = &*remove_copies_of(text, entry);
    verify(text, splice(text, entry.bytes.clone(), ""), entry, |edited| edited.is_none())
}

/// Sets marks in an entry's comment, keeping its other marks.
pub fn set_marks(
    text: &str,
    entry: &MemoryEntry,
    marks: &IndexMap<String, String>,
) -> Result<String, EntryEditError> {
    let text = &*remove_copies_of(text, entry);
    let mut all = entry.marks.clone();
    all.extend(marks.iter().map(|(key, value)| (key.clone(), value.clone())));
    all.sort_by(|a, _, b, _| (a != "id").cmp(&(b != "id")));
    let edited = write_marks(text, entry, &comment::write_comment(&all));
    let expected = MemoryEntry { marks: all, ..entry.clone() };
    verify(text, edited, entry, |edited| edited.is_some_and(|edited| is_same(&expected, edited)))
}

/// Adds a comment to an entry, or replaces its comment.
fn write_marks(text: &str, entry: &MemoryEntry, comment: &str) -> String {
    if entry.form == EntryForm::LearningHeading {
        return learning::write_marks(text, entry, comment);
    }
    let own = &text[entry.bytes.clone()];
    if let Some(Range { start, end }) = comment::main_comment(own) {
        // The indent of a comment on its own line makes the line part of the entry, so it stays.
        let line_start = own[..start].rfind('\n').map_or(0, |offset| offset + 1);
        let is_alone = own[line_start..start].trim().is_empty();
        let start = if is_alone { start } else { own[..start].trim_end_matches(' ').len() };
        let comment = if is_alone { comment.trim_start() } else { comment };
        return splice(text, entry.bytes.start + start..entry.bytes.start + end, comment);
    }
    let line_end = own.find('\n').unwrap_or(own.len());
    let offset = match &entry.form {
        EntryForm::Bullet
        | EntryForm::Session
        | EntryForm::LearningHeading
        | EntryForm::LearningBullet => own[..line_end].trim_end().len(),
        EntryForm::Row(_) => first_cell(&own[..line_end]).end,
    };
    let offset = entry.bytes.start + offset;
    splice(text, offset..offset, comment)
}

/// Returns the edited text if the entry is as expected, and every other one unchanged.
fn verify(
    text: &str,
    edited: String,
    entry: &MemoryEntry,
    is_expected: impl Fn(Option<&MemoryEntry>) -> bool,
) -> Result<String, EntryEditError> {
    let read = |text: &str| read_as(entry.format(), "", text).entries;
    let (before, after) = (read(text), read(&edited));
    let position = before.iter().position(|old| old.bytes == entry.bytes);
    let is_present = before.len() == after.len();
    let is_valid = position.is_some_and(|position| {
        let rest = position + usize::from(is_present);
        before[..position].iter().zip(&after).all(|(old, new)| is_same(old, new))
            && before.len() + usize::from(is_present) == after.len() + 1
            && before[position + 1..]
                .iter()
                .zip(after.iter().skip(rest))
                .all(|(old, new)| is_same(old, new))
            && is_expected(after.get(position).filter(|_| is_present))
    });
    if is_valid { Ok(edited) } else { Err(would_change_others(entry.line)) }
}

/// Returns the byte range of a row's first cell, without the spaces around it.
fn first_cell(line: &str) -> Range<usize> {
    let cell = table::cells(line).first().copied().unwrap_or_default();
    let start = cell.as_ptr() as usize - line.as_ptr() as usize;
    start..start + cell.len()
}

/// Returns the text with the section of a kind, creating it if it is missing, and the section.
fn with_section(text: &str, owner: MemoryOwner, kind: EntryKind) -> (String, EntrySection) {
    if let Some(section) = last_section(text, kind) {
        return (text.to_owned(), section);
    }
    let newline = detect_newline(text);
    let (title, description) = sections::heading(kind, owner);
    let lines = sections::split_lines(text);
    let log = sections::find_sections(&lines)
        .into_iter()
        .find(|section| section.kind == EntryKind::Session);
    let block = format!("## {title}{newline}{description}{newline}{newline}");
    let text = match log.filter(|_| kind != EntryKind::Session) {
        Some(log) => {
            let offset = lines[log.lines.start].bytes.start;
            splice(text, offset..offset, &format!("{block}{newline}"))
        }
        None => {
            let gap = newline.repeat(breaks_to_empty_line(text));
            format!("{text}{gap}{block}")
        }
    };
    let section = last_section(&text, kind).unwrap_or(EntrySection { kind, lines: 0..0, level: 2 });
    (text, section)
}

fn last_section(text: &str, kind: EntryKind) -> Option<EntrySection> {
    let lines = sections::split_lines(text);
    sections::find_sections(&lines).into_iter().rfind(|section| section.kind == kind)
}

fn add_bullet(
    text: &str,
    notebook: &MemoryEntries,
    lines: &[TextLine<'_>],
    section: &EntrySection,
    new: &NewEntry<'_>,
) -> String {
    let start = lines.get(section.lines.start).map_or(0, |line| line.bytes.start);
    let end = lines[..section.lines.end].last().map_or(text.len(), |line| line.bytes.end);
    let last = notebook.entries.iter().rfind(|entry| {
        entry.kind == new.kind
            && entry.form == EntryForm::Bullet
            && (start..end).contains(&entry.bytes.start)
    });
    match last {
        Some(last) => {
            let first_line = text[last.bytes.clone()].lines().next().unwrap_or_default();
            let marker = split_bullet(first_line)
                .map_or_else(|| "- ".into(), |(marker, _)| next_marker(marker));
            insert_after(text, last.bytes.end, &format!("{marker}{}", bullet::write(new)), false)
        }
        None => {
            let line = format!("- {}", bullet::write(new));
            let (offset, gap) = first_entry_offset(text, lines, section);
            insert_after(text, offset, &line, gap)
        }
    }
}

/// Returns the marker of the bullet after one with this marker: `- ` after `- `, `4. ` after `3. `.
fn next_marker(marker: &str) -> String {
    let (digits, _) = name::split_leading_digits(marker.trim_start());
    match digits.parse::<u64>() {
        Ok(number) => marker.replacen(digits, &(number + 1).to_string(), 1),
        Err(_) => marker.to_owned(),
    }
}

fn add_row(
    text: &str,
    lines: &[TextLine<'_>],
    section: &EntrySection,
    owner: MemoryOwner,
    new: &NewEntry<'_>,
) -> String {
    let newline = detect_newline(text);
    let range = section.lines.clone();
    let delimiter = range
        .clone()
        .rev()
        .find(|&index| table::is_delimiter(lines[index].text) && !lines[index].is_opaque);
    let header = delimiter
        .filter(|&index| index > range.start && table::is_row(lines[index - 1].text))
        .map(|index| (index - 1, index));
    let Some((header, delimiter)) = header else {
        let mut columns = table::default_columns(new.kind, owner);
        columns.extend(
            table::missing_fields(&columns, &new.fields)
                .into_iter()
                .map(|field| field.column().to_owned()),
        );
        let table = format!(
            "{}{}",
            table::write_header(&columns, newline),
            table::write_row(new, &columns)
        );
        return insert_after(text, end_of_last_text(lines, section), &table, true);
    };
    let last = (delimiter..range.end)
        .take_while(|&index| table::is_row(lines[index].text))
        .last()
        .unwrap_or(delimiter);
    let mut columns: Vec<String> =
        table::cells(lines[header].text).into_iter().map(table::cell_text).collect();
    let missing = table::missing_fields(&columns, &new.fields);
    columns.extend(missing.iter().map(|field| field.column().to_owned()));
    let row = table::write_row(new, &columns);
    let text_with_row = insert_after(text, lines[last].bytes.end, &row, false);
    add_columns(&text_with_row, &lines[header], &lines[delimiter], &missing)
}

/// Adds columns to the header of a table; markdown allows rows with fewer cells.
fn add_columns(
    text: &str,
    header: &TextLine<'_>,
    delimiter: &TextLine<'_>,
    fields: &[EntryField],
) -> String {
    if fields.is_empty() {
        return text.to_owned();
    }
    let titles: String = fields.iter().map(|field| format!(" {} |", field.column())).collect();
    let dashes: String = fields
        .iter()
        .map(|field| format!("{}|", "-".repeat(field.column().chars().count() + 2)))
        .collect();
    let end = |line: &TextLine<'_>| {
        let trimmed = line.text.trim_end();
        (line.bytes.start + trimmed.len(), if trimmed.ends_with('|') { "" } else { " |" })
    };
    let (delimiter_end, delimiter_bar) = end(delimiter);
    let (header_end, header_bar) = end(header);
    let text = splice(text, delimiter_end..delimiter_end, &format!("{delimiter_bar}{dashes}"));
    splice(&text, header_end..header_end, &format!("{header_bar}{titles}"))
}

fn resolve_bullet(text: &str, entry: &MemoryEntry, resolution: &str) -> String {
    let own = &text[entry.bytes.clone()];
    let line = own.lines().next().unwrap_or_default();
    let (marker, content) = split_bullet(line).unwrap_or(("", line));
    let content_start = entry.bytes.start + marker.len();
    let comments = comment::entry_mark_comments(content);
    let comment: String =
        comments.iter().map(|range| format!(" {}", &content[range.clone()])).collect();
    let bare = without_marks(content);
    let bare = ["[ ]", "[x]", "[X]"]
        .iter()
        .find_map(|checkbox| bare.strip_prefix(checkbox))
        .unwrap_or(&bare)
        .trim();
    let resolution = match resolution {
        "" => String::new(),
        resolution => format!(" — {}", encode(resolution)),
    };
    if own.trim_end().lines().count() > 1 {
        let checked = splice(
            text,
            content_start..content_start + content.len(),
            &format!("[x] {bare}{comment}"),
        );
        // The checkbox line may become shorter, so the end is found from behind.
        let bytes_after = text.len() - (entry.bytes.start + own.trim_end().len());
        let end = checked.len() - bytes_after;
        return splice(&checked, end..end, &resolution);
    }
    let new = format!("[x] ~~{bare}~~{resolution}{comment}");
    splice(text, content_start..content_start + content.len(), &new)
}

fn resolve_row(text: &str, entry: &MemoryEntry, columns: &[String], resolution: &str) -> String {
    let status = match resolution {
        "" => "resolved".to_owned(),
        resolution => format!("resolved: {resolution}"),
    };
    let own = &text[entry.bytes.clone()];
    let line = own.trim_end_matches(['\r', '\n']);
    let mut cells: Vec<String> = table::cells(line).into_iter().map(str::to_owned).collect();
    let mut text = text.to_owned();
    let column =
        columns.iter().position(|title| EntryField::from_column(title) == Some(EntryField::Status));
    let column = column.unwrap_or(columns.len());
    cells.resize(cells.len().max(column + 1), String::new());
    cells[column] = encode_cell(&status);
    let row = format!("| {} |", cells.join(" | "));
    text = splice(&text, entry.bytes.start..entry.bytes.start + line.len(), &row);
    if column < columns.len() {
        return text;
    }
    let lines = sections::split_lines(&text);
    let row = lines.iter().position(|line| line.bytes.start == entry.bytes.start).unwrap_or(0);
    match (0..row).rev().find(|&index| table::is_delimiter(lines[index].text)) {
        Some(delimiter) if delimiter > 0 => {
            add_columns(&text, &lines[delimiter - 1], &lines[delimiter], &[EntryField::Status])
        }
        _ => text.clone(),
    }
}

/// Returns the offset after the last line of a section that is not blank.
fn end_of_last_text(lines: &[TextLine<'_>], section: &EntrySection) -> usize {
    let section = &lines[section.lines.clone()];
    section.iter().rfind(|line| !line.text.trim().is_empty()).map_or(0, |line| line.bytes.end)
}

/// Returns the offset of the first entry of a section, and whether a blank line must be inserted before it. An existing
/// blank line is used if another one follows it or if it ends the text.
fn first_entry_offset(text: &str, lines: &[TextLine<'_>], section: &EntrySection) -> (usize, bool) {
    let text_end = end_of_last_text(lines, section);
    let blanks: Vec<&TextLine<'_>> =
        lines[section.lines.clone()].iter().filter(|line| line.bytes.start >= text_end).collect();
    match blanks.as_slice() {
        [first, _, ..] => (first.bytes.end, false),
        [first] if first.bytes.end == text.len() => (first.bytes.end, false),
        _ => (text_end, true),
    }
}

/// Inserts lines after the line that ends at `offset`. A text without a final line break stays without one.
fn insert_after(text: &str, offset: usize, lines: &str, gap: bool) -> String {
    let newline = detect_newline(text);
    let lines = lines.trim_end_matches(['\r', '\n']);
    let (head, tail) = text.split_at(offset);
    let line_break = if head.is_empty() || head.ends_with('\n') { "" } else { newline };
    let gap = if gap { newline } else { "" };
    let end = if line_break.is_empty() { newline } else { "" };
    let gap_after = if !gap.is_empty() && tail.starts_with(['#', '|']) { newline } else { "" };
    format!("{head}{line_break}{gap}{lines}{end}{gap_after}{tail}")
}

fn splice(text: &str, bytes: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..bytes.start], &text[bytes.end..])
}

/// Checks that exactly the new entry was added, and returns it.
fn verify_added(
    before: &MemoryEntries,
    after: MemoryEntries,
    new: &NewEntry<'_>,
) -> Result<MemoryEntry, EntryEditError> {
    let position = before
        .entries
        .iter()
        .zip(&after.entries)
        .take_while(|(old, new)| is_same(old, new))
        .count();
    let rest_is_same = before.entries.len() + 1 == after.entries.len()
        && before.entries[position..]
            .iter()
            .zip(&after.entries[position + 1..])
            .all(|(old, new)| is_same(old, new));
    let sorted = |fields: &super::EntryFields| {
        let mut fields: Vec<_> =
            fields.iter().map(|(field, value)| (*field, value.trim().to_owned())).collect();
        fields.retain(|(_, value)| !value.is_empty());
        fields.sort();
        fields
    };
    let entry = after.entries.into_iter().nth(position).filter(|entry| {
        rest_is_same
            && entry.kind == new.kind
            && entry.text == new.text.trim().replace("\r\n", "\n").replace('\r', "\n")
            && sorted(&entry.fields) == sorted(&new.fields)
    });
    let line = before.entries.get(position).map_or(1, |entry| entry.line);
    entry.ok_or_else(|| would_change_others(line))
}

fn is_same_except_status(a: &MemoryEntry, b: &MemoryEntry) -> bool {
    let without_status = |entry: &MemoryEntry| {
        let mut entry = entry.clone();
        entry.fields.shift_remove(&EntryField::Status);
        entry
    };
    is_same(&without_status(a), &without_status(b))
}

fn would_change_others(line: usize) -> EntryEditError {
    EntryEditError {
        line,
        message:
            "this section cannot be edited automatically without changing other entries; edit the file by hand"
                .into(),
    }
}
