//! Memory documents of agents and plans.

use std::ops::Range;

use heirloom_core::memory::{
    self, Counters, EntryField, EntryFields, EntryKind, EntryMatch, MemoryEntries, MemoryEntry,
    MemoryOwner, NewEntry,
};
use heirloom_core::{Document, Problem, day};

use super::{check_line, check_problem, check_range};
use crate::signature::{Signature, kind_of};

const PATH: &str = "m.md";
const ID: &str = "0198c0de-0000-7000-8000-00000000002a";
/// Lines that a new section adds: a heading, an opening sentence and two lines of a table header.
const MOST_NEW_LINES: usize = 4;

/// Parses a memory document, edits each entry, adds an entry of each kind for each owner and updates the counters: the
/// result parses to the new values and leaves all other entries and lines unchanged, or the edit is refused. The first
/// line of the input is the text of a new entry (`\n` is a line break), the second its resolution, the rest the document.
pub fn memory_edit(data: &[u8]) -> Signature {
    let mut parts = str::from_utf8(data).unwrap_or_default().splitn(3, '\n');
    let (Some(words), Some(said), Some(text)) = (parts.next(), parts.next(), parts.next()) else {
        return Signature::SKIPPED;
    };
    let words = words.replace("\\n", "\n");
    // A carriage return at the end of the text joins the line feed that an edit appends.
    let text = text.trim_end_matches('\r');
    let before = memory::read(PATH, text);
    check_notebook(text, &before);
    let edits: Vec<_> = before
        .entries
        .iter()
        .enumerate()
        .map(|(at, entry)| {
            check_removed(text, &before, at);
            check_marked(text, &before, at);
            (entry.kind, entry.resolved, check_resolved(text, &before, at, said))
        })
        .take(6)
        .collect();
    let added = [MemoryOwner::Agent, MemoryOwner::Plan].map(|owner| {
        EntryKind::ALL.map(|kind| {
            let new = NewEntry {
                kind,
                text: &words,
                fields: fields(kind, said),
                resolved: false,
                marks: [("id".to_owned(), ID.to_owned())]
                    .into_iter()
                    .take(data.len() % 2)
                    .collect(),
            };
            check_added(text, &before, owner, &new)
        })
    });
    check_session(text, &before, &words);
    Signature::of((edits, added, check_counters(text, said)))
}

fn fields(kind: EntryKind, said: &str) -> EntryFields {
    let fields = match kind {
        EntryKind::Decision => vec![EntryField::Choice, EntryField::Status],
        EntryKind::Finding => vec![EntryField::FoundBy, EntryField::Date],
        _ => vec![],
    };
    fields.into_iter().map(|field| (field, said.to_owned())).collect()
}

fn check_notebook(text: &str, notebook: &MemoryEntries) {
    let mut end = 0;
    for entry in &notebook.entries {
        check_range(text, &entry.bytes, &(end..text.len()));
        assert!(!entry.bytes.is_empty(), "an entry of no bytes");
        end = entry.bytes.end;
        check_line(text, entry.line);
        assert!(!entry.id.is_empty() || entry.has_stored_id(), "an entry without an id");
        let found = |typed: &str| match notebook.find(typed) {
            EntryMatch::One(one) => one == entry,
            EntryMatch::Several(several) => several.contains(&entry),
            EntryMatch::Nothing => false,
        };
        assert!(found(&entry.name()), "{} is not found by its name", entry.name());
    }
    notebook.problems.iter().for_each(|problem| check_problem(text, problem, PATH));
    assert_eq!(memory::read(PATH, text).entries, notebook.entries, "reading twice differs");
}

fn check_removed(text: &str, before: &MemoryEntries, at: usize) {
    let entry = &before.entries[at];
    let Ok(edited) = memory::remove(text, entry) else { return };
    assert_eq!(edited, without(text, &entry.bytes), "other bytes are gone too");
    let after = memory::read(PATH, &edited);
    check_others(before, at..at + 1, &after, at..at, &edited);
}

fn check_marked(text: &str, before: &MemoryEntries, at: usize) {
    let marks = [("id".to_owned(), ID.to_owned())].into_iter().collect();
    let Ok(edited) = memory::set_marks(text, &before.entries[at], &marks) else { return };
    let after = memory::read(PATH, &edited);
    check_others(before, at..at + 1, &after, at..at + 1, &edited);
    let (old, new) = (&before.entries[at], &after.entries[at]);
    assert_eq!(new.marks.get("id").map(String::as_str), Some(ID), "the id is missing: {edited:?}");
    assert_eq!(
        (&old.text, &old.fields, old.resolved, &old.resolution),
        (&new.text, &new.fields, new.resolved, &new.resolution),
        "a mark changed what is said: {edited:?}"
    );
    check_lines(&without(text, &old.bytes), &edited, &new.bytes, 0);
}

fn check_resolved(text: &str, before: &MemoryEntries, at: usize, how: &str) -> bool {
    let Ok(edited) = memory::resolve(text, &before.entries[at], how) else { return false };
    let after = memory::read(PATH, &edited);
    check_others(before, at..at + 1, &after, at..at + 1, &edited);
    let (old, new) = (&before.entries[at], &after.entries[at]);
    let how = Some(how.trim().to_owned()).filter(|how| !how.is_empty());
    assert_eq!(
        (new.resolved, &new.resolution, &new.text, &new.marks),
        (true, &how, &old.text, &old.marks),
        "it is not settled as meant: {edited:?}"
    );
    check_lines(&without(text, &old.bytes), &edited, &new.bytes, 0);
    true
}

fn check_added(text: &str, before: &MemoryEntries, owner: MemoryOwner, new: &NewEntry<'_>) -> bool {
    let Ok((edited, added)) = memory::add(text, owner, new) else { return false };
    let after = memory::read(PATH, &edited);
    let at = after.entries.iter().position(|entry| *entry == added);
    let Some(at) = at else { panic!("the new entry is not {}: {edited:?}", added.name()) };
    check_others(before, at..at, &after, at..at + 1, &edited);
    check_lines(text, &edited, &after.entries[at].bytes, MOST_NEW_LINES);
    true
}

fn check_session(text: &str, before: &MemoryEntries, note: &str) {
    let Some(today) = day::parse("2026-02-22") else { return };
    let edited = memory::add_session(text, MemoryOwner::Agent, 77, today, note, "0123456789ab");
    let after = memory::read(PATH, &edited);
    let at = after
        .entries
        .iter()
        .position(|entry| entry.kind == EntryKind::Session && entry.number == 77);
    // A document that ends in an open comment or code block has no place for an entry.
    if let Some(at) = at.filter(|_| before.entries.len() < after.entries.len()) {
        check_others(before, at..at, &after, at..at + 1, &edited);
    }
}

/// Checks that all entries but the excluded ones are equal.
fn check_others(
    before: &MemoryEntries,
    gone: Range<usize>,
    after: &MemoryEntries,
    came: Range<usize>,
    edited: &str,
) {
    assert_eq!(
        said(&before.entries, gone),
        said(&after.entries, came),
        "another entry changed: {edited:?}"
    );
}

/// Returns the content of all entries but the excluded ones.
fn said(entries: &[MemoryEntry], but: Range<usize>) -> Vec<String> {
    let kept = entries.iter().enumerate().filter(|(at, _)| !but.contains(at));
    kept.map(|(_, entry)| {
        let MemoryEntry { kind, text, fields, resolved, resolution, marks, .. } = entry;
        format!("{kind:?} {text:?} {fields:?} {resolved} {resolution:?} {marks:?}")
    })
    .collect()
}

fn without(text: &str, bytes: &Range<usize>) -> String {
    format!("{}{}", &text[..bytes.start], &text[bytes.end..])
}

/// Checks that every old line is present in order. New lines are those of the entry, blank lines, and the first lines of
/// a new section. The two lines of a table header may have become longer.
fn check_lines(before: &str, after: &str, own: &Range<usize>, most_new: usize) {
    let mut old = before.split_inclusive('\n').peekable();
    let (mut at, mut new, mut widened) = (0, 0, 0);
    for line in after.split_inclusive('\n') {
        let is_own = own.contains(&at);
        at += line.len();
        if is_own {
            continue;
        }
        let is_row = line.trim_start().starts_with('|');
        let grown = |old: &&str| is_row && widened < 2 && line.starts_with(old.trim_end());
        // The last line gets a line break if something is appended.
        let equal = |old: &&str| {
            *old == line || (!old.ends_with('\n') && line.trim_end_matches(['\r', '\n']) == *old)
        };
        if old.next_if(equal).is_some() {
            continue;
        }
        if old.next_if(grown).is_some() {
            widened += 1;
        } else {
            new += usize::from(!line.trim().is_empty());
        }
    }
    assert_eq!(old.next(), None, "a line is gone: {after:?}");
    assert!(new <= most_new, "{new} lines are new: {after:?}");
}

/// Updates the counters in the front matter; returns whether that was possible.
fn check_counters(text: &str, contributor: &str) -> Result<bool, String> {
    let breaks = |text: &str| text.matches('\n').count();
    let readable = memory::merge_repeated_counters(text);
    assert_eq!(breaks(&readable), breaks(text), "there are more or fewer lines: {readable:?}");
    let as_written = Document::parse(PATH, text);
    let as_read = Document::parse(PATH, &readable);
    if is_sound(&as_written) {
        assert_eq!(as_written.fields, as_read.fields, "it was readable before: {readable:?}");
    }
    let counters = Counters {
        updated: day::parse("2026-02-22"),
        sessions: Some(7),
        contributor: Some(contributor).filter(|name| !name.is_empty()),
        agents: &["000-a".to_owned()],
    };
    let edited = counters.set(PATH, text).map_err(|problem| kind_of(&problem.message))?;
    if is_sound(&as_read) {
        let after = Document::parse(PATH, &edited);
        let messages = |document: &Document| -> Vec<String> {
            document.problems.iter().map(|problem| problem.message.clone()).collect()
        };
        assert_eq!(messages(&as_read), messages(&after), "it has new problems: {edited:?}");
        let gap = after.prose.strip_suffix(&as_read.prose);
        assert!(gap.is_some_and(|gap| gap.trim().is_empty()), "the body changed: {edited:?}");
    }
    Ok(is_sound(&as_written))
}

/// Returns whether the front matter can be parsed.
fn is_sound(document: &Document) -> bool {
    let unread = ["front matter", "conflict marker"];
    let is_unread = |problem: &Problem| unread.iter().any(|what| problem.message.contains(what));
    !document.problems.iter().any(is_unread)
}
