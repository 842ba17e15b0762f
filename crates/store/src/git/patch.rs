//! Parses the output of `git diff-tree --stdin --raw -p -U0 -c`: for each commit its hash, a line for each changed file,
//! and the patches of these files in the same order.

use std::io::{BufRead, Result};

use heirloom_core::prediction::{ChangeStatus, CommittedChange, Hunk, ParentVersion};

use super::is_hash;

/// The modes of regular files. Links and submodules have no lines.
const REGULAR_MODES: [&str; 2] = ["100644", "100755"];

/// A file with more hunks in one commit is generated, and its lines are not followed.
const MAX_HUNKS_PER_FILE: usize = 10_000;

/// Reads the changes of commits.
pub(super) struct PatchReader<R> {
    input: R,
    line: Vec<u8>,
    /// The hash of the next commit with changes.
    next: Option<String>,
    is_started: bool,
}

impl<R: BufRead> PatchReader<R> {
    pub(super) fn new(input: R) -> Self {
        PatchReader { input, line: Vec::new(), next: None, is_started: false }
    }

    /// Returns the changes of a commit, which must be asked for in the order of the output. A commit without changes is
    /// not in it.
    pub(super) fn changes_of(&mut self, id: &str) -> Result<Vec<CommittedChange>> {
        if !self.is_started {
            self.is_started = true;
            self.advance()?;
            self.next = self.hash();
        }
        let mut files = ChangedFiles::default();
        if self.next.as_deref() != Some(id) {
            return Ok(files.changes);
        }
        self.next = None;
        while self.advance()? {
            self.next = self.hash();
            if self.next.is_some() {
                break;
            }
            self.read_line(&mut files)?;
        }
        Ok(files.finish())
    }

    /// Reads the next line; `false` at the end.
    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        self.input.read_until(b'\n', &mut self.line)?;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            return Ok(true);
        }
        Ok(!self.line.is_empty())
    }

    /// Returns the line if it is the hash of a commit.
    fn hash(&self) -> Option<String> {
        let text = std::str::from_utf8(&self.line).ok()?;
        is_hash(text).then(|| text.to_owned())
    }

    fn read_line(&mut self, files: &mut ChangedFiles) -> Result<()> {
        match self.line.as_slice() {
            [b':', ..] => files.add(&String::from_utf8_lossy(&self.line)),
            line if line.starts_with(b"diff --") => files.next_patch(),
            line if line.starts_with(b"Binary files") => files.set_binary(),
            line if line.starts_with(b"@@") => {
                let header = String::from_utf8_lossy(line).into_owned();
                if let Some(hunk) = HunkHeader::parse(&header) {
                    self.read_hunk(&hunk, files)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the lines of a hunk, which may look like anything.
    fn read_hunk(&mut self, header: &HunkHeader, files: &mut ChangedFiles) -> Result<()> {
        let parents = header.old.len();
        let mut split = HunkSplit::new(header);
        let mut old_left: Vec<u32> = header.old.iter().map(|(_, count)| *count).collect();
        let mut new_left = header.new.1;
        while new_left > 0 || old_left.iter().any(|left| *left > 0) {
            if !self.advance()? {
                break;
            }
            // "\ No newline at end of file"
            let Some(marks) = self.line.get(..parents).filter(|marks| marks[0] != b'\\') else {
                continue;
            };
            let is_removed = marks.contains(&b'-');
            for (parent, mark) in marks.iter().enumerate() {
                let is_in_parent = if is_removed { *mark == b'-' } else { *mark != b'+' };
                if is_in_parent {
                    old_left[parent] = old_left[parent].saturating_sub(1);
                }
                split.add(parent, is_in_parent, !is_removed);
            }
            if !is_removed {
                new_left = new_left.saturating_sub(1);
            }
        }
        split.finish(files);
        Ok(())
    }
}

/// The changed files of a commit while it is read.
#[derive(Debug, Default)]
struct ChangedFiles {
    changes: Vec<CommittedChange>,
    /// The position of the file of each patch: a change of type has two.
    patches: Vec<usize>,
    /// The number of patches that began.
    begun: usize,
}

impl ChangedFiles {
    /// Adds a file: `:mode mode hash hash status<tab>path[<tab>path]`, with more colons, modes, hashes and letters of the
    /// status for more parents.
    fn add(&mut self, line: &str) {
        let text = line.trim_start_matches(':');
        let parents = line.len() - text.len();
        let Some((meta, paths)) = text.split_once('\t') else { return };
        let words: Vec<&str> = meta.split(' ').collect();
        let (Some(mode), Some(hashes), Some(status)) = (
            words.get(parents),
            words.get(parents + 1..2 * parents + 2),
            words.get(2 * parents + 2),
        ) else {
            return;
        };
        let mut paths = paths.split('\t').map(unquote);
        let old_path = paths.next().unwrap_or_default();
        let path = paths.next_back().unwrap_or_else(|| old_path.clone());
        let is_deleted = *mode == "000000";
        let status = match status.chars().next() {
            _ if is_deleted => ChangeStatus::Deleted,
            Some('A') if parents == 1 => ChangeStatus::Added,
            Some('R') if parents == 1 => ChangeStatus::Renamed,
            _ => ChangeStatus::Modified,
        };
        let is_text = REGULAR_MODES.contains(mode);
        let version = |blob: &&str| ParentVersion { blob: (*blob).to_owned(), hunks: vec![] };
        let blob = hashes.last().filter(|_| is_text).map(|blob| (*blob).to_owned());
        let letters = words[2 * parents + 2];
        self.patches.extend(std::iter::repeat_n(
            self.changes.len(),
            if parents == 1 && letters.starts_with('T') { 2 } else { 1 },
        ));
        self.changes.push(CommittedChange {
            status,
            old_path,
            path,
            blob: blob.unwrap_or_default(),
            is_text,
            parents: hashes[..parents].iter().map(version).collect(),
        });
    }

    fn next_patch(&mut self) {
        self.begun += 1;
    }

    fn current(&mut self) -> Option<&mut CommittedChange> {
        let position = *self.patches.get(self.begun.checked_sub(1)?)?;
        self.changes.get_mut(position)
    }

    fn set_binary(&mut self) {
        if let Some(change) = self.current() {
            change.is_text = false;
        }
    }

    fn finish(mut self) -> Vec<CommittedChange> {
        for change in &mut self.changes {
            if change.parents.iter().any(|parent| parent.hunks.len() > MAX_HUNKS_PER_FILE) {
                change.is_text = false;
            }
        }
        self.changes
    }
}

/// The header of a hunk: `@@ -start[,count] +start[,count] @@`, with more `@` and more old ranges for more parents.
#[derive(Debug, PartialEq)]
struct HunkHeader {
    /// The start and the count of the lines in each parent.
    old: Vec<(u32, u32)>,
    new: (u32, u32),
}

impl HunkHeader {
    fn parse(line: &str) -> Option<Self> {
        let range = |text: &str| {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let mut old = Vec::new();
        for word in line.split(' ').skip(1) {
            match (word.strip_prefix('-'), word.strip_prefix('+')) {
                (Some(text), _) => old.push(range(text)?),
                // A hunk without a parent is damaged.
                (_, Some(_)) if old.is_empty() => return None,
                (_, Some(text)) => return Some(HunkHeader { old, new: range(text)? }),
                _ => return None,
            }
        }
        None
    }
}

/// Splits a hunk of a merge into the hunks of each parent: a line that another parent has counts as unchanged.
struct HunkSplit {
    parents: Vec<ParentHunks>,
}

struct ParentHunks {
    /// The next line of the parent, and of the commit.
    old_line: u32,
    new_line: u32,
    removed: u32,
    added: u32,
    hunks: Vec<Hunk>,
}

impl HunkSplit {
    fn new(header: &HunkHeader) -> Self {
        // In a hunk of a merge, the start is always that of the next line.
        let is_merge = header.old.len() > 1;
        let first = |(start, count): (u32, u32)| {
            if count > 0 || is_merge { start } else { start.saturating_add(1) }
        };
        let parents = header.old.iter().map(|old| ParentHunks {
            old_line: first(*old),
            new_line: first(header.new),
            removed: 0,
            added: 0,
            hunks: vec![],
        });
        HunkSplit { parents: parents.collect() }
    }

    /// Adds a line that is in the parent, in the commit, or in both.
    fn add(&mut self, parent: usize, is_in_parent: bool, is_in_commit: bool) {
        let hunks = &mut self.parents[parent];
        match (is_in_parent, is_in_commit) {
            (true, true) => {
                hunks.flush();
                hunks.old_line = hunks.old_line.saturating_add(1);
                hunks.new_line = hunks.new_line.saturating_add(1);
            }
            (true, false) => hunks.removed += 1,
            (false, true) => hunks.added += 1,
            (false, false) => {}
        }
    }

    fn finish(mut self, files: &mut ChangedFiles) {
        let Some(change) = files.current() else { return };
        for (hunks, parent) in self.parents.iter_mut().zip(&mut change.parents) {
            hunks.flush();
            parent.hunks.append(&mut hunks.hunks);
        }
    }
}

impl ParentHunks {
    /// Ends a hunk.
    fn flush(&mut self) {
        if self.removed == 0 && self.added == 0 {
            return;
        }
        let start = |line: u32, count: u32| if count > 0 { line } else { line.saturating_sub(1) };
        self.hunks.push(Hunk {
            old_start: start(self.old_line, self.removed),
            old_count: self.removed,
            new_start: start(self.new_line, self.added),
            new_count: self.added,
        });
        self.old_line = self.old_line.saturating_add(self.removed);
        self.new_line = self.new_line.saturating_add(self.added);
        (self.removed, self.added) = (0, 0);
    }
}

/// Removes the quotes that git writes around a path with control characters, quotes or backslashes.
fn unquote(path: &str) -> String {
    let Some(quoted) = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(b'r') => bytes.push(b'\r'),
            Some(first @ b'0'..=b'3') => {
                let digit = |byte: Option<u8>| byte.unwrap_or(b'0').wrapping_sub(b'0') & 7;
                bytes.push((first - b'0') << 6 | digit(rest.next()) << 3 | digit(rest.next()));
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hunk(old_start: u32, old_count: u32, new_start: u32, new_count: u32) -> Hunk {
        Hunk { old_start, old_count, new_start, new_count }
    }

    #[test]
    fn hunks_are_read_by_their_counts_and_not_by_what_their_lines_look_like() {
        let id = "a".repeat(40);
        let (old, new) = ("1".repeat(40), "2".repeat(40));
        let text = format!(
            "{id}\n:100644 100644 {old} {new} M\tsrc/a.rs\n:000000 100644 {old} {new} A\t\"b\\303\\251\\\".rs\"\n\
             \ndiff --git a/src/a.rs b/src/a.rs\n@@ -2,1 +2,3 @@ fn\n-diff --git x\n+{id}\n+@@ -1 +1 @@\n+:x\n\
             \\ No newline at end of file\ndiff --git a/b b/b\n@@ -0,0 +1 @@\n+x\n"
        );
        let mut reader = PatchReader::new(text.as_bytes());
        assert!(reader.changes_of(&"b".repeat(40)).unwrap().is_empty());
        let changes = reader.changes_of(&id).unwrap();
        assert_eq!(changes.len(), 2);
        assert_eq!(changes[0].parents[0].hunks, [hunk(2, 1, 2, 3)]);
        assert_eq!((changes[1].status, changes[1].path.as_str()), (ChangeStatus::Added, "bé\".rs"));
        assert_eq!(changes[1].parents[0].hunks, [hunk(0, 0, 1, 1)]);
        assert!(reader.changes_of(&"c".repeat(40)).unwrap().is_empty());
    }

    #[test]
    fn a_merge_has_the_hunks_of_each_parent() {
        let id = "a".repeat(40);
        let hash = |digit: &str| digit.repeat(40);
        let text = format!(
            "{id}\n::100644 100644 100644 {} {} {} MM\ta.rs\n\ndiff --combined a.rs\n\
             @@@ -1,3 -1,2 +1,4 @@@\n  same\n- of one\n -of two\n++merged\n +from one\n+ from two\n\
             @@@ -9,0 -8,1 +10,1 @@@\n+ last\n",
            hash("1"),
            hash("2"),
            hash("3")
        );
        let changes = PatchReader::new(text.as_bytes()).changes_of(&id).unwrap();
        assert_eq!(changes[0].blob, hash("3"));
        let [one, two] = changes[0].parents.as_slice() else { panic!("{changes:?}") };
        assert_eq!(
            (one.blob.as_str(), two.blob.as_str()),
            (hash("1").as_str(), hash("2").as_str())
        );
        assert_eq!(one.hunks, [hunk(2, 1, 2, 1), hunk(3, 0, 4, 1), hunk(8, 0, 10, 1)]);
        assert_eq!(two.hunks, [hunk(2, 1, 2, 2)]);
    }

    fn any_line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("a".repeat(40)),
            Just(format!(":100644 100644 {} {} M\ta.rs", "1".repeat(40), "2".repeat(40))),
            Just(format!("::100644 100644 100644 {0} {0} {0} MM\ta.rs", "1".repeat(40))),
            Just("diff --git a/a.rs b/a.rs".to_owned()),
            (0_u32..=u32::MAX, 0_u32..4, 0_u32..=u32::MAX, 0_u32..4)
                .prop_map(|(a, b, c, d)| format!("@@ -{a},{b} +{c},{d} @@")),
            (0_u32..9, 0_u32..4).prop_map(|(a, b)| format!("@@@ -{a},{b} -{b} +{a} @@@")),
            "[-+ :@\\\\\"a]{0,6}",
        ]
    }

    proptest! {
        #[test]
        fn any_output_is_read(lines in prop::collection::vec(any_line(), 0..30)) {
            let text = format!("{}\n{}", "a".repeat(40), lines.join("\n"));
            for change in PatchReader::new(text.as_bytes()).changes_of(&"a".repeat(40)).unwrap() {
                prop_assert!(!change.parents.is_empty());
            }
        }
    }
}
