//! The history of a repository as prediction needs it, updated commit by commit.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::imports::{Manifest, SourceLanguage, SourceStatement};

use super::MAX_SMALL_COMMIT_FILES;
use super::commit::{ChangeStatus, CommittedChange, HistoryCommit};
use super::file_path::PathFeatures;
use super::identifiers::IdentifierIndex;
use super::line_origins::{LineOrigins, NO_MEMORY};

/// A commit that can be predicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMemory {
    /// The hash of the commit.
    pub id: String,
    /// The name of the author.
    pub author: String,
    /// The time of the commit, in seconds since 1970.
    pub time: i64,
    /// The message, possibly shortened.
    pub message: String,
    /// The numbers of the files that it changed.
    pub files: Vec<u32>,
}

impl CommitMemory {
    /// Returns the first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    /// Returns whether it has few enough files to say which belong together.
    pub fn is_small(&self) -> bool {
        self.files.len() <= MAX_SMALL_COMMIT_FILES
    }
}

/// A file of the history. Renames do not change its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackedFile {
    /// Its latest path.
    pub path: String,
    /// Whether the latest commit that changed it did not delete it.
    pub is_alive: bool,
    /// The memories that changed it, oldest first.
    pub touches: Vec<u32>,
    /// The small ones among them.
    pub(super) small_touches: Vec<u32>,
    pub(super) path_features: PathFeatures,
    /// The hash of its content; empty if it has no text.
    pub(super) blob: String,
    /// The hash of the content that its identifiers and imports were read from.
    pub(super) read_blob: String,
    /// What it states about other files.
    pub(super) statements: Vec<SourceStatement>,
    /// The hash of the content that was read, as [`super::content_hash`] returns it.
    pub(super) content_hash: u64,
    pub(super) lines: LineOrigins,
}

impl TrackedFile {
    /// Returns how many lines a memory wrote that are still there, and the number of all lines.
    pub fn lines_of(&self, memory: u32) -> (u32, u32) {
        let (total, owners) = self.lines.owners();
        (owners.get(&memory).copied().unwrap_or_default(), total)
    }

    /// Returns whether its committed content, as far as it is read, is a content with a hash.
    pub fn has_content(&self, content_hash: u64) -> bool {
        self.is_alive
            && !self.blob.is_empty()
            && !self.is_outdated()
            && self.content_hash == content_hash
    }

    /// Returns whether its present content was not read yet.
    pub(super) fn is_outdated(&self) -> bool {
        self.blob != self.read_blob
    }
}

/// What is read from the content of a file.
#[derive(Debug, Clone, Default)]
pub struct FileContent {
    /// Its identifiers, as [`super::identifiers`] returns them.
    pub identifiers: Vec<u32>,
    /// What it states about other files.
    pub statements: Vec<SourceStatement>,
    /// Its hash, as [`super::content_hash`] returns it.
    pub content_hash: u64,
}

/// A file whose content has to be read.
#[derive(Debug, Clone)]
pub struct OutdatedFile {
    /// Its number.
    pub number: u32,
    /// Its path.
    pub path: String,
    /// The hash of its content.
    pub blob: String,
}

/// The history of a repository.
#[derive(Debug, Clone, Default)]
pub struct CommitHistory {
    /// The last commit that was added.
    pub(super) head: Option<String>,
    pub(super) memories: Vec<CommitMemory>,
    pub(super) files: Vec<TrackedFile>,
    /// The number of the file that last had a path. Former paths stay, since parallel branches still use them.
    pub(super) numbers: FxHashMap<String, u32>,
    pub(super) identifiers: IdentifierIndex,
    /// The files whose contents have to be read.
    pub(super) outdated: BTreeSet<u32>,
}

impl CommitHistory {
    /// Returns the last commit that was added.
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// Returns the commits that can be predicted, oldest first.
    pub fn memories(&self) -> &[CommitMemory] {
        &self.memories
    }

    /// Returns the files, by number.
    pub fn files(&self) -> &[TrackedFile] {
        &self.files
    }

    /// Returns the number of the file with a path.
    pub fn file_number(&self, path: &str) -> Option<u32> {
        self.numbers.get(path).copied()
    }

    /// Returns the files whose contents have to be read.
    pub fn outdated_files(&self) -> Vec<OutdatedFile> {
        let outdated = |number: &u32| {
            let TrackedFile { path, blob, .. } = &self.files[*number as usize];
            OutdatedFile { number: *number, path: path.clone(), blob: blob.clone() }
        };
        self.outdated.iter().map(outdated).collect()
    }

    /// Sets what was read from the present content of a file.
    pub fn set_content(&mut self, file: u32, content: FileContent) {
        let tracked = &mut self.files[file as usize];
        tracked.read_blob.clone_from(&tracked.blob);
        tracked.statements = content.statements;
        tracked.content_hash = content.content_hash;
        self.outdated.remove(&file);
        self.identifiers.replace(file, content.identifiers);
    }

    /// Adds the next commit. Its parents must have been added before it, as far as they are part of the history.
    pub fn apply(&mut self, commit: HistoryCommit) {
        let memory = self.memories.len() as u32;
        let author = if commit.is_memory { memory } else { NO_MEMORY };
        // All numbers are found before any path changes, since two files may swap their paths.
        let numbers: Vec<u32> = commit.files.iter().map(|change| self.number_of(change)).collect();
        for (number, change) in numbers.iter().zip(&commit.files) {
            self.change(*number, change, author);
        }
        if commit.is_memory {
            let mut files = numbers;
            let mut seen = BTreeSet::new();
            files.retain(|number| seen.insert(*number));
            let HistoryCommit { ref id, author, time, message, .. } = commit;
            self.add_memory(CommitMemory { id: id.clone(), author, time, message, files });
        }
        self.head = Some(commit.id);
    }

    pub(super) fn add_memory(&mut self, memory: CommitMemory) {
        let number = self.memories.len() as u32;
        for file in &memory.files {
            let tracked = &mut self.files[*file as usize];
            tracked.touches.push(number);
            if memory.is_small() {
                tracked.small_touches.push(number);
            }
        }
        self.memories.push(memory);
    }

    /// Returns the number of a changed file. One that is not known gets a new number.
    fn number_of(&mut self, change: &CommittedChange) -> u32 {
        let path = match change.status {
            ChangeStatus::Renamed => &change.old_path,
            _ => &change.path,
        };
        let is_same = |number: &&u32| {
            // A new file at a path that another file had before it was renamed is another file.
            change.status != ChangeStatus::Added || self.files[**number as usize].path == *path
        };
        if let Some(number) = self.numbers.get(path).filter(is_same) {
            return *number;
        }
        self.add_file(TrackedFile { path: path.clone(), is_alive: true, ..TrackedFile::default() })
    }

    pub(super) fn add_file(&mut self, file: TrackedFile) -> u32 {
        let number = self.files.len() as u32;
        let path_features = PathFeatures::of(&file.path);
        self.numbers.insert(file.path.clone(), number);
        self.files.push(TrackedFile { path_features, ..file });
        number
    }

    fn change(&mut self, number: u32, change: &CommittedChange, author: u32) {
        let file = &mut self.files[number as usize];
        if change.status == ChangeStatus::Renamed {
            if kind_of(&file.path) != kind_of(&change.path) {
                // Its imports are stated in another language.
                file.read_blob.clear();
            }
            file.path.clone_from(&change.path);
            file.path_features = PathFeatures::of(&change.path);
            self.numbers.insert(change.path.clone(), number);
        }
        if change.status == ChangeStatus::Deleted {
            // A parallel branch may delete a former path of a file that was renamed.
            if file.path == change.path {
                file.is_alive = false;
                file.blob.clear();
                file.lines = LineOrigins::default();
            }
        } else {
            file.is_alive = true;
            file.blob.clear();
            if change.is_text {
                file.lines.advance(&change.blob, &change.parents, author);
                if !file.path_features.is_hot {
                    file.blob.clone_from(&change.blob);
                }
            }
        }
        match file.is_outdated() {
            true if file.blob.is_empty() => self.set_content(number, FileContent::default()),
            true => drop(self.outdated.insert(number)),
            false => drop(self.outdated.remove(&number)),
        }
    }
}

/// Returns what kind of source or manifest a file is.
fn kind_of(path: &str) -> (Option<SourceLanguage>, Option<Manifest>) {
    (SourceLanguage::of(path), Manifest::of(path))
}
