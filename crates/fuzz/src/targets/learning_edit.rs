//! Files of decisions and lessons.

use heirloom_core::memory::learning::{self, NewLearning};
use heirloom_core::memory::{self, EntryKind, MemoryEntries};
use jiff::civil::date;

use super::{check_line, check_problem, check_range};
use crate::signature::Signature;

const PATH: &str = "decisions.md";

/// The comment that an edit adds to an entry without one.
const ID: &str = "0a1b2c3d4e5f";

/// Parses a file of decisions, marks and removes each entry, and adds one: the result parses to the new entries and
/// leaves all other bytes unchanged, or the edit is refused. The first line of the input is the text of the new entry
/// (`\n` is a line break), the rest the file.
pub fn learning_edit(data: &[u8]) -> Signature {
    let Ok(input) = str::from_utf8(data) else { return Signature::SKIPPED };
    let Some((words, text)) = input.split_once('\n') else { return Signature::SKIPPED };
    let before = read(text);
    check_entries(text, &before);
    let mut edits = Vec::new();
    for (at, entry) in before.entries.iter().enumerate() {
        if let Ok(rest) = memory::remove(text, entry) {
            let expected = [&text[..entry.bytes.start], &text[entry.bytes.end..]].concat();
            assert_eq!(rest, expected, "other bytes are gone too");
        }
        let marks = [("id".to_owned(), ID.to_owned())].into_iter().collect();
        let marked = memory::set_marks(text, entry, &marks);
        if let Ok(marked) = &marked {
            let after = read(marked);
            assert_eq!(after.entries[at].id, ID, "the entry has another id");
            assert_eq!(after.entries[at].full_text(), entry.full_text(), "its text changed");
            assert_eq!(after.entries.len(), before.entries.len(), "another entry is gone");
        }
        edits.push((entry.kind, marked.is_ok()));
    }
    edits.truncate(6);
    let words = words.replace("\\n", "\n");
    let (category, tags) = (Some("tooling"), ["a b".to_owned(), "c".to_owned()]);
    let date = date(2026, 2, 8);
    let new =
        NewLearning { title: "A title", text: &words, date, category, tags: &tags, from: None };
    let added = learning::append(text, EntryKind::Decision, &new);
    if let Ok((after, _)) = &added {
        assert!(after.starts_with(text), "the text before the new entry changed");
        assert_eq!(read(after).entries.len(), before.entries.len() + 1, "another entry changed");
    }
    Signature::of((edits, before.problems.len().min(3), added.is_ok()))
}

fn read(text: &str) -> MemoryEntries {
    learning::read(PATH, EntryKind::Decision, text)
}

fn check_entries(text: &str, content: &MemoryEntries) {
    let mut end = 0;
    for entry in &content.entries {
        check_range(text, &entry.bytes, &(end..text.len()));
        assert!(!entry.bytes.is_empty(), "an entry of no bytes");
        end = entry.bytes.end;
        check_line(text, entry.line);
        check_line(text, entry.last_line);
        assert!(entry.line <= entry.last_line, "an entry ends before it begins");
    }
    content.problems.iter().for_each(|problem| check_problem(text, problem, PATH));
    assert_eq!(read(text).entries, content.entries, "reading twice differs");
}
