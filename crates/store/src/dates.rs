//! The date of a document: what it says, else its last commit, else its file's date.
//!
//! A fresh clone has fresh file dates and must not look fresh, so git is asked before the file
//! system.

use std::collections::HashMap;

use heirloom_core::{Document, Problem, day};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::Root;
use crate::git::{self, GitFailed, LastCommit, Repository};
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
    let commits = history::last_commits(root, paths)?;
    let date = |path: &str| match commits.get(path) {
        Some(LastCommit::At(seconds)) => Timestamp::from_second(*seconds).ok().map(day::of),
        Some(LastCommit::BeyondShallow) => None,
        None => modified(root, path),
    };
    Ok(paths.iter().filter_map(|path| date(path).map(|date| (*path, date))).collect())
}

/// Returns when the lines of a file were first committed, by their text; a line that is there twice
/// has the earlier date. A file that no commit has, and a history that cannot be read, date nothing.
pub fn of_lines(root: &Root, path: &str) -> HashMap<String, Date> {
    if root.repository().is_none_or(Repository::is_unborn) {
        return HashMap::new();
    }
    let mut dates: HashMap<String, Date> = HashMap::new();
    for (line, seconds) in git::committed_lines(root, path).unwrap_or_default() {
        let moment = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        let Some(date) = moment.map(day::of) else { continue };
        dates.entry(line).and_modify(|own| *own = date.min(*own)).or_insert(date);
    }
    dates
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

fn modified(root: &Root, path: &str) -> Option<Date> {
    let modified = root.metadata(path).ok()??.modified().ok()?;
    Timestamp::try_from(modified.into_std()).ok().map(day::of)
}
