//! The commits that wrote the lines which a query changes, as `git blame` names them at its parent.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::Command;

use heirloom_core::parallel;
use heirloom_core::prediction::{CommittedChange, HistoryCommit};

use super::queries::Query;
use crate::failure::Failure;

/// Sets the writers of all changed lines.
pub(super) fn set_writers(
    folder: &Path,
    git: &Path,
    commits: &[HistoryCommit],
    numbers: &HashMap<String, u32>,
    queries: &mut [Query],
) -> Result<(), Failure> {
    let files: Vec<(usize, usize, &HistoryCommit, &CommittedChange)> = queries
        .iter()
        .enumerate()
        .flat_map(|(query_number, query)| {
            let commit = &commits[query.commit];
            query.others.iter().enumerate().filter(|(_, other)| !other.is_hot).filter_map(
                move |(other_number, other)| {
                    let change = &commit.files[other.changed_lines?];
                    Some((query_number, other_number, commit, change))
                },
            )
        })
        .collect();
    let blamed =
        parallel::map(&files, 1, |(_, _, commit, change)| blame(folder, git, commit, change));
    for ((query, other, ..), writers) in files.iter().zip(blamed) {
        let known = writers?.into_iter().filter_map(|id| numbers.get(&id).copied()).collect();
        queries[*query].others[*other].writers = known;
    }
    Ok(())
}

/// Returns the hashes of the commits that wrote the removed lines of a change.
fn blame(
    folder: &Path,
    git: &Path,
    commit: &HistoryCommit,
    change: &CommittedChange,
) -> Result<HashSet<String>, Failure> {
    let mut command = Command::new(git);
    command.current_dir(folder).args(["blame", "--porcelain"]);
    for hunk in
        change.parents.iter().flat_map(|parent| &parent.hunks).filter(|hunk| hunk.old_count > 0)
    {
        command.arg(format!("-L{},+{}", hunk.old_start, hunk.old_count));
    }
    command.arg(format!("{}^", commit.id)).arg("--").arg(&change.old_path);
    let output = command.output().map_err(Failure::io("running", git))?;
    if !output.status.success() {
        return Err(Failure::command("git blame", output.status, &output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let is_commit = |line: &&str| {
        let mut words = line.split(' ');
        words.next().is_some_and(|word| {
            word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        }) && words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let ids = text.lines().filter(|line| !line.starts_with('\t')).filter(is_commit);
    Ok(ids.filter_map(|line| line.split(' ').next().map(str::to_owned)).collect())
}
