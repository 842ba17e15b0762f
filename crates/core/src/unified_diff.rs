//! The difference of two texts in the format of `diff -u`, which `git apply` and `patch` read.

use std::fmt::Write as _;
use std::ops::Range;

/// The number of unchanged lines around a change.
const CONTEXT_LINES: usize = 3;

/// From so many pairs of changed lines on, the changed part is shown as one replacement, because comparing all pairs would
/// take too much memory.
const MAX_COMPARED_PAIRS: usize = 4_000_000;

/// A run of lines of the old text that is replaced by a run of lines of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the difference of two versions of a file; empty if they are equal.
pub fn unified_diff(path: &str, before: &str, after: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let changes = changes(&old, &new);
    if changes.is_empty() {
        return String::new();
    }
    let mut out = format!("--- a/{path}\n+++ b/{path}\n");
    for hunk in group(&changes) {
        write_hunk(&mut out, &old, &new, hunk);
    }
    out
}

/// Groups changes with less unchanged lines between them than the context of both.
fn group(changes: &[Change]) -> impl Iterator<Item = &[Change]> {
    changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT_LINES)
}

fn write_hunk(out: &mut String, old: &[&str], new: &[&str], changes: &[Change]) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
    let before = first.old.start.min(CONTEXT_LINES);
    let after = (old.len() - last.old.end).min(CONTEXT_LINES);
    let old_range = first.old.start - before..last.old.end + after;
    let new_range = first.new.start - before..last.new.end + after;
    // Writing to a string cannot fail.
    let _ = writeln!(out, "@@ -{} +{} @@", place(&old_range), place(&new_range));
    let mut at = old_range.start;
    for change in changes {
        old[at..change.old.start].iter().for_each(|line| write_line(out, ' ', line));
        old[change.old.clone()].iter().for_each(|line| write_line(out, '-', line));
        new[change.new.clone()].iter().for_each(|line| write_line(out, '+', line));
        at = change.old.end;
    }
    old[at..old_range.end].iter().for_each(|line| write_line(out, ' ', line));
}

fn place(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => (range.start + 1).to_string(),
        count => format!("{},{count}", range.start + 1),
    }
}

fn write_line(out: &mut String, mark: char, line: &str) {
    out.push(mark);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

/// Returns the changes that turn one list of lines into another, by their longest common subsequence.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&old_rest[..old_rest.len() - suffix], &new_rest[..new_rest.len() - suffix]);
    if a.is_empty() && b.is_empty() {
        return vec![];
    }
    let whole = Change { old: prefix..prefix + a.len(), new: prefix..prefix + b.len() };
    if a.is_empty() || b.is_empty() || a.len() * b.len() > MAX_COMPARED_PAIRS {
        return vec![whole];
    }
    let width = b.len() + 1;
    let mut lengths = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i * width + j] = match a[i] == b[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let mut found: Vec<Change> = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let start = (i, j);
        while (i < a.len() || j < b.len()) && !(i < a.len() && j < b.len() && a[i] == b[j]) {
            let removes = j == b.len()
                || (i < a.len() && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]);
            if removes { i += 1 } else { j += 1 }
        }
        found.push(Change { old: prefix + start.0..prefix + i, new: prefix + start.1..prefix + j });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_shown_with_the_lines_around_them() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n";
        assert_eq!(
            unified_diff("a.md", before, after),
            "--- a/a.md\n+++ b/a.md\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+10\n"
        );
        assert_eq!(unified_diff("a.md", before, before), "");
    }

    #[test]
    fn a_missing_final_newline_is_said() {
        assert_eq!(
            unified_diff("a", "x", "---\nx"),
            "--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n+---\n x\n\\ No newline at end of file\n"
        );
        assert_eq!(unified_diff("a", "", "x\n"), "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+x\n");
    }

    /// Applies a difference to a list of lines.
    fn apply(old: &[&str], new: &[&str]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut at = 0;
        for change in changes(old, new) {
            out.extend(old[at..change.old.start].iter().map(ToString::to_string));
            out.extend(new[change.new].iter().map(ToString::to_string));
            at = change.old.end;
        }
        out.extend(old[at..].iter().map(ToString::to_string));
        out
    }

    proptest::proptest! {
        #[test]
        fn applying_the_changes_gives_the_new_text(
            old in proptest::collection::vec("[ab]", 0..8),
            new in proptest::collection::vec("[ab]", 0..8),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            proptest::prop_assert_eq!(apply(&old, &new), new);
        }
    }
}
