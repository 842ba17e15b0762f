//! The date of a document: its `updated:` field, else its last commit, else its modification time.
//!
//! Git takes precedence over the file system, because a fresh clone has new modification times and
//! must not make old documents look fresh.

use std::collections::HashMap;

use heirloom_core::{Document, Problem, day};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::Root;
use crate::git::{GitError, LastCommit, Repository};
use crate::history;

/// Returns the date of each document, in order, and the problems with dates that documents state.
pub fn of_documents(root: &Root, documents: &[&Document]) -> (Vec<Option<Date>>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut dates: Vec<Option<Date>> =
        documents.iter().map(|document| stated_date(document, &mut problems)).collect();
    let undated_paths: Vec<&str> = documents
        .iter()
        .zip(&dates)
        .filter(|(_, date)| date.is_none())
        .map(|(document, _)| document.path.as_str())
        .collect();
    if undated_paths.is_empty() {
        return (dates, problems);
    }
    match of_files(root, &undated_paths) {
        Ok(found) => {
            for (document, date) in documents.iter().zip(&mut dates) {
                *date = date.or_else(|| found.get(document.path.as_str()).copied());
            }
        }
        Err(error) => problems.push(
            Problem::in_file(
                ".git",
                format!("the history could not be read, so some dates are unknown: {}", error.0),
            )
            .hint("install git, or run `git log` here to see why it fails"),
        ),
    }
    (dates, problems)
}

/// Returns the dates of files that state none: the last commit, else the modification time. A file
/// whose last commit lies beyond the end of a shallow clone has none.
pub fn of_files<'p>(root: &Root, paths: &[&'p str]) -> Result<HashMap<&'p str, Date>, GitError> {
    let files = histories(root, paths)?.into_iter();
    Ok(files.filter_map(|(path, history)| Some((path, history.date?))).collect())
}

/// The date of a file according to the git history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileHistory {
    /// The day of its last commit, else of its modification; `None` beyond the end of a shallow clone.
    pub date: Option<Date>,
    /// A checksum that changes with every commit of the file, and when a shallow clone is deepened.
    pub version: u64,
}

/// Returns the history of each file.
pub fn histories<'p>(
    root: &Root,
    paths: &[&'p str],
) -> Result<HashMap<&'p str, FileHistory>, GitError> {
    let commits = history::last_commits(root, paths)?;
    let shallow = root.repository().map(Repository::shallow_boundaries).unwrap_or_default();
    let history = |path: &str| {
        let commit = commits.get(path);
        let date = match commit {
            Some(LastCommit::At(seconds)) => {
                Timestamp::from_second(*seconds).ok().map(day::of_timestamp)
            }
            Some(LastCommit::BeyondShallow) => None,
            None => modified_day(root, path),
        };
        let hash = blake3::hash(format!("{commit:?}\n{shallow}").as_bytes());
        let mut version = [0; 8];
        version.copy_from_slice(&hash.as_bytes()[..8]);
        FileHistory { date, version: u64::from_le_bytes(version) }
    };
    Ok(paths.iter().map(|path| (*path, history(path))).collect())
}

fn stated_date(document: &Document, problems: &mut Vec<Problem>) -> Option<Date> {
    let text = heirloom_core::document::scalar_to_text(document.fields.get("updated")?)?;
    let date = day::parse(&text);
    if date.is_none() {
        problems.push(
            Problem::at(
                &document.path,
                document.line_of("updated"),
                format!("`updated: {text}` is not a date"),
            )
            .hint("write it as 2026-02-22"),
        );
    }
    date
}

/// Returns the day of the modification time of a file.
pub fn modified_day(root: &Root, path: &str) -> Option<Date> {
    let modified = root.metadata(path).ok()??.modified().ok()?;
    Timestamp::try_from(modified.into_std()).ok().map(day::of_timestamp)
}
