use crate::import::ImportFormat;
use crate::import::tests::{assert_import_is_idempotent, import, problems, records};

const SEARCH: &str = "---
title: Search
type: note
permalink: notes/search
tags: [retrieval, '#index']
created: 2026-01-03
---
# Search

How we search.

## Observations
- [decision] Rank by words first #ranking (after the trial)
- [Requirement] Answers in 50 ms
- [colour] The box is
  blue #ui
- no category here

## Relations
- depends_on [[Storage]]
- \"caused by\" [[notes/outage|the outage]] (in May)
";

const STORAGE: &str = "---\ntitle: Storage\n---\nOne file holds all. It is small.\n\nMore.\n\n- superseded_by [[search]]\n";

const OUTAGE: &str = "# The outage\n\n- [bug] The disk was full\n";

const NOTES: &[(&str, &str)] =
    &[("notes/search.md", SEARCH), ("notes/storage.md", STORAGE), ("notes/outage.md", OUTAGE)];

#[test]
fn notes_become_facts() {
    let imported = import(ImportFormat::BasicMemory, NOTES);
    assert_eq!(
        records(&imported),
        [
            r#"notes/outage.md:3 …008 {"kind":"fact","section":"Known Issues","content":"The outage: The disk was full","key":"The outage","source":"notes/outage.md","origin":"basic-memory:The outage#2369630936cd"}"#,
            r#"notes/search.md:10 …001 {"kind":"fact","section":"Architecture","content":"How we search.","key":"Search","at":"2026-01-03T00:00:00Z","tags":["retrieval","index"],"source":"notes/search.md","valid_from":"2026-01-03","origin":"basic-memory:notes/search#d14ebb034d60"}"#,
            r#"notes/search.md:13 …002 {"kind":"fact","section":"Decisions","content":"Search: Rank by words first (after the trial)","key":"Search","at":"2026-01-03T00:00:00Z","tags":["ranking","retrieval","index"],"source":"notes/search.md","valid_from":"2026-01-03","origin":"basic-memory:notes/search#1cf5fc1a1b85"}"#,
            r#"notes/search.md:14 …003 {"kind":"fact","section":"Constraints","content":"Search: Answers in 50 ms","key":"Search","at":"2026-01-03T00:00:00Z","tags":["retrieval","index"],"source":"notes/search.md","valid_from":"2026-01-03","origin":"basic-memory:notes/search#1138382a7f01"}"#,
            r#"notes/search.md:15 …004 {"kind":"fact","section":"Architecture","content":"Search: The box is blue","key":"Search","at":"2026-01-03T00:00:00Z","tags":["ui","colour","retrieval","index"],"source":"notes/search.md","valid_from":"2026-01-03","origin":"basic-memory:notes/search#db0cf9458a55"}"#,
            r#"notes/search.md:17 …005 {"kind":"fact","section":"Architecture","content":"Search: no category here","key":"Search","at":"2026-01-03T00:00:00Z","tags":["retrieval","index"],"source":"notes/search.md","valid_from":"2026-01-03","origin":"basic-memory:notes/search#540207c73717"}"#,
            r#"notes/search.md:20 …009 {"kind":"edge","from":"…002","to":"…006","relation":"depends_on","origin":"basic-memory:notes/search#relation:2811118e3730"}"#,
            r#"notes/search.md:21 …00a {"kind":"edge","from":"…002","to":"…008","relation":"motivated_by","content":"in May","origin":"basic-memory:notes/search#relation:a514de5dbead"}"#,
            r#"notes/storage.md:4 …006 {"kind":"fact","section":"Architecture","content":"Storage: One file holds all. It is small.","key":"Storage","source":"notes/storage.md","origin":"basic-memory:Storage#28ea6334bdd0"}"#,
            r#"notes/storage.md:6 …007 {"kind":"fact","section":"Architecture","content":"Storage: More.","key":"Storage","source":"notes/storage.md","origin":"basic-memory:Storage#4acef841778f"}"#,
            r#"notes/storage.md:8 …00b {"kind":"edge","from":"…002","to":"…006","relation":"replaces","origin":"basic-memory:Storage#relation:c94a69d09a76"}"#,
        ]
    );
    assert_eq!((imported.known_rows, problems(&imported)), (0, vec![]));
    assert_import_is_idempotent(ImportFormat::BasicMemory, NOTES, 11);
}

#[test]
fn titles_and_tags_of_a_note_are_limited() {
    let tags: Vec<String> = (0..60).map(|n| format!("t{n}")).collect();
    let long = "x".repeat(201);
    let text = format!("---\ntitle: {long}\ntags: [{}]\n---\n- [tip] kept\n", tags.join(", "));
    let imported = import(ImportFormat::BasicMemory, &[("long.md", &text)]);
    assert_eq!(imported.records[0].1.tags, tags[..50]);
    assert!(records(&imported)[0].contains(r#""key":"long""#));
    assert_eq!(
        problems(&imported),
        [
            "long.md:2: a name of 201 bytes is too long: `xxxxxxxxxxxxxxxxxxxx…` (at most 200 bytes)",
            "long.md:3: only the first 50 of 60 tags are imported",
        ]
    );
}

#[test]
fn unreadable_items_are_reported() {
    let twins = "# Twin\n\nText.\n";
    let bad = "---\ntitle: Bad\ncreated: soon\n---\n## Observations\n- [x] a task\n- [tip] kept\n- [tip] Kept.\n\n## Relations\n- uses [[Nowhere]]\n- uses [[twin]]\n- relates_to [[Empty]]\n- uses [[Empty]]\n- Search\n";
    let imported = import(
        ImportFormat::BasicMemory,
        &[
            ("bad.md", bad),
            ("empty.md", "# Empty\n\n| a | b |\n|---|---|\n"),
            ("half.md", "<<<<<<< HEAD\n- [tip] x\n"),
            ("one.md", twins),
            ("open.md", "---\ntitle: Open\n\nText.\n\n```\n- [tip] code\n"),
            ("two.md", twins),
        ],
    );
    let contents: Vec<_> = imported
        .records
        .iter()
        .map(|(place, record)| format!("{}:{} {}", place.path, place.line, record.text()))
        .collect();
    assert_eq!(
        contents,
        [
            "bad.md:6 Bad: [x] a task",
            "bad.md:7 Bad: kept",
            "bad.md:11 Bad uses Nowhere",
            "bad.md:12 Bad uses twin",
            "bad.md:13 Bad relates to Empty",
            "bad.md:14 Bad uses Empty",
            "one.md:3 Twin: Text."
        ]
    );
    assert_eq!(imported.known_rows, 2, "equal facts of notes with one title are one");
    assert_eq!(
        problems(&imported),
        [
            "bad.md:3: `soon` is not a date; the time of the import is used (write it as 2026-02-22T10:00:00Z)",
            "bad.md:15: this item names no relation or no target (write it as `- relation_type [[Target]]`)",
            "empty.md:1: this note has no observation and no paragraph (write a fact as `- [category] text`)",
            "half.md:1: a git conflict marker; the file is left out until the merge is finished (resolve the conflict and remove the marker lines)",
            "open.md:1: the front matter opens with `---` and never closes (add a line `---` after the last key)",
            "open.md:6: this code fence is never closed, so nothing after it is read (close it with ```)",
        ]
    );
}

#[test]
fn tables_and_code_are_kept() {
    let note = "# Ports\n\n| Host | Address |\n|---|---|\n| db | 5432 |\n\n```sh\npsql -p 5432\n```\n\n> Ask Ada first.\n";
    let imported = import(ImportFormat::BasicMemory, &[("ports.md", note)]);
    let texts: Vec<_> = imported.records.iter().map(|(_, record)| record.text()).collect();
    assert_eq!(
        texts,
        ["Ports: Host: db; Address: 5432", "Ports: psql -p 5432", "Ports: Ask Ada first."]
    );
    assert!(problems(&imported).is_empty());
}
