//! What an error message names: files of the repository, and what it shares with other texts.

use heirloom_core::prediction::{CommitHistory, ErrorSignature, SharedSignature};

/// Maximum number of files of stack traces that count as files of the work.
const MAX_FILES_OF_TRACES: usize = 3;

/// The number of names or words that a reason states.
const MAX_STATED_NAMES: usize = 3;

/// Folders of code that is not part of the repository.
const FOREIGN_FOLDERS: [&str; 6] =
    ["node_modules/", "site-packages/", "dist-packages/", ".cargo/", "/rustc/", "/go/pkg/mod/"];

/// Returns the paths of files of the repository that stack traces name, in their order.
pub(super) fn files_of_traces(errors: &[ErrorSignature], history: &CommitHistory) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for path in errors.iter().flat_map(ErrorSignature::paths) {
        if FOREIGN_FOLDERS.iter().any(|folder| path.contains(folder)) {
            continue;
        }
        if let Some(found) = find_file(history, path).filter(|found| !files.contains(found)) {
            files.push(found);
        }
    }
    files.truncate(MAX_FILES_OF_TRACES);
    files
}

/// Returns the file that a path of another machine means: the longest end of it that is a path of the repository, or the
/// only file that ends with it.
fn find_file(history: &CommitHistory, path: &str) -> Option<String> {
    let alive = |path: &str| {
        let number = history.file_number(path)?;
        Some(&history.files()[number as usize]).filter(|file| file.is_alive && file.path == path)
    };
    let starts = path.match_indices('/').map(|(start, _)| start + 1);
    let mut ends = std::iter::once(0).chain(starts).map(|start| &path[start..]);
    // A name alone, such as `index.js`, is that of many files elsewhere.
    let by_end = ends.find_map(|end| alive(end).filter(|_| end.contains('/') || end == path));
    if let Some(file) = by_end {
        return Some(file.path.clone());
    }
    let is_end = |whole: &str| {
        whole.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut ending = history.files().iter().filter(|file| file.is_alive && is_end(&file.path));
    match (ending.next(), ending.next()) {
        (Some(file), None) => Some(file.path.clone()),
        _ => None,
    }
}

/// Says what an earlier error or a commit has in common with an error.
pub(super) fn describe(shared: &SharedSignature) -> String {
    let (verb, texts) = match shared.names.is_empty() {
        true => ("says", &shared.words),
        false => ("names", &shared.names),
    };
    let stated: Vec<&str> = texts.iter().map(String::as_str).take(MAX_STATED_NAMES).collect();
    format!("{verb} {}, as the error does", stated.join(", "))
}
