//! What a commit changed, as it is added to a history.

/// A commit with the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCommit {
    /// The hash of the commit.
    pub id: String,
    /// The name of the author.
    pub author: String,
    /// The time of the commit, in seconds since 1970.
    pub time: i64,
    /// The message, possibly shortened.
    pub message: String,
    /// Whether it can be predicted. Merges and commits of bots only move lines and files.
    pub is_memory: bool,
    /// The changed files. Of a merge, only those that differ from every parent.
    pub files: Vec<CommittedChange>,
}

/// A file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedChange {
    /// What happened to the file.
    pub status: ChangeStatus,
    /// Its path before the commit.
    pub old_path: String,
    /// Its path in the commit.
    pub path: String,
    /// The hash of its content in the commit; empty if it was deleted or is no regular file.
    pub blob: String,
    /// Whether it has lines. A binary file has none.
    pub is_text: bool,
    /// How its content came about, one for each parent of the commit.
    pub parents: Vec<ParentVersion>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStatus {
    /// It is new.
    Added,
    /// Its content, type or mode changed.
    Modified,
    /// It was deleted.
    Deleted,
    /// It has another path.
    Renamed,
}

/// The difference between a file in a parent and in the commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParentVersion {
    /// The hash of the content in the parent.
    pub blob: String,
    /// The changed lines, in order, without context.
    pub hunks: Vec<Hunk>,
}

/// Lines of a file that were replaced. Line numbers begin at 1; with a count of 0, the start is the line before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// The first removed line.
    pub old_start: u32,
    /// The number of removed lines.
    pub old_count: u32,
    /// The first added line.
    pub new_start: u32,
    /// The number of added lines.
    pub new_count: u32,
}
