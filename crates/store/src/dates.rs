//! The date of a document: what it says, else its last commit, else its file's date.
//!
//! A fresh clone has fresh file dates and must not look fresh, so git is asked before the file
//! system.

use std::collections::HashMap;

use heirloom_core::{Document, Problem, day};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::Root;
use crate::git::{GitFailed, LastCommit, Repository};
use crate::history;

/// Returns the date of each document, in order, and what was wrong with the dates they state.
pub fn of_documents(root: &Root, documents: &[&Document]) -> (Vec<Option<Date>>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut dates: Vec<Option<Date>> =
        documents.iter().map(|document| stated(document, &mut problems)).collect();
    let undated: Vec<&str> = documents
        .iter()
        .zip(&dates)
        .filter(|(_, date)| date.is_none())
        .map(|(document, _)| document.path.as_str())
        .collect();
    if undated.is_empty() {
        return (dates, problems);
    }
    match of_files(root, &undated) {
        Ok(found) => {
            for (document, date) in documents.iter().zip(&mut dates) {
                *date = date.or_else(|| found.get(document.path.as_str()).copied());
            }
        }
        Err(failed) => problems.push(
            Problem::of_file(
                ".git",
                format!("the history could not be read, so some dates are unknown: {}", failed.0),
            )
            .hint("install git"),
        ),
    }
    (dates, problems)
}

/// Returns the dates of files that state none: of their last commit, else of the file. One whose
/// history is cut off has none.
pub fn of_files<'p>(root: &Root, paths: &[&'p str]) -> Result<HashMap<&'p str, Date>, GitFailed> {
    let files = histories(root, paths)?.into_iter();
    Ok(files.filter_map(|(path, history)| Some((path, history.date?))).collect())
}

/// What the history says of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileHistory {
    /// The day of its last commit, else of the file; `None` where the history is cut off.
    pub date: Option<Date>,
    /// A checksum that changes with every commit of the file, and when a shallow clone gets more
    /// history.
    pub version: u64,
}

/// Returns what the history says of each of these files.
pub fn histories<'p>(
    root: &Root,
    paths: &[&'p str],
) -> Result<HashMap<&'p str, FileHistory>, GitFailed> {
    let commits = history::last_commits(root, paths)?;
    let shallow = root.repository().map(Repository::shallow_ends).unwrap_or_default();
    let history = |path: &str| {
        let commit = commits.get(path);
        let date = match commit {
            Some(LastCommit::At(seconds)) => Timestamp::from_second(*seconds).ok().map(day::of),
            Some(LastCommit::BeyondShallow) => None,
            None => modified(root, path),
        };
        let hash = blake3::hash(format!("{commit:?}\n{shallow}").as_bytes());
        let mut version = [0; 8];
        version.copy_from_slice(&hash.as_bytes()[..8]);
        FileHistory { date, version: u64::from_le_bytes(version) }
    };
    Ok(paths.iter().map(|path| (*path, history(path))).collect())
}

fn stated(document: &Document, problems: &mut Vec<Problem>) -> Option<Date> {
    let written = heirloom_core::document::scalar_text(document.fields.get("updated")?)?;
    let date = day::parse(&written);
    if date.is_none() {
        problems.push(
            Problem::at(
                &document.path,
                document.line_of("updated"),
                format!("`updated: {written}` is not a date"),
            )
            .hint("write it as 2026-02-22"),
        );
    }
    date
}

/// Returns the day on which a file was modified.
pub fn modified(root: &Root, path: &str) -> Option<Date> {
    let modified = root.metadata(path).ok()??.modified().ok()?;
    Timestamp::try_from(modified.into_std()).ok().map(day::of)
}
