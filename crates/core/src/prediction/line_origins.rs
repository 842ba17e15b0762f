//! Which commit wrote each line of a file: runs of lines, moved forward by the hunks of each commit.

use std::collections::BTreeMap;

use super::commit::{Hunk, ParentVersion};

/// The origin of lines that no memory wrote: older ones, and those of merges and bots.
pub(super) const NO_MEMORY: u32 = u32::MAX;

/// Marks lines that a parent of a merge does not have.
const NOT_IN_PARENT: u32 = u32::MAX - 1;

/// With more runs, the origins of a file are forgotten: a generated file that changes everywhere would dominate the
/// size of the state.
const MAX_RUNS_PER_FILE: usize = 20_000;

/// How many versions of a file are kept besides the latest. Commits on parallel branches begin with older versions.
const OLDER_VERSIONS_KEPT: usize = 5;

/// Consecutive lines with the same origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRun {
    /// The number of the memory, or [`NO_MEMORY`].
    pub(super) origin: u32,
    pub(super) lines: u32,
}

/// The origins of the lines of a file in one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineVersion {
    /// The hash of the content.
    pub(super) blob: String,
    pub(super) runs: Vec<LineRun>,
}

/// The origins of a file's lines in its latest versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LineOrigins {
    /// The versions, the latest last.
    pub(super) versions: Vec<LineVersion>,
}

impl LineOrigins {
    /// Returns the runs of the latest version.
    pub(super) fn runs(&self) -> &[LineRun] {
        self.versions.last().map_or(&[], |version| &version.runs)
    }

    /// Returns the number of lines, and how many of them each memory wrote.
    pub(super) fn owners(&self) -> (u32, BTreeMap<u32, u32>) {
        let mut owners = BTreeMap::new();
        let mut total = 0_u32;
        for run in self.runs() {
            total = total.saturating_add(run.lines);
            if run.origin != NO_MEMORY {
                let lines: &mut u32 = owners.entry(run.origin).or_default();
                *lines = lines.saturating_add(run.lines);
            }
        }
        (total, owners)
    }

    /// Adds the version of a commit. New lines originate in `author`, those of a merge that no parent has in no memory.
    pub(super) fn advance(&mut self, blob: &str, parents: &[ParentVersion], author: u32) {
        let runs = match parents {
            [] => vec![],
            [parent] => replace_lines(self.version(&parent.blob), &parent.hunks, author),
            parents => self.merge(parents),
        };
        self.versions.retain(|version| version.blob != blob);
        let runs = if runs.len() > MAX_RUNS_PER_FILE { vec![] } else { runs };
        self.versions.push(LineVersion { blob: blob.to_owned(), runs });
        if self.versions.len() > OLDER_VERSIONS_KEPT + 1 {
            self.versions.remove(0);
        }
    }

    /// Returns the runs of a version, or of the latest if that one is not known. Git writes zeros for a file that is new.
    fn version(&self, blob: &str) -> &[LineRun] {
        if !blob.is_empty() && blob.bytes().all(|digit| digit == b'0') {
            return &[];
        }
        let known = self.versions.iter().rev().find(|version| version.blob == blob);
        known.map_or(self.runs(), |version| &version.runs)
    }

    /// Returns the runs of a merge: a line originates where it does in the first parent that has it.
    fn merge(&self, parents: &[ParentVersion]) -> Vec<LineRun> {
        let moved = |parent: &ParentVersion| {
            replace_lines(self.version(&parent.blob), &parent.hunks, NOT_IN_PARENT)
        };
        let mut merged = Vec::new();
        for parent in parents {
            let runs = moved(parent);
            merged = if merged.is_empty() { runs } else { fill_from(&merged, &runs) };
        }
        for run in merged.iter_mut().filter(|run| run.origin == NOT_IN_PARENT) {
            run.origin = NO_MEMORY;
        }
        merged
    }
}

/// Returns the runs after hunks were applied. Lines beyond the known ones have no known origin.
fn replace_lines(old: &[LineRun], hunks: &[Hunk], author: u32) -> Vec<LineRun> {
    let mut cursor = RunCursor { runs: old, used: 0 };
    let mut runs = Vec::with_capacity(old.len() + 2 * hunks.len());
    let mut line = 0;
    for hunk in hunks {
        // With no removed line, the hunk stands after the line `old_start`.
        let start =
            if hunk.old_count > 0 { hunk.old_start.saturating_sub(1) } else { hunk.old_start };
        cursor.take(start.saturating_sub(line), |run| push(&mut runs, run));
        cursor.take(hunk.old_count, |_| {});
        push(&mut runs, LineRun { origin: author, lines: hunk.new_count });
        line = start.saturating_add(hunk.old_count);
    }
    cursor.take_rest(|run| push(&mut runs, run));
    runs
}

/// Replaces the lines that a first parent does not have by those of another one, line by line.
fn fill_from(first: &[LineRun], other: &[LineRun]) -> Vec<LineRun> {
    let mut cursor = RunCursor { runs: other, used: 0 };
    let mut runs = Vec::with_capacity(first.len());
    for run in first {
        match run.origin {
            NOT_IN_PARENT => cursor.take(run.lines, |run| push(&mut runs, run)),
            _ => {
                cursor.take(run.lines, |_| {});
                push(&mut runs, *run);
            }
        }
    }
    runs
}

/// Appends a run, joined with the last one if their origin is the same.
fn push(runs: &mut Vec<LineRun>, run: LineRun) {
    match runs.last_mut() {
        _ if run.lines == 0 => {}
        Some(last) if last.origin == run.origin => {
            last.lines = last.lines.saturating_add(run.lines);
        }
        _ => runs.push(run),
    }
}

/// Reads runs line by line.
struct RunCursor<'r> {
    runs: &'r [LineRun],
    /// How many lines of the first run are taken.
    used: u32,
}

impl RunCursor<'_> {
    /// Passes the next lines on; lines beyond the end have no known origin.
    fn take(&mut self, mut lines: u32, mut each: impl FnMut(LineRun)) {
        while lines > 0 {
            let Some(run) = self.runs.first() else {
                each(LineRun { origin: NO_MEMORY, lines });
                return;
            };
            let part = lines.min(run.lines - self.used);
            each(LineRun { origin: run.origin, lines: part });
            lines -= part;
            self.used += part;
            if self.used == run.lines {
                self.runs = &self.runs[1..];
                self.used = 0;
            }
        }
    }

    fn take_rest(&mut self, mut each: impl FnMut(LineRun)) {
        while let Some(run) = self.runs.first() {
            each(LineRun { origin: run.origin, lines: run.lines - self.used });
            self.runs = &self.runs[1..];
            self.used = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old_start: u32, old_count: u32, new_start: u32, new_count: u32) -> Hunk {
        Hunk { old_start, old_count, new_start, new_count }
    }

    fn parent(blob: &str, hunks: &[Hunk]) -> ParentVersion {
        ParentVersion { blob: blob.to_owned(), hunks: hunks.to_vec() }
    }

    fn lines(origins: &LineOrigins) -> Vec<u32> {
        let runs = origins.runs().iter();
        runs.flat_map(|run| std::iter::repeat_n(run.origin, run.lines as usize)).collect()
    }

    #[test]
    fn lines_keep_their_origin_until_they_are_replaced() {
        let mut origins = LineOrigins::default();
        origins.advance("a", &[parent("", &[hunk(0, 0, 1, 4)])], 0);
        origins.advance("b", &[parent("a", &[hunk(2, 1, 2, 2), hunk(4, 0, 6, 1)])], 1);
        assert_eq!(lines(&origins), [0, 1, 1, 0, 0, 1]);
        origins.advance("c", &[parent("b", &[hunk(1, 2, 0, 0)])], 2);
        assert_eq!(lines(&origins), [1, 0, 0, 1]);
        assert_eq!(origins.owners(), (4, [(0, 2), (1, 2)].into()));
    }

    #[test]
    fn a_commit_on_a_parallel_branch_begins_with_its_own_parent() {
        let mut origins = LineOrigins::default();
        origins.advance("a", &[parent("", &[hunk(0, 0, 1, 2)])], 0);
        origins.advance("b", &[parent("a", &[hunk(0, 0, 1, 1)])], 1);
        origins.advance("c", &[parent("a", &[hunk(2, 0, 3, 1)])], 2);
        assert_eq!(lines(&origins), [0, 0, 2]);
        // The merge has the first line of `b`, the last of `c`, and one of its own.
        let from_b = parent("b", &[hunk(3, 0, 4, 2)]);
        let from_c = parent("c", &[hunk(0, 0, 1, 1), hunk(3, 0, 5, 1)]);
        origins.advance("d", &[from_b, from_c], NO_MEMORY);
        assert_eq!(lines(&origins), [1, 0, 0, 2, NO_MEMORY]);
    }

    #[test]
    fn a_file_that_is_added_again_has_new_lines_only() {
        let mut origins = LineOrigins::default();
        origins.advance("a", &[parent("000", &[hunk(0, 0, 1, 3)])], 0);
        origins.advance("b", &[parent("000", &[hunk(0, 0, 1, 2)])], 1);
        assert_eq!(lines(&origins), [1, 1]);
    }

    #[test]
    fn lines_of_an_unknown_version_have_no_memory() {
        let mut origins = LineOrigins::default();
        origins.advance("b", &[parent("a", &[hunk(5, 1, 5, 2)])], 3);
        assert_eq!(lines(&origins), [NO_MEMORY, NO_MEMORY, NO_MEMORY, NO_MEMORY, 3, 3]);
    }
}
