//! A damaged log: damaged lines are reported with their place, the other lines are read, no byte is
//! changed, and new records start on a new line.

use heirloom_testkit::{TEAM, Workspace};
use serde_json::Value;

use crate::HEIR;

const FACT: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"fact","section":"Decisions","content":"from elsewhere","at":"2026-02-22T00:00:00Z","by":"ada"}"#;

/// A workspace with two facts in one shard, which was damaged.
struct DamagedLog {
    workspace: Workspace,
    shard: String,
}

impl DamagedLog {
    /// Stores two facts and changes the bytes of their shard.
    fn new(change: impl FnOnce(&mut Vec<u8>)) -> Self {
        let workspace = Workspace::with(HEIR, TEAM);
        store(&workspace, "the first");
        store(&workspace, "the second");
        let [shard] = workspace.shards("fact").try_into().unwrap();
        let mut bytes = workspace.bytes(&shard);
        change(&mut bytes);
        workspace.write(&shard, bytes);
        DamagedLog { workspace, shard }
    }

    /// Inserts a line between the two facts.
    fn with_line(line: impl AsRef<[u8]>) -> Self {
        Self::new(|bytes| {
            let at = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            bytes.splice(at..at, [line.as_ref(), b"\n"].concat());
        })
    }

    /// Checks which facts are read and which problems are reported (line and part of the message), now
    /// and after another fact was stored.
    #[track_caller]
    fn check(&self, facts: &[&str], problems: &[(usize, &str)]) {
        self.check_now(facts, problems);
        let before = self.workspace.bytes(&self.shard);
        store(&self.workspace, "the last");
        let after = self.workspace.bytes(&self.shard);
        assert!(after.starts_with(&before), "existing bytes must not change");
        let added = String::from_utf8(after[before.len()..].to_vec()).unwrap();
        let record: Value = serde_json::from_str(&added).unwrap();
        assert_eq!(record["content"], "the last");
        assert_eq!(added.starts_with('\n'), !before.ends_with(b"\n"), "{added:?}");
        self.check_now(&[facts, &["the last"]].concat(), problems);
    }

    #[track_caller]
    fn check_now(&self, facts: &[&str], problems: &[(usize, &str)]) {
        let listed = self.workspace.json("fact list --all");
        let mut texts: Vec<&str> = items(&listed["hits"]).map(text).collect();
        let mut facts = facts.to_vec();
        texts.sort_unstable();
        facts.sort_unstable();
        assert_eq!(texts, facts);
        for answer in [&listed, &self.workspace.json("stats"), &self.workspace.json("recall the")] {
            let found: Vec<&Value> = items(&answer["problems"]).collect();
            assert_eq!(found.len(), problems.len(), "{found:#?}");
            for (problem, (line, part)) in found.iter().zip(problems) {
                assert_eq!(
                    (&problem["path"], &problem["line"]),
                    (&Value::from(self.shard.as_str()), &Value::from(*line))
                );
                assert!(problem["message"].as_str().unwrap().contains(part), "{problem:#}");
            }
        }
    }
}

fn store(workspace: &Workspace, text: &str) {
    workspace.run(&["fact", "add", "--section", "Decisions", text]).ok();
}

/// Returns the items of a list; answers omit empty lists.
fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn text(item: &Value) -> &str {
    item["text"].as_str().unwrap()
}

#[test]
fn a_torn_last_line_is_skipped() {
    let torn = DamagedLog::new(|bytes| bytes.truncate(bytes.len() - 20));
    torn.check(&["the first"], &[(2, "the line is truncated")]);
}

#[test]
fn a_complete_last_line_without_line_break_is_read() {
    let torn = DamagedLog::new(|bytes| bytes.truncate(bytes.len() - 1));
    torn.check(&["the first", "the second"], &[]);
}

#[test]
fn a_line_torn_within_a_character_is_skipped() {
    let torn = DamagedLog::new(|bytes| {
        bytes.truncate(bytes.len() - 20);
        bytes.push("é".as_bytes()[0]);
    });
    torn.check(&["the first"], &[(2, "the line is skipped")]);
}

#[test]
fn a_line_of_garbage_is_skipped() {
    for garbage in [&b"garbage"[..], b"\xff\xfe\x01", b"[1, 2]", b"{}", b"null", b"\"text\""] {
        DamagedLog::with_line(garbage)
            .check(&["the first", "the second"], &[(2, "the line is skipped")]);
    }
}

#[test]
fn two_records_on_one_line_are_skipped() {
    DamagedLog::with_line(format!("{FACT}{}", FACT.replace("2a\"", "2b\"")))
        .check(&["the first", "the second"], &[(2, "the line is skipped")]);
}

#[test]
fn a_line_with_a_nul_byte_is_skipped() {
    DamagedLog::with_line(FACT.replace("from", "fr\0m"))
        .check(&["the first", "the second"], &[(2, "a NUL byte at column")]);
    DamagedLog::with_line([0; 512]).check(&["the first", "the second"], &[(2, "a NUL byte")]);
}

#[test]
fn a_line_of_ten_megabytes_is_skipped() {
    let long = FACT.replace("from elsewhere", &"x".repeat(10 * 1024 * 1024));
    DamagedLog::with_line(long)
        .check(&["the first", "the second"], &[(2, "a record may have at most 1 MB")]);
}

#[test]
fn a_byte_order_mark_is_reported_and_the_line_is_read() {
    let marked = DamagedLog::new(|bytes| drop(bytes.splice(0..0, *b"\xef\xbb\xbf")));
    marked.check(&["the first", "the second"], &[(1, "a byte order mark")]);
}

#[test]
fn crlf_line_breaks_are_reported_and_the_lines_are_read() {
    let changed = DamagedLog::new(|bytes| {
        *bytes = String::from_utf8(bytes.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    });
    changed.check(&["the first", "the second"], &[(1, "lines end in CRLF")]);
}

#[test]
fn an_unknown_kind_is_skipped() {
    DamagedLog::with_line(FACT.replace("\"fact\"", "\"hologram\""))
        .check(&["the first", "the second"], &[(2, "`hologram` is newer than this program")]);
}

#[test]
fn a_newer_version_is_skipped() {
    DamagedLog::with_line(FACT.replace("\"v\":1", "\"v\":2"))
        .check(&["the first", "the second"], &[(2, "format version 2 is newer")]);
}

#[test]
fn unknown_fields_are_accepted() {
    DamagedLog::with_line(FACT.replace("\"by\"", "\"colour\":\"blue\",\"by\""))
        .check(&["the first", "from elsewhere", "the second"], &[]);
}

#[test]
fn a_record_in_the_shard_of_another_kind_is_read() {
    let note = FACT.replace("\"kind\":\"fact\",\"section\":\"Decisions\"", "\"kind\":\"note\"");
    let damaged = DamagedLog::with_line(note);
    damaged.check(&["the first", "the second"], &[]);
    assert_eq!(text(&damaged.workspace.json("notes")["hits"][0]), "from elsewhere");
}

#[test]
fn of_two_records_with_one_id_the_same_is_read_in_any_order() {
    let other = FACT.replace("from elsewhere", "by hand");
    let mut read = Vec::new();
    for lines in [format!("{FACT}\n{other}"), format!("{other}\n{FACT}")] {
        let damaged = DamagedLog::with_line(&lines);
        let listed = damaged.workspace.json("fact list --all");
        let texts: Vec<&str> = items(&listed["hits"]).map(text).collect();
        let versions = ["from elsewhere", "by hand"];
        let winner = versions.into_iter().find(|version| texts.contains(version)).unwrap();
        let ignored_line = 2 + lines.lines().position(|line| !line.contains(winner)).unwrap();
        damaged.check(
            &["the first", winner, "the second"],
            &[(ignored_line, "another line has the same id")],
        );
        read.push(winner);
    }
    assert_eq!(read[0], read[1], "the order of the lines does not matter");
}

#[test]
fn several_damaged_lines_are_all_reported() {
    let damaged = DamagedLog::with_line(
        [b"\xef\xbb\xbf", FACT.as_bytes(), b"\ngarbage\n\0\n<<<<<<< HEAD\n\n{\"v\":9}"].concat(),
    );
    damaged.check(
        &["the first", "from elsewhere", "the second"],
        &[
            (2, "a byte order mark"),
            (3, "this is not JSON"),
            (4, "a NUL byte"),
            (5, "a git conflict marker"),
            (7, "format version 9 is newer"),
        ],
    );
}

#[test]
fn a_torn_line_of_the_private_log_is_skipped() {
    let workspace = Workspace::with(HEIR, TEAM);
    workspace.commit_all("2026-02-21T00:00:00Z");
    let private = |text: &str| {
        workspace.run(&["fact", "add", "--section", "Decisions", "--private", text]).ok();
    };
    private("the first");
    private("the second");
    let [shard] = workspace.files(".git/heirloom/memory/fact").try_into().unwrap();
    let mut bytes = workspace.bytes(&shard);
    bytes.truncate(bytes.len() - 20);
    workspace.write(&shard, bytes);
    private("the last");
    let listed = workspace.json("fact list");
    let mut texts: Vec<&str> = items(&listed["hits"]).map(text).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["the first", "the last"]);
    assert_eq!(listed["problems"][0]["path"], *shard);
    assert_eq!(listed["problems"][0]["line"], 2);
}

#[cfg(unix)]
#[test]
fn shards_that_cannot_be_read_are_reported() {
    use std::os::unix::fs::symlink;
    let damaged = DamagedLog::new(|_| {});
    let folder = damaged.workspace.path().join(".heirloom/memory/fact");
    std::fs::create_dir(folder.join("folder.jsonl")).unwrap();
    symlink("nowhere", folder.join("link.jsonl")).unwrap();
    let stats = damaged.workspace.json("stats");
    assert_eq!(stats["records"]["fact"]["active"], 2);
    for name in ["folder.jsonl", "link.jsonl"] {
        let path = format!(".heirloom/memory/fact/{name}");
        let is_named = |problem: &Value| problem["path"] == *path;
        assert!(items(&stats["problems"]).any(is_named), "{name}: {stats:#}");
    }
}
