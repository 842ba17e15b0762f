//! A cache of the last commit of each file.
//!
//! Git needs seconds to find the last commit of a file in a long history. The result is valid as long
//! as the same commit is checked out; when the branch has moved forward, only the new commits are
//! read. A cache that is damaged or belongs to another history is ignored.

use std::collections::HashMap;

use crate::Root;
use crate::files::MAX_CACHE_BYTES;
use crate::git::{self, GitError, LastCommit};

/// The cached last commits, valid while `head` is checked out.
struct CommitCache {
    head: String,
    /// By path; `None` for a file that is not in any commit.
    commits: HashMap<String, Option<LastCommit>>,
}

/// Returns the last commit of each file; files that are not in any commit are not in the result.
pub(crate) fn last_commits(
    root: &Root,
    paths: &[&str],
) -> Result<HashMap<String, LastCommit>, GitError> {
    let Some(repository) = root.repository().filter(|repository| !repository.is_unborn()) else {
        return Ok(HashMap::new());
    };
    let Some(head) = repository.head_commit() else {
        return git::last_commits(root, paths, None);
    };
    let shallow = repository.shallow_boundaries();
    let mut cache =
        load(root, &shallow).unwrap_or(CommitCache { head: head.clone(), commits: HashMap::new() });
    let mut is_changed = cache.head != head;
    if is_changed {
        if git::is_ancestor(root, &cache.head, &head)? {
            let cached: Vec<&str> = cache.commits.keys().map(String::as_str).collect();
            let newer = git::last_commits(root, &cached, Some(&cache.head))?;
            cache.commits.extend(newer.into_iter().map(|(path, commit)| (path, Some(commit))));
        } else {
            cache.commits.clear();
        }
        cache.head = head;
    }
    let missing: Vec<&str> =
        paths.iter().copied().filter(|path| !cache.commits.contains_key(*path)).collect();
    if !missing.is_empty() {
        is_changed = true;
        // Git would read the whole history to find out that a file was never committed.
        let tracked = git::filter_tracked(root, &missing)?;
        let found = git::last_commits(root, &tracked, None)?;
        cache
            .commits
            .extend(missing.iter().map(|path| ((*path).to_owned(), found.get(*path).copied())));
    }
    if is_changed {
        save(root, &cache, &shallow);
    }
    Ok(paths
        .iter()
        .filter_map(|path| Some(((*path).to_owned(), (*cache.commits.get(*path)?)?)))
        .collect())
}

/// The file name in the cache folder.
const FILE: &str = "history";

/// Reads the cache. The first line is the commit and a hash of the shallow boundaries; the others are
/// `seconds path`, with `?` for a commit beyond a boundary and `-` for a file without any commit.
fn load(root: &Root, shallow: &str) -> Option<CommitCache> {
    let text = root.existing_cache()?.read_text(FILE, MAX_CACHE_BYTES).ok()?;
    let mut lines = text.lines();
    let (head, shallow_hash) = lines.next()?.split_once(' ')?;
    if shallow_hash != short_hash(shallow) {
        return None;
    }
    let commits = lines.filter_map(|line| {
        let (date, path) = line.split_once(' ')?;
        let commit = match date {
            "?" => Some(LastCommit::BeyondShallow),
            "-" => None,
            seconds => Some(LastCommit::At(seconds.parse().ok()?)),
        };
        Some((path.to_owned(), commit))
    });
    Some(CommitCache { head: head.to_owned(), commits: commits.collect() })
}

fn save(root: &Root, cache: &CommitCache, shallow: &str) {
    let mut text = format!("{} {}\n", cache.head, short_hash(shallow));
    let mut paths: Vec<_> = cache.commits.iter().filter(|(path, _)| !path.contains('\n')).collect();
    paths.sort_by_key(|(path, _)| *path);
    for (path, commit) in paths {
        let date = match commit {
            Some(LastCommit::At(seconds)) => seconds.to_string(),
            Some(LastCommit::BeyondShallow) => "?".to_owned(),
            None => "-".to_owned(),
        };
        text.push_str(&format!("{date} {path}\n"));
    }
    // Best effort: without the cache, the next run asks git again.
    drop(root.open_cache("").and_then(|folder| folder.replace(FILE, &text)));
}

pub(crate) fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}
