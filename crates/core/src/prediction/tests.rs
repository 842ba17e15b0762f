//! Properties of histories and predictions.

use proptest::prelude::*;

use super::*;
use crate::imports::SourceStatement;

/// A change of one of a few files, as a test case states it.
#[derive(Debug, Clone)]
enum Edit {
    Write { file: u8, line: u32, removed: u32, added: u32 },
    Rename { file: u8, to: u8 },
    Delete { file: u8 },
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let file = 0_u8..8;
    prop_oneof![
        6 => (file.clone(), 1_u32..20, 0_u32..3, 0_u32..5)
            .prop_map(|(file, line, removed, added)| Edit::Write { file, line, removed, added }),
        1 => (file.clone(), 0_u8..8).prop_map(|(file, to)| Edit::Rename { file, to }),
        1 => file.prop_map(|file| Edit::Delete { file }),
    ]
}

fn any_commits() -> impl Strategy<Value = Vec<HistoryCommit>> {
    let edits = prop::collection::vec(any_edit(), 1..5);
    let commit = (edits, prop::bool::weighted(0.8));
    prop::collection::vec(commit, 1..40).prop_map(|commits| {
        let numbered = commits.into_iter().enumerate();
        numbered.map(|(number, (edits, is_memory))| commit_of(number, &edits, is_memory)).collect()
    })
}

fn path(file: u8) -> String {
    format!("{}/part_{file}.rs", if file.is_multiple_of(2) { "src" } else { "tests" })
}

fn commit_of(number: usize, edits: &[Edit], is_memory: bool) -> HistoryCommit {
    let change = |(position, edit): (usize, &Edit)| {
        let (status, old, new, hunks) = match *edit {
            Edit::Write { file, line, removed, added } => {
                let hunk =
                    Hunk { old_start: line, old_count: removed, new_start: line, new_count: added };
                (ChangeStatus::Modified, file, file, vec![hunk])
            }
            Edit::Rename { file, to } => (ChangeStatus::Renamed, file, to, vec![]),
            Edit::Delete { file } => (ChangeStatus::Deleted, file, file, vec![]),
        };
        CommittedChange {
            status,
            old_path: path(old),
            path: path(new),
            blob: format!("{number}-{position}"),
            is_text: true,
            parents: vec![ParentVersion { blob: String::new(), hunks }],
        }
    };
    HistoryCommit {
        id: format!("{number:040}"),
        author: "A".into(),
        time: number as i64,
        message: format!("Change {number}\n\nWhy."),
        is_memory,
        files: edits.iter().enumerate().map(change).collect(),
    }
}

/// Reads contents as a store does: here, from a text that follows from the hash.
fn read_contents(history: &mut CommitHistory) {
    for file in history.outdated_files() {
        let text = format!("fn shared_{} uses part_{}", file.blob.len(), file.number % 3);
        let imported = format!("crate::part_{}", file.blob.len() % 9);
        let content = FileContent {
            identifiers: identifiers(text.as_bytes()),
            statements: vec![SourceStatement::Import(imported)],
            content_hash: content_hash(text.as_bytes()),
        };
        history.set_content(file.number, content);
    }
}

fn predict_all(history: CommitHistory) -> Vec<Vec<PredictedCommit>> {
    let predictor = Predictor::new(history);
    let given = |file| {
        let path = path(file);
        let number = predictor.history().file_number(&path);
        predictor.predict(&GivenFile { number, path: &path, ..GivenFile::default() }, 10)
    };
    (0..9).map(given).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_update_equals_a_rebuild(commits in any_commits(), cut in 0.0..1.0_f64) {
        let mut whole = CommitHistory::default();
        commits.iter().cloned().for_each(|commit| whole.apply(commit));
        read_contents(&mut whole);
        let at = (commits.len() as f64 * cut) as usize;
        let mut updated = CommitHistory::default();
        commits[..at].iter().cloned().for_each(|commit| updated.apply(commit));
        read_contents(&mut updated);
        let mut updated = CommitHistory::decode(&updated.encode()).expect("it was just encoded");
        commits[at..].iter().cloned().for_each(|commit| updated.apply(commit));
        read_contents(&mut updated);
        prop_assert_eq!(updated.encode(), whole.encode());
        prop_assert_eq!(updated.head(), whole.head());
        prop_assert_eq!(predict_all(updated), predict_all(whole));
    }

    #[test]
    fn predictions_are_distinct_and_confidences_are_probabilities(commits in any_commits()) {
        let mut history = CommitHistory::default();
        commits.into_iter().for_each(|commit| history.apply(commit));
        read_contents(&mut history);
        let memories = history.memories().len() as u32;
        for predicted in predict_all(history) {
            let mut numbers: Vec<u32> = predicted.iter().map(|commit| commit.memory).collect();
            numbers.sort_unstable();
            numbers.dedup();
            prop_assert_eq!(numbers.len(), predicted.len());
            prop_assert!(predicted.len() <= 10);
            for commit in &predicted {
                prop_assert!(commit.memory < memories);
                prop_assert!((0.0..=1.0).contains(&commit.confidence), "{commit:?}");
            }
        }
    }

    #[test]
    fn damaged_bytes_are_rejected_or_harmless(commits in any_commits(), at in 0.0..1.0_f64, to: u8) {
        let mut history = CommitHistory::default();
        commits.into_iter().for_each(|commit| history.apply(commit));
        let mut bytes = history.encode();
        let position = (bytes.len() as f64 * at) as usize;
        bytes[position] = to;
        if let Some(history) = CommitHistory::decode(&bytes) {
            predict_all(history);
        }
        CommitHistory::decode(&bytes[..position]);
    }
}

/// Makes a history of commits, each of which writes a line of some files.
fn history_of(commits: &[&[&str]]) -> CommitHistory {
    let mut history = CommitHistory::default();
    for (number, files) in commits.iter().enumerate() {
        let files = files.iter().map(|path| CommittedChange {
            status: ChangeStatus::Modified,
            old_path: (*path).to_owned(),
            path: (*path).to_owned(),
            blob: format!("{number}"),
            is_text: true,
            parents: vec![ParentVersion {
                blob: String::new(),
                hunks: vec![Hunk { old_start: 0, old_count: 0, new_start: 1, new_count: 2 }],
            }],
        });
        let files = files.collect();
        history.apply(HistoryCommit { files, ..commit_of(number, &[], true) });
    }
    history
}

#[test]
fn files_that_change_together_are_predicted_with_the_reason() {
    let pair: &[&str] = &["src/parser.rs", "src/lexer.rs"];
    let mut commits = vec![pair; 3];
    commits.extend([&["a.md"][..], &["b.md"], &["c.md"], &["d.md"], pair]);
    let predictor = Predictor::new(history_of(&commits));
    let number = predictor.history().file_number("src/parser.rs");
    let predicted =
        predictor.predict(&GivenFile { number, path: "src/parser.rs", ..GivenFile::default() }, 10);
    let best = &predicted[0];
    assert_eq!(best.memory, 7);
    let lexer = predictor.history().file_number("src/lexer.rs").unwrap();
    assert_eq!(best.reason, PredictionReason::ChangedTogether { file: lexer, together: 4, of: 4 });
    assert!(best.confidence > predicted.last().unwrap().confidence || predicted.len() == 1);
}

#[test]
fn in_a_young_repository_hot_files_are_predicted_too() {
    let commits = vec![&["a.rs", "b.rs"][..]; 9];
    let predictor = Predictor::new(history_of(&commits));
    let number = predictor.history().file_number("a.rs");
    assert!(predictor.is_hot(1));
    let predicted =
        predictor.predict(&GivenFile { number, path: "a.rs", ..GivenFile::default() }, 10);
    assert_eq!(predicted[0].memory, 8);
}

#[test]
fn an_empty_history_predicts_nothing() {
    let predictor = Predictor::new(CommitHistory::default());
    assert!(predictor.predict(&GivenFile { path: "a.rs", ..GivenFile::default() }, 10).is_empty());
}

#[test]
fn a_renamed_file_keeps_its_history() {
    let mut history = history_of(&[&["a.rs", "b.rs"]]);
    history.apply(commit_with(ChangeStatus::Renamed, "a.rs", "c.rs"));
    assert_eq!(history.file_number("c.rs"), Some(0));
    assert_eq!(history.files()[0].touches, [0, 1]);
    // A parallel branch still changes the former path.
    history.apply(commit_with(ChangeStatus::Modified, "a.rs", "a.rs"));
    assert_eq!(history.files()[0].touches, [0, 1, 2]);
    assert_eq!(history.files()[0].path, "c.rs");
    // A new file at the former path is another file.
    history.apply(commit_with(ChangeStatus::Added, "a.rs", "a.rs"));
    assert_eq!(history.file_number("a.rs"), Some(2));
}

fn commit_with(status: ChangeStatus, old: &str, new: &str) -> HistoryCommit {
    let change = CommittedChange {
        status,
        old_path: old.to_owned(),
        path: new.to_owned(),
        blob: "x".to_owned(),
        is_text: true,
        parents: vec![ParentVersion::default()],
    };
    HistoryCommit { files: vec![change], ..commit_of(9, &[], true) }
}
