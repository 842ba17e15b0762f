use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::memory::{self, MemoryEntries, MemoryEntry, MemoryFormat, marker_comments};

const TWO: &str = "# Decisions\n\n### [2026-02-08] Use xstate v5\n\n**Category:** architecture\n**Tags:** workflow, xstate\n\nActor model.\n\nStrong types.\n\n---\n\n### [2026-03-01] Use pnpm\n\n**Category:** tooling\n\nFaster.\n\n---\n";

fn decisions(text: &str) -> MemoryEntries {
    read("decisions.md", EntryKind::Decision, text)
}

/// Returns each entry in short: date, title, text, category and tags.
fn summary(text: &str) -> Vec<String> {
    let entries = decisions(text).entries;
    let line = |entry: &MemoryEntry| {
        let date = entry.date().map(|date| date.to_string()).unwrap_or_default();
        let title = entry.title.as_deref().unwrap_or_default();
        let category = entry.category.as_deref().unwrap_or_default();
        format!("{date}|{title}|{}|{category}|{}", entry.text, entry.tags.join(","))
    };
    entries.iter().map(line).collect()
}

#[test]
fn entries_in_the_format_are_read() {
    let content = decisions(TWO);
    assert_eq!(content.problems, []);
    let entry = &content.entries[0];
    assert_eq!(entry.kind, EntryKind::Decision);
    assert_eq!(entry.title.as_deref(), Some("Use xstate v5"));
    assert_eq!(entry.date(), Some(date(2026, 2, 8)));
    assert_eq!(entry.category.as_deref(), Some("architecture"));
    assert_eq!(entry.tags, ["workflow", "xstate"]);
    assert_eq!(entry.text, "Actor model.\n\nStrong types.");
    assert_eq!(entry.full_text(), "Use xstate v5: Actor model.\n\nStrong types.");
    assert_eq!((entry.line, entry.last_line), (3, 12));
    assert!(TWO[entry.bytes.clone()].ends_with("\n---\n"));
    assert_eq!(content.entries[1].name(), "decision-2");
    assert_eq!(entry.format(), MemoryFormat::Learnings(EntryKind::Decision));
}

#[test]
fn line_breaks_front_matter_and_other_levels_make_no_difference() {
    let expected = summary(TWO);
    assert_eq!(summary(&TWO.replace('\n', "\r\n")), expected);
    assert_eq!(summary(&TWO.replace("### ", "## ")), expected);
    assert_eq!(summary(&TWO.replace("\n---\n", "\n")), expected);
    assert_eq!(summary(&TWO.replace("[2026-02-08]", "2026-02-08 —")), expected);
    assert_eq!(summary(&TWO.replace("**Category:**", "- Category:")), expected);
    let with_front_matter = format!("\u{feff}---\nname: d\n---\n{TWO}");
    assert_eq!(summary(&with_front_matter), expected);
    let ids =
        |text: &str| decisions(text).entries.into_iter().map(|entry| entry.id).collect::<Vec<_>>();
    assert_eq!(ids(&with_front_matter.replace('\n', "\r\n")), ids(TWO));
}

#[test]
fn code_is_text_and_no_structure() {
    let text = "### [2026-02-08] A\n\n```md\n---\n### [2026-01-01] no entry\n```\n\nEnd.\n\n---\n\n### B\nText.\n";
    assert_eq!(
        summary(text),
        ["2026-02-08|A|```md\n---\n### [2026-01-01] no entry\n```\n\nEnd.||", "|B|Text.||"]
    );
}

#[test]
fn parts_of_an_entry_and_groups_of_entries_are_told_apart() {
    let records = "# Decisions\n\nOne per heading.\n\n## Use Postgres\n\n### Context\n\nWe need it.\n\n### Consequences\n\nNone.\n\n## Use Rust now\n\nBecause.\n";
    assert_eq!(
        summary(records),
        [
            "|Use Postgres|### Context\n\nWe need it.\n\n### Consequences\n\nNone.||",
            "|Use Rust now|Because.||"
        ]
    );
    let grouped = "# Decisions\n## Architecture\n### [2026-01-02] A\na\n### B\nb\n## Tooling\nSome prose.\n### C\nTags: x\n\nc\n";
    assert_eq!(
        summary(grouped),
        ["2026-01-02|A|a|architecture|", "|B|b|architecture|", "|C|c|tooling|x"]
    );
    let days = "## 2026-01-02\n### Use A\na\n## 2026-01-03\n- Use B\n- **C**: c\n";
    assert_eq!(summary(days), ["2026-01-02|Use A|a||", "2026-01-03||Use B||", "2026-01-03|C|c||"]);
}

#[test]
fn lists_are_entries_where_no_heading_is_one() {
    let dated = "# Lessons\n\n- [2026-02-08] **Ask first**: then do\n  - Category: process\n  - Tags: a, b\n- 2026-02-09: check `x`\n  twice\n- no date\n";
    assert_eq!(
        summary(dated),
        [
            "2026-02-08|Ask first|then do|process|a,b",
            "2026-02-09||check `x`\ntwice||",
            "||no date||"
        ]
    );
    let grouped = "Intro.\n\n## Debugging\n\n* Read logs\n* Bisect\n\n## A longer heading here\n\n- part\n- of it\n";
    assert_eq!(
        summary(grouped),
        [
            "||Read logs|debugging|",
            "||Bisect|debugging|",
            "|A longer heading here|- part\n- of it||"
        ]
    );
    let intro = "# Decisions\n\n- keep it short\n\n### [2026-01-02] A\n\n- a\n- b\n\n---\n\n- [2026-01-03] B\n";
    assert_eq!(summary(intro), ["2026-01-02|A|- a\n- b||", "2026-01-03||B||"]);
}

#[test]
fn prose_is_no_entry() {
    assert_eq!(summary("# Decisions\n\nNothing yet.\n"), Vec::<String>::new());
    assert_eq!(summary(""), Vec::<String>::new());
    assert_eq!(summary("### [2026-01-02] A\na\n\n---\n\nA footer.\n"), ["2026-01-02|A|a||"]);
}

#[test]
fn problems_have_a_line() {
    let problems = |text: &str| {
        let problems = decisions(text).problems.into_iter();
        problems.map(|problem| (problem.line, problem.message)).collect::<Vec<_>>()
    };
    assert_eq!(problems("\n### [2026-02-30] A\n\na\n")[0].0, 2);
    assert!(problems("### [2026-02-30] A\n\na\n")[0].1.contains("not a day"));
    assert_eq!(problems("### [2026-02-20] A\n\na\n\n```\nx\n")[0].0, 5);
    assert_eq!(problems("### A\n```\nx\n```\n"), []);
    assert_eq!(problems("### A\n<<<<<<< HEAD\n")[0].0, 2);
    let twice = "### A\n<!-- id:abc -->\na\n### B\n<!-- id:abc -->\nb\n";
    assert_eq!(problems(twice)[0].0, 4);
    let copies = "### A\n<!-- id:abc -->\na\n".repeat(2);
    assert_eq!((problems(&copies), decisions(&copies).entries.len()), (vec![], 1));
}

fn new<'e>(title: &'e str, text: &'e str, tags: &'e [String]) -> NewLearning<'e> {
    NewLearning { title, text, date: date(2026, 3, 4), category: Some("tooling"), tags, from: None }
}

#[test]
fn an_entry_is_added_in_the_format_with_its_id() {
    let tags = ["a".to_owned(), "b c".to_owned()];
    let (text, entry) =
        append("", EntryKind::Lesson, &new("Use C#", "Line one.\n\n---\n# x", &tags)).unwrap();
    let expected = format!(
        "### [2026-03-04] Use C#\n\n**Category:** tooling\n**Tags:** a, b c\n<!-- id:{} -->\n\nLine one.\n\n\\---\n\\# x\n\n---\n",
        entry.id
    );
    assert_eq!(text, expected);
    assert_eq!(entry.text, "Line one.\n\n---\n# x");
    let crlf = TWO.trim_end().replace('\n', "\r\n");
    let (text, _) = append(&crlf, EntryKind::Decision, &new("T", "t", &tags)).unwrap();
    assert!(text.starts_with(&crlf) && !text.replace("\r\n", "").contains('\n'));
    assert_eq!(summary(&text).len(), 3);
}

#[test]
fn nothing_is_added_where_it_would_not_be_read() {
    let refused = |text: &str, new: &NewLearning<'_>| {
        append(text, EntryKind::Decision, new).unwrap_err().line
    };
    assert_eq!(refused("### A\n\n```\nx\n", &new("T", "t", &[])), 3);
    assert_eq!(refused("a\n<<<<<<< x\n", &new("T", "t", &[])), 2);
    assert_eq!(refused(TWO, &new("T", "```\n<<<<<<< x\n```", &[])), 21);
}

#[test]
fn a_refusal_says_what_has_to_change() {
    let refused = |text: &str| {
        let new = NewLearning { category: None, ..new("T", "t", &[]) };
        append(text, EntryKind::Decision, &new).unwrap_err().message
    };
    let group = refused("## Tooling\n\n### [2026-01-02] B\n\nb\n");
    assert!(group.contains("the category `tooling`"), "{group}");
    let list = refused("- Use pnpm\n- Use vitest\n");
    assert!(list.contains("write dates before them"), "{list}");
}

#[test]
fn a_mark_is_a_line_of_its_own_and_keeps_all_other_bytes() {
    for text in [TWO.to_owned(), TWO.replace('\n', "\r\n")] {
        for (at, line) in [(0, "**Tags:** workflow, xstate"), (1, "**Category:** tooling")] {
            let entry = decisions(&text).entries.swap_remove(at);
            let marks = [("id".to_owned(), entry.id.clone())].into_iter().collect();
            let marked = memory::set_marks(&text, &entry, &marks).unwrap();
            let newline = crate::lines::detect_newline(&text);
            let comment = format!("<!-- id:{} -->{newline}", entry.id);
            assert!(marked.contains(&format!("{line}{newline}{comment}")), "{marked}");
            assert_eq!(marked.replace(&comment, ""), text);
            let stored = decisions(&marked).entries.swap_remove(at);
            assert!(stored.has_stored_id() && stored.id == entry.id);
            assert_eq!(memory::set_marks(&marked, &stored, &marks).unwrap(), marked);
            assert_eq!(marker_comments(&marked).len(), 1);
        }
    }
    let last = "### Only a title";
    let entry = decisions(last).entries;
    assert_eq!(entry.len(), 0, "a heading without text is a group");
    let bullet = "- [2026-01-02] a\n  b\n";
    let entry = decisions(bullet).entries.swap_remove(0);
    let marks = [("id".to_owned(), "abcd".to_owned())].into_iter().collect();
    let marked = memory::set_marks(bullet, &entry, &marks).unwrap();
    assert_eq!(marked, "- [2026-01-02] a <!-- id:abcd -->\n  b\n");
}

#[test]
fn an_entry_is_removed_with_its_rule() {
    let entry = decisions(TWO).entries.swap_remove(0);
    let rest = memory::remove(TWO, &entry).unwrap();
    assert_eq!(summary(&rest), summary(TWO)[1..]);
    assert!(!rest.contains("xstate"));
}

proptest! {
    #[test]
    fn any_text_reads_back_unchanged(
        title in "[-#a\\[\\]:<>!*0-9 ]{1,12}|\\PC{1,12}",
        text in "([-#`~ <!>a:*\\\\|=]{0,8}|Tags: a|---|```|- 2026-01-02: x|\n){0,12}",
    ) {
        let file = TWO;
        if let Ok((after, entry)) = append(file, EntryKind::Decision, &new(&title, &text, &[])) {
            prop_assert!(after.starts_with(file));
            prop_assert_eq!(&entry.text, &super::body::normalise(&text));
            let again = decisions(&after).entries.pop();
            prop_assert_eq!(again.map(|entry| entry.id), Some(entry.id));
        }
    }

    #[test]
    fn most_texts_can_be_added(text in "[a-z][-#`~ <!a:*\\\\|=\n]{0,40}[a-z]") {
        prop_assert!(append(TWO, EntryKind::Decision, &new("A title", &text, &[])).is_ok());
    }

    #[test]
    fn ranges_of_entries_are_in_order(text in "([-#`\\[\\] a]{0,6}|### \\[2026-01-02\\] x|- a|---|Tags: b|```|\n){0,20}") {
        let entries = decisions(&text).entries;
        let mut end = 0;
        for entry in &entries {
            prop_assert!(entry.bytes.start >= end && text.get(entry.bytes.clone()).is_some());
            end = entry.bytes.end;
            let marks = [("id".to_owned(), entry.id.clone())].into_iter().collect();
            if let Ok(marked) = memory::set_marks(&text, entry, &marks) {
                let comment = format!("<!-- id:{} -->", entry.id);
                prop_assert!(marked.contains(&comment));
            }
        }
    }
}
