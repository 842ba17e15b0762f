//! Edits of one entry that leave every other byte as it was.
//!
//! After each edit the document is read again: the entry must be as it was meant, and every other
//! one as it was. What cannot be done so is refused, never approximated.

use std::ops::Range;

use indexmap::IndexMap;
use jiff::civil::Date;

use super::escape::{encode, encode_cell};
use super::sections::{self, Row, Section, heading_of};
use super::{
    Entry, EntryKind, Field, Form, NewEntry, Notebook, Owner, form, read, rows, without_marks,
};
use crate::lines::newline_of;

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub message: String,
}

/// Adds an entry to its section, which is made if it is not there. Returns the text and the entry.
pub fn add(text: &str, owner: Owner, new: &NewEntry<'_>) -> Result<(String, Entry), Refusal> {
    let (whole, section) = with_section(text, owner, new.kind);
    let before = read("", &whole);
    let rows = sections::rows(&whole);
    let after = match new.kind {
        EntryKind::Decision => add_row(&whole, &rows, &section, owner, new),
        _ => add_bullet(&whole, &before, &rows, &section, new),
    };
    let entry = added(&before, read("", &after), new)?;
    Ok((after, entry))
}

/// Adds the note of a session at the head of the log.
/// Its id is written beside it, so that the sessions of two branches stay two.
pub fn add_session(
    text: &str,
    owner: Owner,
    number: usize,
    day: Date,
    note: &str,
    id: &str,
) -> String {
    let newline = newline_of(text);
    let (whole, section) = with_section(text, owner, EntryKind::Session);
    let rows = sections::rows(&whole);
    let body = section.rows.start + 1..section.rows.end;
    let first = body.clone().find(|&at| heading_of(&rows[at]).is_some());
    let level = "#".repeat(section.level + 1);
    let points: Vec<&str> = note
        .lines()
        .map(|line| line.trim().trim_start_matches("- ").trim())
        .filter(|line| !line.is_empty())
        .collect();
    // Both lines bear the id: a merge takes lines that two branches share for one.
    let block = format!(
        "{level} Session {number} — {day} <!-- id:{id} -->{newline}- {} <!-- session:{id} -->{newline}",
        encode(&points.join("\n"))
    );
    match first {
        Some(at) => {
            splice(&whole, rows[at].bytes.start..rows[at].bytes.start, &format!("{block}{newline}"))
        }
        None => {
            let (at, gap) = first_place(&whole, &rows, &section);
            insert_after(&whole, at, &block, gap)
        }
    }
}

/// Settles a blocker or a question.
pub fn resolve(text: &str, entry: &Entry, how: &str) -> Result<String, Refusal> {
    let how = how.trim();
    let edited = match &entry.form {
        Form::Bullet => resolve_bullet(text, entry, how),
        Form::Row(columns) => resolve_row(text, entry, columns, how),
        Form::Session => {
            return Err(Refusal { line: entry.line, message: "a session is not settled".into() });
        }
    };
    let settled = Entry {
        resolved: true,
        resolution: (!how.is_empty()).then(|| how.to_owned()),
        ..entry.clone()
    };
    verified(text, edited, entry, |now| now.is_some_and(|now| same_but_status(&settled, now)))
}

/// Takes an entry out.
pub fn remove(text: &str, entry: &Entry) -> Result<String, Refusal> {
    verified(text, splice(text, entry.bytes.clone(), ""), entry, |now| now.is_none())
}

/// Writes what an entry's comment says beside it, keeping what it said of other things.
pub fn mark(
    text: &str,
    entry: &Entry,
    marks: &IndexMap<String, String>,
) -> Result<String, Refusal> {
    let mut all = entry.marks.clone();
    all.extend(marks.iter().map(|(key, value)| (key.clone(), value.clone())));
    all.sort_by(|a, _, b, _| (a != "id").cmp(&(b != "id")));
    let edited = write_marks(text, entry, &form::write_comment(&all));
    let marked = Entry { marks: all, ..entry.clone() };
    verified(text, edited, entry, |now| now.is_some_and(|now| same(&marked, now)))
}

/// Puts a comment into an entry, in the place of the one that it has.
fn write_marks(text: &str, entry: &Entry, comment: &str) -> String {
    let own = &text[entry.bytes.clone()];
    if let Some((start, end)) = form::comment(own) {
        // The spaces before a comment on a line of its own make the line part of the entry.
        let line = own[..start].rfind('\n').map_or(0, |at| at + 1);
        let alone = own[line..start].trim().is_empty();
        let start = if alone { start } else { own[..start].trim_end_matches(' ').len() };
        let comment = if alone { comment.trim_start() } else { comment };
        return splice(text, entry.bytes.start + start..entry.bytes.start + end, comment);
    }
    let line_end = own.find('\n').unwrap_or(own.len());
    let at = match &entry.form {
        Form::Bullet | Form::Session => own[..line_end].trim_end().len(),
        Form::Row(_) => first_cell(&own[..line_end]).end,
    };
    let at = entry.bytes.start + at;
    splice(text, at..at, comment)
}

/// Returns an edited text if the entry that was meant is now as it should be, and every other one as
/// it was.
fn verified(
    text: &str,
    edited: String,
    entry: &Entry,
    as_meant: impl Fn(Option<&Entry>) -> bool,
) -> Result<String, Refusal> {
    let (before, after) = (read("", text).entries, read("", &edited).entries);
    let own = before.iter().position(|old| old.bytes == entry.bytes);
    let is_there = before.len() == after.len();
    let others_stay = own.is_some_and(|own| {
        let rest = own + usize::from(is_there);
        before[..own].iter().zip(&after).all(|(old, new)| same(old, new))
            && before.len() + usize::from(is_there) == after.len() + 1
            && before[own + 1..]
                .iter()
                .zip(after.iter().skip(rest))
                .all(|(old, new)| same(old, new))
            && as_meant(after.get(own).filter(|_| is_there))
    });
    if others_stay { Ok(edited) } else { Err(would_touch_others(entry.line)) }
}

/// The bytes of a row's first cell, without the spaces around it.
fn first_cell(line: &str) -> Range<usize> {
    let cell = rows::cells(line).first().copied().unwrap_or_default();
    let start = cell.as_ptr() as usize - line.as_ptr() as usize;
    start..start + cell.len()
}

/// Returns the text with the section of a kind in it, and the section.
fn with_section(text: &str, owner: Owner, kind: EntryKind) -> (String, Section) {
    if let Some(section) = last_section(text, kind) {
        return (text.to_owned(), section);
    }
    let newline = newline_of(text);
    let (title, about) = sections::heading(kind, owner);
    let rows = sections::rows(text);
    let log =
        sections::sections(&rows).into_iter().find(|section| section.kind == EntryKind::Session);
    let block = format!("## {title}{newline}{about}{newline}{newline}");
    let whole = match log.filter(|_| kind != EntryKind::Session) {
        Some(log) => {
            let at = rows[log.rows.start].bytes.start;
            splice(text, at..at, &format!("{block}{newline}"))
        }
        None => {
            let gap = match text {
                "" => String::new(),
                text if text.ends_with("\n\n") || text.ends_with("\n\r\n") => String::new(),
                text if text.ends_with('\n') => newline.to_owned(),
                _ => newline.repeat(2),
            };
            format!("{text}{gap}{block}")
        }
    };
    let section = last_section(&whole, kind).unwrap_or(Section { kind, rows: 0..0, level: 2 });
    (whole, section)
}

fn last_section(text: &str, kind: EntryKind) -> Option<Section> {
    let rows = sections::rows(text);
    sections::sections(&rows).into_iter().rfind(|section| section.kind == kind)
}

fn add_bullet(
    text: &str,
    notebook: &Notebook,
    rows: &[Row<'_>],
    section: &Section,
    new: &NewEntry<'_>,
) -> String {
    let start = rows.get(section.rows.start).map_or(0, |row| row.bytes.start);
    let end = rows[..section.rows.end].last().map_or(text.len(), |row| row.bytes.end);
    let last = notebook.entries.iter().rfind(|entry| {
        entry.kind == new.kind
            && entry.form == Form::Bullet
            && (start..end).contains(&entry.bytes.start)
    });
    match last {
        Some(last) => {
            let first_line = text[last.bytes.clone()].lines().next().unwrap_or_default();
            let marker =
                form::bullet(first_line).map_or_else(|| "- ".into(), |(m, _)| next_marker(m));
            insert_after(text, last.bytes.end, &format!("{marker}{}", form::write(new)), false)
        }
        None => {
            let line = format!("- {}", form::write(new));
            let (at, gap) = first_place(text, rows, section);
            insert_after(text, at, &line, gap)
        }
    }
}

/// The marker of the bullet after one with this marker: `- ` again, `4. ` after `3. `.
fn next_marker(marker: &str) -> String {
    let trimmed = marker.trim_start();
    let digits: String = trimmed.chars().take_while(char::is_ascii_digit).collect();
    match digits.parse::<u64>() {
        Ok(number) => marker.replacen(&digits, &(number + 1).to_string(), 1),
        Err(_) => marker.to_owned(),
    }
}

fn add_row(
    text: &str,
    rows: &[Row<'_>],
    section: &Section,
    owner: Owner,
    new: &NewEntry<'_>,
) -> String {
    let newline = newline_of(text);
    let span = section.rows.clone();
    let delimiter =
        span.clone().rev().find(|&at| rows::is_delimiter(rows[at].text) && !rows[at].is_opaque);
    let head = delimiter
        .filter(|&at| at > span.start && rows::is_row(rows[at - 1].text))
        .map(|at| (at - 1, at));
    let Some((head, delimiter)) = head else {
        let mut columns = rows::columns(new.kind, owner);
        columns.extend(
            rows::missing(&columns, &new.fields).into_iter().map(|f| f.column().to_owned()),
        );
        let table =
            format!("{}{}", rows::write_head(&columns, newline), rows::write(new, &columns));
        return insert_after(text, last_written(rows, section), &table, true);
    };
    let last = (delimiter..span.end)
        .take_while(|&at| rows::is_row(rows[at].text))
        .last()
        .unwrap_or(delimiter);
    let mut columns: Vec<String> =
        rows::cells(rows[head].text).into_iter().map(rows::value).collect();
    let missing = rows::missing(&columns, &new.fields);
    columns.extend(missing.iter().map(|field| field.column().to_owned()));
    let row = rows::write(new, &columns);
    let text_with_row = insert_after(text, rows[last].bytes.end, &row, false);
    widen(&text_with_row, &rows[head], &rows[delimiter], &missing)
}

/// Adds columns to the head of a table; rows may be shorter than it.
fn widen(text: &str, head: &Row<'_>, delimiter: &Row<'_>, fields: &[Field]) -> String {
    if fields.is_empty() {
        return text.to_owned();
    }
    let titles: String = fields.iter().map(|field| format!(" {} |", field.column())).collect();
    let dashes: String = fields
        .iter()
        .map(|field| format!("{}|", "-".repeat(field.column().chars().count() + 2)))
        .collect();
    let end = |row: &Row<'_>| {
        let written = row.text.trim_end();
        (row.bytes.start + written.len(), if written.ends_with('|') { "" } else { " |" })
    };
    let (delimiter_end, delimiter_bar) = end(delimiter);
    let (head_end, head_bar) = end(head);
    let text = splice(text, delimiter_end..delimiter_end, &format!("{delimiter_bar}{dashes}"));
    splice(&text, head_end..head_end, &format!("{head_bar}{titles}"))
}

fn resolve_bullet(text: &str, entry: &Entry, how: &str) -> String {
    let own = &text[entry.bytes.clone()];
    let line = own.lines().next().unwrap_or_default();
    let (marker, content) = form::bullet(line).unwrap_or(("", line));
    let content_start = entry.bytes.start + marker.len();
    let comments = form::mark_comments(content);
    let comment: String =
        comments.iter().map(|range| format!(" {}", &content[range.clone()])).collect();
    let bare = without_marks(content);
    let bare = ["[ ]", "[x]", "[X]"]
        .iter()
        .find_map(|mark| bare.strip_prefix(mark))
        .unwrap_or(&bare)
        .trim();
    let how = if how.is_empty() { String::new() } else { format!(" — {}", encode(how)) };
    if own.trim_end().lines().count() > 1 {
        let boxed = splice(
            text,
            content_start..content_start + content.len(),
            &format!("[x] {bare}{comment}"),
        );
        let grown = boxed.len() - text.len();
        let end = entry.bytes.start + own.trim_end().len() + grown;
        return splice(&boxed, end..end, &how);
    }
    let new = format!("[x] ~~{bare}~~{how}{comment}");
    splice(text, content_start..content_start + content.len(), &new)
}

fn resolve_row(text: &str, entry: &Entry, columns: &[String], how: &str) -> String {
    let status = if how.is_empty() { "resolved".to_owned() } else { format!("resolved: {how}") };
    let own = &text[entry.bytes.clone()];
    let line = own.trim_end_matches(['\r', '\n']);
    let mut cells: Vec<String> = rows::cells(line).into_iter().map(str::to_owned).collect();
    let mut text = text.to_owned();
    let at = columns.iter().position(|title| Field::from_column(title) == Some(Field::Status));
    let at = at.unwrap_or(columns.len());
    cells.resize(cells.len().max(at + 1), String::new());
    cells[at] = encode_cell(&status);
    let row = format!("| {} |", cells.join(" | "));
    text = splice(&text, entry.bytes.start..entry.bytes.start + line.len(), &row);
    if at < columns.len() {
        return text;
    }
    let rows = sections::rows(&text);
    let own = rows.iter().position(|row| row.bytes.start == entry.bytes.start).unwrap_or(0);
    match (0..own).rev().find(|&at| rows::is_delimiter(rows[at].text)) {
        Some(delimiter) if delimiter > 0 => {
            widen(&text, &rows[delimiter - 1], &rows[delimiter], &[Field::Status])
        }
        _ => text.clone(),
    }
}

/// Where the last line of a section that says anything ends.
fn last_written(rows: &[Row<'_>], section: &Section) -> usize {
    let span = &rows[section.rows.clone()];
    span.iter().rfind(|row| !row.text.trim().is_empty()).map_or(0, |row| row.bytes.end)
}

/// Where the first entry of a section goes, and whether a blank line must be put before it: behind
/// the blank line that is there already, if another one follows it or the text ends with it.
fn first_place(text: &str, rows: &[Row<'_>], section: &Section) -> (usize, bool) {
    let written = last_written(rows, section);
    let blanks: Vec<&Row<'_>> =
        rows[section.rows.clone()].iter().filter(|row| row.bytes.start >= written).collect();
    match blanks.as_slice() {
        [first, _, ..] => (first.bytes.end, false),
        [first] if first.bytes.end == text.len() => (first.bytes.end, false),
        _ => (written, true),
    }
}

/// Inserts lines behind a line that ends at `at`; a missing line break at the end of the text stays
/// missing.
fn insert_after(text: &str, at: usize, lines: &str, gap: bool) -> String {
    let newline = newline_of(text);
    let lines = lines.trim_end_matches(['\r', '\n']);
    let (head, tail) = text.split_at(at);
    let joint = if head.is_empty() || head.ends_with('\n') { "" } else { newline };
    let gap = if gap { newline } else { "" };
    let end = if joint.is_empty() { newline } else { "" };
    let parted = if !gap.is_empty() && tail.starts_with(['#', '|']) { newline } else { "" };
    format!("{head}{joint}{gap}{lines}{end}{parted}{tail}")
}

fn splice(text: &str, bytes: Range<usize>, new: &str) -> String {
    format!("{}{new}{}", &text[..bytes.start], &text[bytes.end..])
}

/// Checks that exactly the meant entry came to be, and returns it.
fn added(before: &Notebook, after: Notebook, new: &NewEntry<'_>) -> Result<Entry, Refusal> {
    let at =
        before.entries.iter().zip(&after.entries).take_while(|(old, now)| same(old, now)).count();
    let rest_is_same = before.entries.len() + 1 == after.entries.len()
        && before.entries[at..]
            .iter()
            .zip(&after.entries[at + 1..])
            .all(|(old, now)| same(old, now));
    let fields = |fields: &super::Fields| {
        let mut fields: Vec<_> = fields.iter().map(|(f, v)| (*f, v.trim().to_owned())).collect();
        fields.retain(|(_, value)| !value.is_empty());
        fields.sort();
        fields
    };
    let written = after.entries.into_iter().nth(at).filter(|entry| {
        rest_is_same
            && entry.kind == new.kind
            && entry.text == new.text.trim().replace("\r\n", "\n").replace('\r', "\n")
            && fields(&entry.fields) == fields(&new.fields)
    });
    let line = before.entries.get(at).map_or(1, |entry| entry.line);
    written.ok_or_else(|| would_touch_others(line))
}

fn same(a: &Entry, b: &Entry) -> bool {
    let form = |entry: &Entry| std::mem::discriminant(&entry.form);
    form(a) == form(b) && says_the_same(a, b)
}

fn says_the_same(a: &Entry, b: &Entry) -> bool {
    (a.kind, &a.text, &a.fields, a.resolved, &a.resolution, &a.marks)
        == (b.kind, &b.text, &b.fields, b.resolved, &b.resolution, &b.marks)
}

fn same_but_status(a: &Entry, b: &Entry) -> bool {
    let without = |entry: &Entry| {
        let mut entry = entry.clone();
        entry.fields.shift_remove(&Field::Status);
        entry
    };
    same(&without(a), &without(b))
}

fn would_touch_others(line: usize) -> Refusal {
    Refusal {
        line,
        message:
            "this section is written in a way that cannot be edited without touching other entries"
                .into(),
    }
}
