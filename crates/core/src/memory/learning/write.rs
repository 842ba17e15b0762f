//! Adds entries to a file of decisions or lessons, and marks to an entry, without changing other bytes.

use jiff::civil::Date;

use super::metadata::{self, Metadata};
use super::read::unclosed_code;
use super::{body, read};
use crate::document::conflict_marker;
use crate::lines::{breaks_to_empty_line, detect_newline};
use crate::memory::edit_check::{EntryEditError, is_same};
use crate::memory::ids::derived_id;
use crate::memory::sections::{self, TextLine};
use crate::memory::{EntryKind, MemoryEntry, comment, escape};
use crate::words::{normalise, short_hash};

/// A decision or a lesson to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLearning<'e> {
    /// Its title, one line.
    pub title: &'e str,
    /// Its text, in markdown.
    pub text: &'e str,
    /// The day on which it was decided or learnt.
    pub date: Date,
    /// Its category.
    pub category: Option<&'e str>,
    /// Its tags.
    pub tags: &'e [String],
    /// The id of the entry that it was promoted from.
    pub from: Option<&'e str>,
}

/// Adds an entry at the end of a file, with its id. Returns the new text and the entry.
///
/// The comment with the id also keeps merges correct: a union merge of two branches that each add an entry takes over
/// equal lines once if there are more than three in a row, and lines with different ids are not equal.
pub fn append(
    text: &str,
    kind: EntryKind,
    new: &NewLearning<'_>,
) -> Result<(String, MemoryEntry), EntryEditError> {
    let unreadable =
        conflict_marker("", text).or_else(|| unclosed_code("", &sections::split_lines(text)));
    if let Some(problem) = unreadable {
        return Err(EntryEditError { line: problem.line, message: problem.message });
    }
    let before = read("", kind, text);
    let newline = detect_newline(text);
    let title = one_line(new.title);
    let body = body::normalise(new.text);
    let identity = normalise(&format!("{title}\n{body}"));
    let equal = before.entries.iter().filter(|entry| entry.identity() == identity).count();
    let id = match new.from {
        Some(from) => promoted_id(from, &title),
        None => derived_id(kind, &identity, equal + 1),
    };
    let block = write_entry(new, &title, &id, newline);
    let gap = newline.repeat(breaks_to_empty_line(text));
    let after = format!("{text}{gap}{block}");
    let refused = |message: &str| EntryEditError {
        line: 1 + text.matches('\n').count(),
        message: message.to_owned(),
    };
    if body.lines().any(body::is_conflict_marker) {
        return Err(refused("a line of the new text is a conflict marker of git"));
    }
    let mut entries = read("", kind, &after).entries;
    let added = entries.pop();
    let has_undated = before.entries.iter().any(|entry| entry.date().is_none());
    if has_undated && !is_same_list(&entries, &before.entries) {
        return Err(refused(
            "the entries without a date would not be read as entries beside one with a date; write dates before them: [2026-02-08]",
        ));
    }
    let inherited = added.as_ref().and_then(|added| added.category.as_ref());
    if let Some(category) = inherited.filter(|_| new.category.is_none()) {
        let category = category.escape_default();
        return Err(refused(&format!(
            "the heading above the new entry would give it the category `{category}`; state a category, or add the entry elsewhere"
        )));
    }
    let added = added.filter(|added| {
        is_same_list(&entries, &before.entries)
            && added.title.as_deref() == Some(title.as_str())
            && added.text == body
            && added.date() == Some(new.date)
            && added.category.as_deref() == new.category
            && added.tags == new.tags
            && added.id == id
    });
    let added = added.ok_or_else(|| {
        refused("an entry cannot be added here without changing how the others are read; edit the file by hand")
    })?;
    Ok((after, added))
}

/// Derives the id of a copy from that of the original, so that two branches that promote one entry have one copy.
fn promoted_id(from: &str, title: &str) -> String {
    short_hash(&format!("promoted\n{from}\n{title}"))
}

fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes an entry in the format of the module.
fn write_entry(new: &NewLearning<'_>, title: &str, id: &str, newline: &str) -> String {
    let mut lines = vec![format!("### [{}] {}", new.date, write_title(title)), String::new()];
    lines.extend(new.category.map(|category| format!("**Category:** {category}")));
    if !new.tags.is_empty() {
        lines.push(format!("**Tags:** {}", new.tags.join(", ")));
    }
    let from = new.from.map(|from| format!(" from:{from}")).unwrap_or_default();
    lines.push(format!("<!-- id:{id}{from} -->"));
    lines.push(String::new());
    let body = body::encode(new.text, newline);
    if !body.is_empty() {
        lines.extend([body, String::new()]);
    }
    lines.extend(["---".to_owned(), String::new()]);
    lines.join(newline)
}

/// Escapes a title. A `#` at its end would close the heading.
fn write_title(title: &str) -> String {
    let title = escape::encode(title);
    let open = title.trim_end_matches('#');
    match open.len() < title.len() && (open.is_empty() || open.ends_with(' ')) {
        true => format!("{open}{}", "&#35;".repeat(title.len() - open.len())),
        false => title,
    }
}

/// Returns a text in which an entry below a heading has a comment: in place of its present one, or as a line of its own
/// after the category and the tags. So the line of the heading keeps its date in git.
pub(in crate::memory) fn write_marks(text: &str, entry: &MemoryEntry, comment: &str) -> String {
    let comment = comment.trim();
    let newline = detect_newline(text);
    let lines = sections::split_lines(text);
    let first = lines.iter().position(|line| line.bytes.start == entry.bytes.start).unwrap_or(0);
    let own = lines[first..].iter().take_while(|line| line.bytes.end <= entry.bytes.end);
    let own: Vec<&TextLine<'_>> = own.collect();
    let mut after = own.first().copied();
    for line in own.iter().filter(|line| !line.is_opaque) {
        if let Some(range) = comment::main_comment(line.text) {
            let start = line.bytes.start;
            let mut marked = text.to_owned();
            marked.replace_range(start + range.start..start + range.end, comment);
            return marked;
        }
    }
    for line in own.iter().skip(1) {
        let stated = metadata::parse(line.text).filter(|_| !line.is_opaque);
        match stated {
            Some(Metadata::Category(_) | Metadata::Tags(_) | Metadata::Date(_)) => {
                after = Some(line);
            }
            None if line.text.trim().is_empty() => {}
            None => break,
        }
    }
    let end = after.map_or(text.len(), |line| line.bytes.end);
    let line = match text[..end].ends_with('\n') {
        true => format!("{comment}{newline}"),
        false => format!("{newline}{comment}"),
    };
    let mut marked = text.to_owned();
    marked.insert_str(end, &line);
    marked
}

fn is_same_list(a: &[MemoryEntry], b: &[MemoryEntry]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
}
