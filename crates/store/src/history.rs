//! The last commit of files, remembered between runs.
//!
//! Walking a long history for a file that changed long ago takes git seconds; the answer holds as
//! long as the same commit is checked out. When that commit has moved forward, only what came
//! since is walked. The file is a cache: one that is damaged, or of another history, is not used.

use std::collections::HashMap;

use crate::Root;
use crate::files::MAX_CACHE_BYTES;
use crate::git::{self, GitFailed, LastCommit};

/// What was learnt while one commit was checked out.
struct Known {
    head: String,
    /// `None` for a file that no commit has.
    commits: HashMap<String, Option<LastCommit>>,
}

/// Returns the last commit of each of these files; files that no commit has are not in the answer.
pub(crate) fn last_commits(
    root: &Root,
    paths: &[&str],
) -> Result<HashMap<String, LastCommit>, GitFailed> {
    let Some(repository) = root.repository().filter(|repository| !repository.is_unborn()) else {
        return Ok(HashMap::new());
    };
    let Some(head) = repository.head() else {
        return git::last_commits(root, paths, None);
    };
    let shallow = repository.shallow_ends();
    let mut known =
        load(root, &shallow).unwrap_or(Known { head: head.clone(), commits: HashMap::new() });
    let mut changed = known.head != head;
    if changed {
        if git::is_ancestor(root, &known.head, &head)? {
            let remembered: Vec<&str> = known.commits.keys().map(String::as_str).collect();
            let newer = git::last_commits(root, &remembered, Some(&known.head))?;
            known.commits.extend(newer.into_iter().map(|(path, commit)| (path, Some(commit))));
        } else {
            known.commits.clear();
        }
        known.head = head;
    }
    let missing: Vec<&str> =
        paths.iter().copied().filter(|path| !known.commits.contains_key(*path)).collect();
    if !missing.is_empty() {
        changed = true;
        // A long history is not walked for what nobody has committed yet.
        let kept = git::tracked(root, &missing)?;
        let found = git::last_commits(root, &kept, None)?;
        known
            .commits
            .extend(missing.iter().map(|path| ((*path).to_owned(), found.get(*path).copied())));
    }
    if changed {
        save(root, &known, &shallow);
    }
    Ok(paths
        .iter()
        .filter_map(|path| Some(((*path).to_owned(), (*known.commits.get(*path)?)?)))
        .collect())
}

/// The file, in the folder of derived files.
const FILE: &str = "history";

/// The first line names the commit and the shallow ends; the others are `seconds path`, with `?`
/// for a date beyond them and `-` for a file that no commit has.
fn load(root: &Root, shallow: &str) -> Option<Known> {
    let text = root.existing_cache()?.read_text(FILE, MAX_CACHE_BYTES).ok()?;
    let mut lines = text.lines();
    let (head, ends) = lines.next()?.split_once(' ')?;
    if ends != fingerprint(shallow) {
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
    Some(Known { head: head.to_owned(), commits: commits.collect() })
}

fn save(root: &Root, known: &Known, shallow: &str) {
    let mut text = format!("{} {}\n", known.head, fingerprint(shallow));
    let mut paths: Vec<_> = known.commits.iter().filter(|(path, _)| !path.contains('\n')).collect();
    paths.sort_by_key(|(path, _)| *path);
    for (path, commit) in paths {
        let date = match commit {
            Some(LastCommit::At(seconds)) => seconds.to_string(),
            Some(LastCommit::BeyondShallow) => "?".to_owned(),
            None => "-".to_owned(),
        };
        text.push_str(&format!("{date} {path}\n"));
    }
    // A cache that cannot be written is no failure: the next run asks git again.
    drop(root.cache("").and_then(|cache| cache.replace(FILE, &text)));
}

pub(crate) fn fingerprint(shallow: &str) -> String {
    blake3::hash(shallow.as_bytes()).to_hex()[..16].to_owned()
}
