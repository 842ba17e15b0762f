//! What prediction reads: the output of git, its own cache, and source files.

use heirloom_core::imports::SourceFiles;
use heirloom_core::prediction::{CommitHistory, FileContent, GivenFile, HistoryCommit, Predictor};
use heirloom_store::git;
use heirloom_syntax::read_statements;

use crate::signature::Signature;

/// The hash of the commit whose changes are parsed.
const COMMIT: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// The number of predictions that are asked for.
const PREDICTIONS: usize = 5;

/// Maximum number of files for which predictions are asked.
const MAX_GIVEN_FILES: usize = 5;

/// Parses what git prints for a commit, and adds it to a history twice: every change has a version for each parent, and
/// the history is the same after it was stored.
pub fn patch_read(data: &[u8]) -> Signature {
    let output = [COMMIT.as_bytes(), b"\n", data].concat();
    let Ok(changes) = git::parse_changes(&output, COMMIT) else { return Signature::of("refused") };
    assert!(changes.iter().all(|change| !change.parents.is_empty()), "{changes:?}");
    let statuses: Vec<_> = changes.iter().map(|change| change.status as u8).take(4).collect();
    let hunks: usize = changes.iter().flat_map(|it| &it.parents).map(|it| it.hunks.len()).sum();
    let mut history = CommitHistory::default();
    for time in 0..2 {
        history.apply(HistoryCommit {
            id: format!("{time:040}"),
            author: String::new(),
            time,
            message: "Change".to_owned(),
            is_memory: true,
            files: changes.clone(),
        });
    }
    check_history(history);
    Signature::of((statuses, hunks.min(5)))
}

/// Reads the cache of prediction: whatever is accepted is the same after it was stored again, and predicts commits that
/// exist.
pub fn prediction_state_read(data: &[u8]) -> Signature {
    let Some(history) = CommitHistory::decode(data) else { return Signature::of("refused") };
    let shape =
        (history.files().len().min(4), history.memories().len().min(4), history.head().is_some());
    check_history(history);
    Signature::of(shape)
}

fn check_history(mut history: CommitHistory) {
    let bytes = history.encode();
    let Some(again) = CommitHistory::decode(&bytes) else { panic!("a stored history is refused") };
    assert_eq!(again.encode(), bytes, "a stored history differs");
    for file in history.outdated_files() {
        history.set_content(file.number, FileContent::default());
    }
    let paths: Vec<String> =
        history.files().iter().take(MAX_GIVEN_FILES).map(|file| file.path.clone()).collect();
    let memories = history.memories().len();
    let predictor = Predictor::new(history);
    for path in &paths {
        let number = predictor.history().file_number(path);
        let given = GivenFile { number, path, ..GivenFile::default() };
        for commit in predictor.predict(&given, PREDICTIONS) {
            assert!((commit.memory as usize) < memories, "{commit:?}");
            assert!((0.0..=1.0).contains(&commit.confidence), "{commit:?}");
        }
        drop(predictor.import_neighbours(&given));
    }
}

/// Reads the imports of a source file. The first line of the input is its path. Reading is deterministic, and an import is
/// a file that exists and another one.
pub fn imports_read(data: &[u8]) -> Signature {
    let Some(line_end) = data.iter().position(|byte| *byte == b'\n') else {
        return Signature::SKIPPED;
    };
    let Ok(path) = str::from_utf8(&data[..line_end]) else { return Signature::SKIPPED };
    let source = &data[line_end + 1..];
    let statements = read_statements(path, source);
    assert_eq!(statements, read_statements(path, source), "reading twice differs");
    let others =
        ["src/a.rs", "src/a/b.rs", "a/__init__.py", "a/b.py", "a.ts", "b/index.js", "x/C.java"];
    let all = others.iter().copied().chain([path]).zip(0..);
    let files = SourceFiles::new(all.map(|(path, number)| match number {
        7 => (number, path, statements.as_slice()),
        _ => (number, path, &[][..]),
    }));
    let imports = files.imports(path, &statements);
    assert!(imports.iter().all(|file| *file < others.len() as u32), "{imports:?}");
    let kinds: Vec<_> = statements.iter().map(std::mem::discriminant).take(3).collect();
    Signature::of((kinds, statements.len().min(5), imports))
}
