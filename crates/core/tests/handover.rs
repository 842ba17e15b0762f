//! Checks that a digest carries over what the next agent must know, on long transcripts with a
//! checklist each. The transcripts are invented; they and the checklists were written without knowledge
//! of the rules of the digest. `HANDOVER_TRANSCRIPTS` names another folder of such files.
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads its files and reports what is missing"
)]

use std::fs;
use std::path::{Path, PathBuf};

use heirloom_core::transcript::{self, Digest, Transcript};
use serde::Deserialize;

/// The share of a checklist's items that a digest must contain.
const MIN_COVERAGE: f64 = 0.9;

/// What the successor must know of a transcript, and what must not be claimed.
#[derive(Deserialize)]
struct Checklist {
    items: Vec<Item>,
    never: Vec<Never>,
}

/// Something that was said, with the words that any hand-over of it contains.
#[derive(Deserialize)]
struct Item {
    kind: String,
    item: String,
    words: Vec<String>,
}

/// Something that a section must not contain.
#[derive(Deserialize)]
struct Never {
    item: String,
    section: String,
    words: Vec<String>,
}

fn fixtures() -> Vec<PathBuf> {
    let folder = std::env::var_os("HANDOVER_TRANSCRIPTS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/handover"),
        PathBuf::from,
    );
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no transcripts", folder.display());
    files
}

fn read(path: &Path) -> (Transcript, Digest, Checklist) {
    let text = fs::read_to_string(path).unwrap();
    let transcript = transcript::parse("transcript", &text);
    let digest = transcript::digest_transcript(&transcript);
    let checklist = fs::read_to_string(path.with_extension("checklist.json")).unwrap();
    (transcript, digest, serde_json::from_str(&checklist).unwrap())
}

fn section<'d>(digest: &'d Digest, name: &str) -> &'d [String] {
    match name {
        "instructions" => &digest.instructions,
        "decisions" => &digest.decisions,
        "findings" => &digest.findings,
        "open" => &digest.open,
        name => panic!("there is no section {name}"),
    }
}

fn contains_all(line: &str, words: &[String]) -> bool {
    let line = line.to_lowercase();
    words.iter().all(|word| line.contains(&word.to_lowercase()))
}

#[test]
fn a_digest_carries_over_what_a_successor_must_know() {
    let mut worst = 1.0_f64;
    for path in fixtures() {
        let (_, digest, checklist) = read(&path);
        let lists = [
            &digest.instructions,
            &digest.decisions,
            &digest.findings,
            &digest.open,
            &digest.todos,
            &digest.course,
        ];
        let lines: Vec<&String> = lists.into_iter().flatten().collect();
        let is_missing = |item: &&Item| !lines.iter().any(|line| contains_all(line, &item.words));
        let missing: Vec<&Item> = checklist.items.iter().filter(is_missing).collect();
        let coverage = 1.0 - missing.len() as f64 / checklist.items.len() as f64;
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        println!("{name}: {coverage:.2} of {} items", checklist.items.len());
        for item in &missing {
            println!("  missing {}: {} {:?}", item.kind, item.item, item.words);
        }
        worst = worst.min(coverage);
    }
    assert!(worst >= MIN_COVERAGE, "only {worst:.2} of a checklist is carried over");
}

#[test]
fn a_digest_claims_nothing_that_was_withdrawn_refuted_or_quoted() {
    let mut claims = vec![];
    for path in fixtures() {
        let (_, digest, checklist) = read(&path);
        for never in &checklist.never {
            let lines = section(&digest, &never.section);
            let claimed = lines.iter().find(|line| contains_all(line, &never.words));
            claims.extend(claimed.map(|line| format!("{}: {line}", never.item)));
        }
    }
    assert!(claims.is_empty(), "{}", claims.join("\n"));
}

#[test]
fn every_statement_of_a_digest_was_said() {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    for path in fixtures() {
        let (transcript, digest, _) = read(&path);
        let said: Vec<String> = transcript.turns.iter().map(|turn| letters(&turn.text)).collect();
        for name in ["instructions", "decisions", "findings"] {
            for statement in section(&digest, name) {
                let parts = statement.trim_end_matches(')').split(" (user: ");
                let parts =
                    parts.flat_map(|part| part.split([';', '…', '.', ':', '?', '!', '(', ')']));
                for part in parts.map(letters) {
                    let was_said = said.iter().any(|turn| turn.contains(&part));
                    assert!(was_said, "{}: {statement}", path.display());
                }
            }
        }
    }
}
