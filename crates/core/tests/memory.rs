//! Tests of memory documents: reading all forms of entries, and edits that change only their entry.

use heirloom_core::memory::{
    self, Counters, EntryField, EntryFields, EntryKind, EntryMatch, MemoryOwner, NewEntry, add,
    add_session, read, remove, resolve, set_marks,
};
use indexmap::IndexMap;
use jiff::civil::date;
use proptest::prelude::*;

const AGENT: &str = "\
---
agent: 000-entity-schema
sessions: 3
---

# Agent Memory: Entity Schema & Storage

## Findings
Things discovered while working on this task:

- SQLite-vec requires specific build flags on M1 Macs
- FTS5 tokenizer affects search quality significantly
  when code is searched
- Entity IDs should be content-addressable <!-- id:abc123def456 -->

## Decisions
Choices made during implementation:

| Decision | Choice | Rationale | Date |
|----------|--------|-----------|------|
| Primary key | content hash | Enables dedup | 2026-02-01 |
| Pipes \\| bars | a \\| b |

## Blockers
Current or resolved blockers:

- [x] ~~sqlite-vec build issues~~ — Resolved with vcpkg
- [ ] FTS5 custom tokenizer for code — Needs research

```
- not an entry
```

## Notes of a person
- not an entry either

## Session Log
Brief notes from each work session:

### Session 3 — 2026-02-02
- Completed entity schema
- Need to handle circular refs

### Session 2 — 2026-02-01
- Researched sqlite-vec options
";

fn new_entry(kind: EntryKind, text: &str) -> NewEntry<'_> {
    NewEntry { kind, text, fields: EntryFields::new(), resolved: false, marks: IndexMap::new() }
}

fn with_fields<'e>(mut entry: NewEntry<'e>, fields: &[(EntryField, &str)]) -> NewEntry<'e> {
    entry.fields = fields.iter().map(|(field, value)| (*field, (*value).to_owned())).collect();
    entry
}

/// Returns the added and the removed lines.
fn diff(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let missing = |a: &str, b: &str| {
        let mut unmatched: Vec<&str> = b.split('\n').collect();
        let mut missing = Vec::new();
        for line in a.split('\n') {
            match unmatched.iter().position(|other| *other == line) {
                Some(index) => drop(unmatched.remove(index)),
                None => missing.push(line.to_owned()),
            }
        }
        missing
    };
    (missing(after, before), missing(before, after))
}

#[test]
fn every_form_of_entry_is_read() {
    let notebook = read("m.md", AGENT);
    assert_eq!(notebook.problems, []);
    let texts =
        |kind| notebook.entries_of(kind).map(|entry| entry.text.as_str()).collect::<Vec<_>>();
    assert_eq!(
        texts(EntryKind::Finding),
        [
            "SQLite-vec requires specific build flags on M1 Macs",
            "FTS5 tokenizer affects search quality significantly when code is searched",
            "Entity IDs should be content-addressable",
        ]
    );
    assert_eq!(texts(EntryKind::Decision), ["Primary key", "Pipes | bars"]);
    assert_eq!(
        texts(EntryKind::Blocker),
        ["sqlite-vec build issues", "FTS5 custom tokenizer for code — Needs research"]
    );
    let decision = notebook.entries_of(EntryKind::Decision).next().unwrap();
    assert_eq!(decision.field(EntryField::Rationale), Some("Enables dedup"));
    let blocker = notebook.entries_of(EntryKind::Blocker).next().unwrap();
    assert_eq!(
        (blocker.resolved, blocker.resolution.as_deref()),
        (true, Some("Resolved with vcpkg"))
    );
    let sessions: Vec<_> = notebook
        .entries_of(EntryKind::Session)
        .map(heirloom_core::memory::MemoryEntry::name)
        .collect();
    assert_eq!(sessions, ["session-3", "session-2"]);
    let marked = notebook.entries.iter().find(|entry| entry.has_stored_id()).unwrap();
    assert_eq!((marked.id.as_str(), marked.line), ("abc123def456", 14));
}

#[test]
fn an_empty_id_is_none() {
    let text = "## Findings\n\n- a <!-- id: -->\n- b <!-- id: added:2026-02-20 -->\n";
    let entries = memory::read("a.memory.md", text).entries;
    assert_eq!(entries.len(), 2);
    for entry in &entries {
        assert!(!entry.has_stored_id() && !entry.id.is_empty(), "{entry:?}");
    }
    assert_ne!(entries[0].id, entries[1].id);
    assert_eq!(entries[1].date(), Some(date(2026, 2, 20)));
}

#[test]
fn names_and_ids_both_find_an_entry() {
    let notebook = read("m.md", AGENT);
    let id = match notebook.find("finding-2") {
        EntryMatch::One(entry) => entry.id.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(notebook.find(&id), EntryMatch::One(entry) if entry.number == 2));
    assert!(matches!(notebook.find(&id[6..]), EntryMatch::One(_)));
    assert_eq!(notebook.find("finding-9"), EntryMatch::Nothing);
    let reordered = AGENT.replace(
        "- SQLite-vec requires specific build flags on M1 Macs\n- FTS5 tokenizer affects search quality significantly\n  when code is searched\n",
        "- FTS5 tokenizer affects search quality significantly\n  when code is searched\n- SQLite-vec requires specific build flags on M1 Macs\n",
    );
    assert!(
        matches!(read("m.md", &reordered).find(&id), EntryMatch::One(entry) if entry.number == 1)
    );
    let twice = "## Findings\n\n- a <!-- id:00aa11bb22cc -->\n- b <!-- id:00aa11bb22cc -->\n";
    let notebook = read("m.md", twice);
    assert!(matches!(notebook.find("00aa11bb22cc"), EntryMatch::Several(_)));
    assert_eq!(notebook.problems[0].line, 4);
}

#[test]
fn an_added_entry_is_one_line() {
    let (after, number) =
        add(AGENT, MemoryOwner::Agent, &new_entry(EntryKind::Finding, "New")).unwrap();
    assert_eq!((number.number, diff(AGENT, &after)), (4, (vec!["- New".to_owned()], vec![])));
    let decision = with_fields(
        new_entry(EntryKind::Decision, "Use | pipes\nand lines"),
        &[(EntryField::Choice, "a|b"), (EntryField::Date, "2026-02-22")],
    );
    let (after, _) = add(AGENT, MemoryOwner::Agent, &decision).unwrap();
    assert_eq!(diff(AGENT, &after).0, ["| Use \\| pipes<br>and lines | a\\|b |  | 2026-02-22 |"]);
    let (after, _) =
        add(AGENT, MemoryOwner::Agent, &new_entry(EntryKind::Blocker, "Stuck")).unwrap();
    assert_eq!(diff(AGENT, &after), (vec!["- [ ] Stuck".to_owned()], vec![]));
}

#[test]
fn missing_columns_and_sections_are_created() {
    let decision =
        with_fields(new_entry(EntryKind::Decision, "D"), &[(EntryField::Affects, "003, 004")]);
    let (after, _) = add(AGENT, MemoryOwner::Agent, &decision).unwrap();
    assert!(after.contains("| Decision | Choice | Rationale | Date | Affects Agents |\n|----------|--------|-----------|------|----------------|\n"), "{after}");
    assert!(after.contains("| D |  |  |  | 003, 004 |\n"), "{after}");
    let (after, _) = add(AGENT, MemoryOwner::Agent, &new_entry(EntryKind::Lesson, "L")).unwrap();
    assert!(after.contains("- not an entry either\n\n## Lessons Learned\nWhat we'd do differently:\n\n- L\n\n## Session Log"), "{after}");
    let finding = with_fields(
        new_entry(EntryKind::Finding, "F"),
        &[(EntryField::Date, "2026-02-22"), (EntryField::FoundBy, "001; (x)")],
    );
    let (after, _) = add("", MemoryOwner::Plan, &finding).unwrap();
    assert_eq!(
        after,
        "## Shared Discoveries\nFindings relevant to multiple agents:\n\n- F (date: 2026-02-22 · found by: 001; &#40;x&#41;)\n"
    );
}

#[test]
fn resolving_a_blocker_changes_only_its_line() {
    let notebook = read("m.md", AGENT);
    let EntryMatch::One(blocker) = notebook.find("blocker-2") else { panic!() };
    let after = resolve(AGENT, blocker, "wrote one").unwrap();
    assert_eq!(
        diff(AGENT, &after),
        (
            vec![
                "- [x] ~~FTS5 custom tokenizer for code — Needs research~~ — wrote one".to_owned()
            ],
            vec!["- [ ] FTS5 custom tokenizer for code — Needs research".to_owned()]
        )
    );
    let lines = "## Open Questions\n- one\n  two <!-- id:aabbccddeeff -->\n- three\n";
    let notebook = read("m.md", lines);
    let after = resolve(lines, &notebook.entries[0], "so").unwrap();
    let question = &read("m.md", &after).entries[0];
    assert_eq!(
        (question.resolved, question.text.as_str(), question.resolution.as_deref()),
        (true, "one two", Some("so")),
        "{after}"
    );
}

#[test]
fn a_mark_is_written_on_the_line_of_its_entry() {
    for name in [
        "finding-1",
        "finding-2",
        "finding-3",
        "decision-1",
        "decision-2",
        "blocker-1",
        "session-3",
    ] {
        let notebook = read("m.md", AGENT);
        let EntryMatch::One(entry) = notebook.find(name) else { panic!("{name}") };
        let marks = IndexMap::from_iter([
            ("id".to_owned(), "0123456789ab".to_owned()),
            ("promoted".to_owned(), "ff".to_owned()),
        ]);
        let after = set_marks(AGENT, entry, &marks).unwrap();
        let (added, removed) = diff(AGENT, &after);
        assert_eq!((added.len(), removed.len()), (1, 1), "{name}: {added:?}");
        let again = read("m.md", &after);
        assert!(
            matches!(again.find("0123456789ab"), EntryMatch::One(found) if found.name() == name && found.text == entry.text),
            "{name}: {added:?}"
        );
    }
}

#[test]
fn the_newest_session_comes_first() {
    let after = add_session(
        AGENT,
        MemoryOwner::Agent,
        4,
        date(2026, 2, 22),
        "Did this\n- and that",
        "0123456789ab",
    );
    assert!(
        after.contains(
            "session:\n\n### Session 4 — 2026-02-22 <!-- id:0123456789ab -->\n- Did this<br>and that <!-- session:0123456789ab -->\n\n### Session 3"
        ),
        "{after}"
    );
    let fresh = memory::agent_template("a", "p", "T", date(2026, 2, 22));
    let after = add_session(&fresh, MemoryOwner::Agent, 1, date(2026, 2, 22), "x", "0123456789ab");
    assert!(
        after.ends_with("session:\n\n### Session 1 — 2026-02-22 <!-- id:0123456789ab -->\n- x <!-- session:0123456789ab -->\n"),
        "{after}"
    );
}

#[test]
fn removing_an_entry_removes_all_its_lines() {
    let notebook = read("m.md", AGENT);
    let EntryMatch::One(entry) = notebook.find("finding-2") else { panic!() };
    assert_eq!(diff(AGENT, &remove(AGENT, entry).unwrap()).1.len(), 2);
}

#[test]
fn a_task_that_a_merge_kept_open_and_resolved_is_resolved() {
    let merged = "## Blockers\n- [x] ~~a~~ — done\n- [ ] a\n- [ ] b\n";
    let notebook = read("m.md", merged);
    assert_eq!(notebook.entries.iter().filter(|entry| !entry.resolved).count(), 1);
}

#[test]
fn a_table_with_two_headers_after_a_merge_is_read() {
    let merged = "## Decisions\n| Decision | Choice | Status |\n|---|---|---|\n| Decision | Choice | Rationale |\n|---|---|---|\n| a | b | c |\n";
    let notebook = read("m.md", merged);
    assert_eq!(notebook.entries.len(), 1);
    assert_eq!(notebook.entries[0].field(EntryField::Rationale), Some("c"));
    let shared = merged.replace(
        "| Decision | Choice | Rationale |",
        "| a | b | c |\n| Decision | Choice | Rationale |",
    );
    assert_eq!(read("m.md", &shared).entries.len(), 1, "a row of both sides is one entry");
}

#[test]
fn a_file_with_conflict_markers_is_not_read() {
    let notebook = read("m.md", "## Findings\n- a\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> x\n");
    assert_eq!((notebook.entries.len(), notebook.problems[0].line), (0, 3));
}

#[test]
fn line_endings_and_a_missing_final_one_are_kept() {
    let crlf = "## Findings\r\n\r\n- a\r\n\r\ntext\r\n";
    let (after, _) = add(crlf, MemoryOwner::Agent, &new_entry(EntryKind::Finding, "b")).unwrap();
    assert_eq!(after, "## Findings\r\n\r\n- a\r\n- b\r\n\r\ntext\r\n");
    let (after, _) =
        add("## Findings\n- a", MemoryOwner::Agent, &new_entry(EntryKind::Finding, "b")).unwrap();
    assert_eq!(after, "## Findings\n- a\n- b");
    let counters = Counters { updated: Some(date(2026, 2, 22)), ..Counters::default() };
    assert_eq!(
        counters.set("m.md", "---\r\nupdated: 2026-01-01\r\n---\r\nx").unwrap(),
        "---\r\nupdated: 2026-02-22\r\n---\r\nx"
    );
}

fn any_kind() -> impl Strategy<Value = EntryKind> {
    prop::sample::select(vec![
        EntryKind::Finding,
        EntryKind::Decision,
        EntryKind::Blocker,
        EntryKind::Question,
        EntryKind::Lesson,
    ])
}

fn any_text() -> impl Strategy<Value = String> {
    "[-a#*\\[\\]x |<>!&;~=—\\\\\\n().:`]{1,16}|\\PC{1,12}"
        .prop_filter("not blank", |text| !text.trim().is_empty())
}

proptest! {
    #[test]
    fn any_added_entry_round_trips_and_changes_nothing_else(
        entries in proptest::collection::vec((any_kind(), any_text(), any_text()), 1..8),
        resolves in any::<bool>(),
    ) {
        let mut text = memory::plan_template("p", "T", date(2026, 2, 22));
        for (kind, content, reason) in &entries {
            let entry = with_fields(new_entry(*kind, content), &[(EntryField::Rationale, reason)]);
            let (after, number) = add(&text, MemoryOwner::Plan, &entry).unwrap();
            let notebook = read("m.md", &after);
            let name = number.name();
            let EntryMatch::One(found) = notebook.find(&name) else { panic!("{name}") };
            prop_assert_eq!(&found.text, &content.trim().replace("\r\n", "\n").replace('\r', "\n"));
            text = after;
            if resolves && kind.is_task() {
                text = resolve(&text, found, reason.trim()).unwrap();
            }
        }
    }

    #[test]
    fn reading_and_editing_never_panic(text in "([-#|*>` \\[\\]x~<!:a0-9]|\\n|- |## Findings\\n|\\| a \\|\\n|\\|-\\|\\n|## Blockers\\n|```\\n|---\\n){0,40}") {
        let notebook = read("m.md", &text);
        for entry in &notebook.entries {
            let _ = remove(&text, entry);
            let _ = resolve(&text, entry, "how");
            let marked = set_marks(&text, entry, &IndexMap::from_iter([("id".to_owned(), "0123456789ab".to_owned())]));
            prop_assert!(marked.is_err() || marked.is_ok_and(|marked| marked.len() > text.len()));
        }
        for kind in EntryKind::ALL {
            let _ = add(&text, MemoryOwner::Agent, &new_entry(kind, "x"));
        }
        let _ = memory::merge_repeated_counters(&text);
    }
}

#[test]
fn marking_an_entry_that_a_merge_repeated_keeps_it_one_entry() {
    let text = "## Open Questions\n- [ ] why\n- [x] ~~why~~ — because\n";
    let before = read("m.md", text);
    let marks = IndexMap::from_iter([("id".to_owned(), before.entries[0].id.clone())]);
    let after = read("m.md", &set_marks(text, &before.entries[0], &marks).unwrap());
    assert_eq!((before.entries.len(), after.entries.len()), (1, 1));
    assert!(after.entries[0].resolved && after.entries[0].has_stored_id());
}

#[test]
fn a_mark_does_not_change_the_text() {
    for text in ["## Findings\n- a\n\n  b\n", "## Questions\n| a\rb |\n"] {
        let before = read("m.md", text);
        let marks = IndexMap::from_iter([("id".to_owned(), "x".to_owned())]);
        let after = read("m.md", &set_marks(text, &before.entries[0], &marks).unwrap());
        assert_eq!(before.entries[0].text, after.entries[0].text);
    }
}

#[test]
fn the_added_day_is_read_but_is_not_part_of_the_text() {
    let plain = read("m.md", "## Findings\n- a finding\n");
    for comment in
        ["<!-- added:2026-02-20 -->", "<!-- 2026-02-20 -->", "<!-- x --> <!-- added:2026-02-20 -->"]
    {
        let dated = read("m.md", &format!("## Findings\n- a finding {comment}\n"));
        assert_eq!(dated.entries[0].date(), Some(date(2026, 2, 20)), "{comment}");
        if !comment.contains('x') {
            assert_eq!(dated.entries[0].text, "a finding");
            assert_eq!(dated.entries[0].id, plain.entries[0].id, "{comment}");
        }
    }
    let marked = "## Findings\n- a <!-- id:00aa11bb22cc added:2026-02-20 promoted:1 -->\n- b <!-- 2026-02-19 --> <!-- id:00aa11bb22dd -->\n";
    let notebook = read("m.md", marked);
    assert_eq!(notebook.entries[0].date(), Some(date(2026, 2, 20)));
    assert_eq!(notebook.entries[1].date(), Some(date(2026, 2, 19)));
    assert_eq!(notebook.entries[1].id, "00aa11bb22dd");
    let stated = "## Findings\n- a (date: 2026-01-01) <!-- added:2026-02-20 -->\n";
    assert_eq!(read("m.md", stated).entries[0].date(), Some(date(2026, 1, 1)));
    for comment in ["<!-- added:soon -->", "<!-- 2026-02-31 -->", "<!-- on 2026-02-20 -->", "<!-->"]
    {
        let entries = read("m.md", &format!("## Findings\n- a {comment}\n")).entries;
        assert_eq!(entries[0].date(), None, "{comment}");
    }
}

#[test]
fn edits_keep_the_added_day() {
    for text in [
        "## Blockers\n- [ ] a <!-- added:2026-02-20 -->\n- [ ] b\n",
        "## Blockers\n- [ ] a <!-- 2026-02-20 -->\n- [ ] b\n",
        "## Blockers\n| Blocker |\n|---|\n| a <!-- added:2026-02-20 --> |\n| b |\n",
    ] {
        let entry = &read("m.md", text).entries[0];
        let id = IndexMap::from_iter([("id".to_owned(), entry.id.clone())]);
        let marked = set_marks(text, entry, &id).unwrap();
        assert_eq!(marked.matches("2026-02-20").count(), 1, "{marked}");
        let resolved = resolve(&marked, &read("m.md", &marked).entries[0], "done").unwrap();
        let notebook = read("m.md", &resolved);
        assert_eq!(notebook.entries[0].date(), Some(date(2026, 2, 20)), "{resolved}");
        assert_eq!(notebook.entries[0].text, "a");
        assert_eq!(notebook.entries[0].resolution.as_deref(), Some("done"), "{resolved}");
        assert_eq!(notebook.entries[1].date(), None);
    }
}

#[test]
fn an_entry_that_two_branches_added_is_kept_with_the_earlier_day() {
    let merged = "## Findings\n- a <!-- added:2026-02-21 -->\n- b <!-- added:2026-02-21 -->\n- a <!-- added:2026-02-20 -->\n";
    let entries = read("m.md", merged).entries;
    let dated: Vec<_> =
        entries.iter().map(|entry| (entry.text.as_str(), entry.date().unwrap())).collect();
    assert_eq!(dated, [("b", date(2026, 2, 21)), ("a", date(2026, 2, 20))]);
    let twice = "## Findings\n- a\n- a\n";
    assert_eq!(
        read("m.md", twice).entries.len(),
        2,
        "entries without marks that a person wrote twice are two entries"
    );
}

#[test]
fn only_comments_by_heirloom_are_marker_comments() {
    let text = "## Findings\n- a <!-- added:2026-02-20 -->\n- b <!-- 2026-02-20 -->\n\n<!-- 2026-02-20 -->\n";
    let mut prose = text.to_owned();
    for comment in memory::marker_comments(text).into_iter().rev() {
        prose.replace_range(comment, "");
    }
    assert_eq!(prose, "## Findings\n- a\n- b\n\n<!-- 2026-02-20 -->\n");
}

proptest! {
    #[test]
    fn an_added_mark_changes_neither_id_nor_text(kind in any_kind(), text in any_text()) {
        let plain = new_entry(kind, &text);
        let marks = IndexMap::from_iter([memory::added_mark(date(2026, 2, 20))]);
        let dated = NewEntry { marks, ..plain.clone() };
        if let (Ok((_, plain)), Ok((_, dated))) =
            (add(AGENT, MemoryOwner::Agent, &plain), add(AGENT, MemoryOwner::Agent, &dated))
        {
            prop_assert_eq!(&plain.id, &dated.id);
            prop_assert_eq!(&plain.text, &dated.text);
            prop_assert_eq!(dated.date(), Some(date(2026, 2, 20)));
        }
    }
}

#[test]
fn entries_that_repeat_another_one_with_its_id_are_one_entry() {
    let line = "- [ ] Which port? <!-- id:0123456789ab -->\n";
    let text = format!(
        "## Questions\n\n{line}- [ ] Which host? <!-- id:ba9876543210 -->\n{line}\nA remark.\n\n{line}"
    );
    let content = read("m.md", &text);
    let names: Vec<String> = content.entries.iter().map(memory::MemoryEntry::name).collect();
    assert_eq!((names, content.problems), (vec!["question-1".into(), "question-2".into()], vec![]));
    let once = text
        .replace(line, "")
        .replace("\n\n- [ ] Which host", &format!("\n\n{line}- [ ] Which host"));
    let tidied = Counters::default().set("m.md", &text).unwrap();
    assert_eq!(tidied, once);
    let resolved = resolve(&text, &content.entries[0], "80").unwrap();
    assert_eq!(resolved.matches("0123456789ab").count(), 1, "{resolved}");
    let removed = remove(&text, &content.entries[0]).unwrap();
    assert!(!removed.contains("0123456789ab"), "{removed}");
    let other = text.replacen("Which port", "What port", 1);
    assert_eq!(read("m.md", &other).entries.len(), 3, "a reworded copy is another entry");
    assert_eq!(read("m.md", &other).problems.len(), 1);
}
