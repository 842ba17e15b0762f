//! The queries of a replay, and what a good prediction contains.

use std::collections::{HashMap, HashSet};

use heirloom_core::prediction::{
    ChangeStatus, CommitHistory, CommittedChange, HistoryCommit, MAX_SMALL_COMMIT_FILES,
    is_hot_by_name,
};
use heirloom_testkit::SeededRng;

/// The part of the memories that come before the queries.
const FIRST_QUERY_PART: f64 = 0.7;

/// A file that so many of the last memories touched is hot.
const MIN_HOT_CHANGES: usize = 5;
const HOT_WINDOW: usize = 100;

/// The number of latest memories that stand for a file.
const RECENT_MEMORIES: usize = 5;

/// The number of predictions that count.
pub(super) const PREDICTIONS: usize = 10;

/// A commit of which one file is given.
pub(super) struct Query {
    /// The number of its memory.
    pub(super) memory: usize,
    /// Its position among all commits.
    pub(super) commit: usize,
    /// The given file, and its path before the commit.
    pub(super) given: u32,
    pub(super) given_path: String,
    /// Its other files.
    pub(super) others: Vec<OtherFile>,
}

/// A file that is not given.
pub(super) struct OtherFile {
    pub(super) file: u32,
    /// Whether it changes with everything, and does not count.
    pub(super) is_hot: bool,
    /// The latest small memories that touched it; empty if none did.
    pub(super) recent: Vec<u32>,
    /// The position of its change in the commit, if lines of it are removed or replaced.
    pub(super) changed_lines: Option<usize>,
    /// The memories that wrote the lines that change. `git blame` names them.
    pub(super) writers: HashSet<u32>,
}

/// The result of one query: the share of files that the predictions cover; `None` if no file counts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct QueryScore {
    pub(super) files: Option<f64>,
    pub(super) lines: Option<f64>,
}

impl Query {
    /// Scores the first predictions.
    pub(super) fn score(&self, predicted: &[u32]) -> QueryScore {
        let predicted: HashSet<u32> = predicted.iter().copied().take(PREDICTIONS).collect();
        let share = |targets: Vec<bool>| {
            let hits = targets.iter().filter(|is_hit| **is_hit).count();
            (!targets.is_empty()).then(|| hits as f64 / targets.len() as f64)
        };
        let counted = || self.others.iter().filter(|other| !other.is_hot);
        let files = counted().filter(|other| !other.recent.is_empty());
        let lines = counted().filter(|other| other.changed_lines.is_some());
        QueryScore {
            files: share(
                files.map(|other| other.recent.iter().any(|it| predicted.contains(it))).collect(),
            ),
            lines: share(lines.map(|other| !other.writers.is_disjoint(&predicted)).collect()),
        }
    }
}

/// Returns the queries. `history` contains all commits.
pub(super) fn queries(commits: &[HistoryCommit], history: &CommitHistory, seed: u64) -> Vec<Query> {
    let memories = history.memories();
    let first = (memories.len() as f64 * FIRST_QUERY_PART) as usize;
    let with_position = commits.iter().enumerate().filter(|(_, commit)| commit.is_memory);
    let mut queries = Vec::new();
    for (number, (position, commit)) in with_position.enumerate() {
        let files = &memories[number].files;
        if number < first || !(2..=MAX_SMALL_COMMIT_FILES).contains(&files.len()) {
            continue;
        }
        let changes = changes_by_file(commit, files);
        let existed = |file: &&u32| {
            changes.get(*file).is_some_and(|(_, change)| change.status != ChangeStatus::Added)
        };
        let candidates: Vec<u32> = files.iter().filter(existed).copied().collect();
        let mut rng = SeededRng::new(seed.wrapping_mul(0x9e37_79b9) ^ hash(&commit.id));
        let Some(given) = rng.pick(&candidates).copied() else { continue };
        let hot_counts = touches_before(history, number);
        let other = |file: &u32| {
            let (position, change) = changes.get(file)?;
            Some(other_file(history, number, (*file, *position, change), &hot_counts))
        };
        queries.push(Query {
            memory: number,
            commit: position,
            given,
            given_path: changes[&given].1.old_path.clone(),
            others: files.iter().filter(|file| **file != given).filter_map(other).collect(),
        });
    }
    queries
}

/// Returns the changes of a commit by the number of their file; none if two changes concern the same file.
fn changes_by_file<'c>(
    commit: &'c HistoryCommit,
    files: &[u32],
) -> HashMap<u32, (usize, &'c CommittedChange)> {
    if files.len() != commit.files.len() {
        return HashMap::new();
    }
    files.iter().copied().zip(commit.files.iter().enumerate()).collect()
}

fn other_file(
    history: &CommitHistory,
    memory: usize,
    (file, position, change): (u32, usize, &CommittedChange),
    hot_counts: &HashMap<u32, usize>,
) -> OtherFile {
    let is_small = |number: &&u32| history.memories()[**number as usize].is_small();
    let touches = history.files()[file as usize].touches.iter();
    let earlier: Vec<u32> = touches
        .take_while(|number| (**number as usize) < memory)
        .filter(is_small)
        .copied()
        .collect();
    let is_hot = hot_counts.get(&file).is_some_and(|count| *count >= MIN_HOT_CHANGES)
        || is_hot_by_name(&change.path)
        || is_hot_by_name(&change.old_path);
    let has_removed =
        change.parents.iter().flat_map(|parent| &parent.hunks).any(|hunk| hunk.old_count > 0);
    let has_lines = change.status != ChangeStatus::Added && change.is_text && has_removed;
    OtherFile {
        file,
        is_hot,
        recent: earlier[earlier.len().saturating_sub(RECENT_MEMORIES)..].to_vec(),
        changed_lines: has_lines.then_some(position),
        writers: HashSet::new(),
    }
}

/// Counts how many of the memories before one touched each file.
fn touches_before(history: &CommitHistory, memory: usize) -> HashMap<u32, usize> {
    let mut counts = HashMap::new();
    for memory in &history.memories()[memory.saturating_sub(HOT_WINDOW)..memory] {
        memory.files.iter().for_each(|file| *counts.entry(*file).or_default() += 1);
    }
    counts
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_share_of_files_that_count() {
        let other = |is_hot, recent: &[u32], changed_lines, writers: &[u32]| OtherFile {
            file: 0,
            is_hot,
            recent: recent.to_vec(),
            changed_lines,
            writers: writers.iter().copied().collect(),
        };
        let query = Query {
            memory: 20,
            commit: 20,
            given: 9,
            given_path: String::new(),
            others: vec![
                other(false, &[1, 2], Some(0), &[2]),
                other(false, &[3], Some(1), &[7]),
                other(false, &[], None, &[]),
                other(true, &[5], Some(2), &[5]),
            ],
        };
        assert_eq!(query.score(&[1, 5]), QueryScore { files: Some(0.5), lines: Some(0.0) });
        assert_eq!(query.score(&[2, 7]), QueryScore { files: Some(0.5), lines: Some(1.0) });
    }
}
