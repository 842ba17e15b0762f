//! A commit of the history with the stored memories that belong to it, found by the beginning of its hash.

use heirloom_core::path::relative_to;
use heirloom_core::prediction::CommitMemory;
use schemars::JsonSchema;
use serde::Serialize;

use super::commits::{day_of, lists_of_commit};
use super::given_file::repository_prefix;
use super::history;
use super::memory::{PredictedMemory, short_hash};
use crate::recall::ContextQuery;
use crate::{Error, Session};

/// The least number of digits that are taken for the beginning of a hash.
const MIN_HASH_DIGITS: usize = 4;

/// The number of digits of a whole hash, SHA-256 included.
const MAX_HASH_DIGITS: usize = 64;

/// Maximum number of candidates that an ambiguous hash lists.
const MAX_CANDIDATES: usize = 10;

/// A commit with what belongs to it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommitDetails {
    /// The hash.
    pub(crate) id: String,
    /// The first line of the message.
    pub(crate) subject: String,
    /// The rest of the message, possibly shortened.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) body: String,
    /// The author.
    pub(crate) author: String,
    /// The day.
    pub(crate) date: Option<String>,
    /// The files that it changed, under their latest paths.
    pub(crate) files: Vec<String>,
    /// The stored memories that name it, and the decision records that it changed.
    pub(crate) memories: Vec<CommitMemoryItem>,
}

/// A stored memory that belongs to a commit.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommitMemoryItem {
    /// Its id.
    pub(crate) id: String,
    /// The id by which people name it.
    #[serde(skip)]
    pub(crate) short_id: String,
    /// Its kind.
    pub(crate) kind: String,
    /// Its title or opening.
    pub(crate) title: String,
}

/// Returns the commit whose hash begins with some digits: `None` if they cannot be a hash, or if no commit of the
/// history has it; an error if several do.
pub(crate) fn find_commit(session: &Session, typed: &str) -> Result<Option<CommitDetails>, Error> {
    if !is_hash_start(typed) {
        return Ok(None);
    }
    let Ok(predictor) = history::open(session) else { return Ok(None) };
    let history = predictor.history();
    let Some(commit) = find_by_hash(history.memories(), typed)? else { return Ok(None) };
    let prefix = repository_prefix(session);
    let path = |file: &u32| relative_to(&prefix, &history.files()[*file as usize].path);
    let files: Vec<String> = commit.files.iter().map(path).collect();
    let lists = lists_of_commit(&commit.id, &files);
    let found = ContextQuery { lists, ..ContextQuery::default() }.read(session)?;
    let mut memories: Vec<CommitMemoryItem> = Vec::new();
    for hit in found.lists.iter().flatten() {
        let memory = PredictedMemory::of_hit(hit, 1.0, String::new());
        if memories.iter().all(|known| known.id != memory.id) {
            let short_id = memory.short_id().to_owned();
            let PredictedMemory { id, kind, title, .. } = memory;
            memories.push(CommitMemoryItem { id, short_id, kind, title });
        }
    }
    let (subject, body) = commit.message.split_once('\n').unwrap_or((&commit.message, ""));
    Ok(Some(CommitDetails {
        id: commit.id.clone(),
        subject: subject.trim().to_owned(),
        body: body.trim().to_owned(),
        author: commit.author.clone(),
        date: day_of(commit),
        files,
        memories,
    }))
}

fn is_hash_start(typed: &str) -> bool {
    (MIN_HASH_DIGITS..=MAX_HASH_DIGITS).contains(&typed.len())
        && typed.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn find_by_hash<'c>(
    commits: &'c [CommitMemory],
    typed: &str,
) -> Result<Option<&'c CommitMemory>, Error> {
    let typed = typed.to_ascii_lowercase();
    let matching = commits.iter().filter(|commit| commit.id.starts_with(&typed));
    match matching.collect::<Vec<_>>().as_slice() {
        [] => Ok(None),
        [commit] => Ok(Some(commit)),
        several => Err(ambiguous(&typed, several)),
    }
}

fn ambiguous(typed: &str, commits: &[&CommitMemory]) -> Error {
    let message = format!("{} commits begin with `{typed}`", commits.len());
    // As many digits as tell the candidates apart, and a few more for people.
    let digits = (typed.len() + 4).max(short_hash(&commits[0].id).len());
    let hash = |id: &str| id.get(..digits).unwrap_or(id).to_owned();
    let newest = commits.iter().rev().take(MAX_CANDIDATES);
    let candidates = newest.map(|commit| format!("{} {}", hash(&commit.id), commit.subject()));
    Error::not_found(message, candidates.collect()).hint("state more digits of the hash")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_hash_is_an_error_with_candidates() {
        let commit = |id: &str, message: &str| CommitMemory {
            id: id.to_owned(),
            author: String::new(),
            time: 0,
            message: message.to_owned(),
            files: vec![],
        };
        let commits = [commit("abcd1234ff", "One"), commit("abcd5678ff", "Two\n\nMore")];
        let error = find_by_hash(&commits, "abcd").unwrap_err();
        assert_eq!(error.message, "2 commits begin with `abcd`");
        assert_eq!(error.candidates, ["abcd5678 Two", "abcd1234 One"]);
        assert_eq!(find_by_hash(&commits, "ABCD1").unwrap(), Some(&commits[0]));
        assert_eq!(find_by_hash(&commits, "0000").unwrap(), None);
        assert!(is_hash_start("abcd") && !is_hash_start("abc") && !is_hash_start("ghij"));
    }
}
