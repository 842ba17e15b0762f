//! The memory log on disk: append-only shards of JSON Lines.
//!
//! A shard belongs to one clone and one branch, so two pull requests that each store a record never
//! change the same file. Private records, and every line that refers to one, are stored in the local
//! state of this machine, outside of git.

mod purge;

pub use purge::{PurgedLines, Tombstones};

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heirloom_core::fold::{Line, LineLocation, Memory, fold};
use heirloom_core::record::{self, LineError, MAX_LINE_BYTES, RecordKind};
use heirloom_core::{Problem, byte_order_mark, day, parallel};
use jiff::Timestamp;
use uuid::{ContextV7, Uuid};

use crate::confined::{ConfinedDir, IfMissing};
use crate::files::{HOME_FOLDER, LOCAL_FOLDER, io_problem, is_missing};
use crate::journal::{Append, BaseDir, WriteLock};
use crate::stamp::Stamp;
use crate::{Root, StoreError, git};

/// A larger shard is reported and not read. A month of work in one clone takes a few megabytes, but a
/// hostile repository can compress gigabytes of zeros into a few bytes.
pub(crate) const MAX_SHARD_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// The number of bytes that are hashed to detect whether a shard was only appended to.
const TAIL_HASH_BYTES: u64 = 4096;

/// From this many shards on, shards are read in parallel.
const MIN_PARALLEL_SHARDS: usize = 4;

/// The parsed lines of the log.
#[derive(Debug, Default)]
pub struct Log {
    /// The lines that hold a record.
    pub lines: Vec<Box<Line>>,
    /// The files and lines that could not be read.
    pub problems: Vec<Problem>,
    /// The records whose lines are ignored.
    tombstones: Arc<Tombstones>,
}

/// One file of the log.
#[derive(Debug, Clone)]
pub struct Shard {
    dir: Arc<ConfinedDir>,
    /// The path relative to the directory.
    relative: String,
    kind: RecordKind,
    /// The path as it is displayed in problems.
    pub display_path: String,
    /// Whether the shard belongs to the local state of this machine.
    pub is_local: bool,
}

impl Shard {
    /// Returns the absolute path.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join(&self.relative)
    }

    /// Returns whether it states which records were purged.
    pub fn has_tombstones(&self) -> bool {
        self.kind == RecordKind::Tombstone
    }

    /// Returns the file's stamp; `None` if the file does not exist.
    pub fn stamp(&self) -> Option<Stamp> {
        let metadata = self.dir.metadata(&self.relative).ok()?;
        metadata.is_file().then(|| Stamp::new(&metadata))
    }

    /// Returns the path for the journal.
    fn base_and_path(&self, root: &Root) -> (BaseDir, String) {
        match self.is_local {
            false => (BaseDir::Root, self.relative.clone()),
            true if self.dir.path() == Path::new(&root.state_path()) => {
                (BaseDir::State, self.relative.clone())
            }
            true => (BaseDir::Root, format!("{LOCAL_FOLDER}/{}", self.relative)),
        }
    }

    /// Reads the bytes from an offset to the end.
    pub fn read_from(&self, start: u64) -> std::io::Result<Vec<u8>> {
        if start == 0 {
            return self.dir.read(&self.relative, MAX_SHARD_BYTES);
        }
        let mut file = self.dir.open_file(&self.relative)?;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(MAX_SHARD_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns a hash of the block of bytes that ends at an offset.
    pub fn hash_block_before(&self, end: u64) -> std::io::Result<[u8; 32]> {
        let mut file = self.dir.open_file(&self.relative)?;
        let start = end.saturating_sub(TAIL_HASH_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(end - start).read_to_end(&mut bytes)?;
        Ok(*blake3::hash(&bytes).as_bytes())
    }
}

/// Returns the folders of local shards, whether they exist or not.
pub fn local_folders(root: &Root) -> Vec<PathBuf> {
    let kind_folders =
        |state: PathBuf| RecordKind::ALL.iter().map(move |kind| state.join(local_folder(*kind)));
    root.state_paths().into_iter().flat_map(kind_folders).collect()
}

/// Lists every shard, shared and local.
pub fn list_shards(root: &Root) -> (Vec<Shard>, Vec<Problem>) {
    let mut problems = Vec::new();
    let shards = list_shards_of(root, ShardScope::All, &mut problems);
    (shards, problems)
}

impl Log {
    /// Reads every shard.
    pub fn read(root: &Root) -> Self {
        Self::read_shards(root, ShardScope::All)
    }

    /// Reads the local shards: pins and private records.
    pub fn read_local(root: &Root) -> Self {
        Self::read_shards(root, ShardScope::Local)
    }

    /// Reads the shards of a kind of record, shared and local.
    pub fn read_kind(root: &Root, kind: RecordKind) -> Self {
        let mut problems = Vec::new();
        let shards = list_shards_of_kind(root, kind, &mut problems);
        if shards.is_empty() {
            return Log { problems, ..Log::default() };
        }
        let purged = list_shards_of_kind(root, RecordKind::Tombstone, &mut problems);
        Self::concatenate(&shards, Tombstones::read(&purged), problems)
    }

    fn read_shards(root: &Root, scope: ShardScope) -> Self {
        let mut problems = Vec::new();
        let shards = list_shards_of(root, scope, &mut problems);
        let tombstones = Tombstones::read(&shards);
        Self::concatenate(&shards, tombstones, problems)
    }

    /// Reads shards in parallel and concatenates them in order.
    fn concatenate(shards: &[Shard], tombstones: Tombstones, problems: Vec<Problem>) -> Self {
        let tombstones = Arc::new(tombstones);
        let mut log = Log { problems, ..Log::without_purged(tombstones.clone()) };
        let read_shard = |shard: &Shard| Log::read_shard(shard, tombstones.clone());
        for shard_log in parallel::map(shards, MIN_PARALLEL_SHARDS, read_shard) {
            log.lines.extend(shard_log.lines);
            log.problems.extend(shard_log.problems);
        }
        log
    }

    /// Starts a log that ignores the lines of purged records.
    pub fn without_purged(tombstones: Arc<Tombstones>) -> Self {
        Log { tombstones, ..Log::default() }
    }

    /// Folds the lines into the current memory, or into the memory as of a moment.
    pub fn fold(self, as_of: Option<Timestamp>) -> (Memory, Vec<Problem>) {
        let memory = fold(self.lines, as_of);
        let mut problems = self.problems;
        problems.extend(memory.problems().iter().cloned());
        (memory, problems)
    }

    fn read_shard(shard: &Shard, tombstones: Arc<Tombstones>) -> Self {
        let mut log = Log::without_purged(tombstones);
        match shard.read_from(0) {
            Ok(bytes) => log.parse_shard(shard, 1, &bytes),
            Err(error) if is_missing(&error) => {}
            Err(error) => log.problems.push(io_problem(&shard.display_path, &error)),
        }
        log
    }

    /// Parses the lines of a text as if it were a shared shard.
    pub fn parse_text(&mut self, shown: &str, bytes: &[u8]) {
        self.parse_lines(shown, false, 1, bytes);
    }

    /// Parses lines of a shard, numbered from `first_line` on.
    pub fn parse_shard(&mut self, shard: &Shard, first_line: usize, bytes: &[u8]) {
        self.parse_lines(&shard.display_path, shard.is_local, first_line, bytes);
    }

    fn parse_lines(&mut self, shown: &str, is_local: bool, first_line: usize, bytes: &[u8]) {
        let path: Arc<str> = shown.into();
        let mut has_crlf = false;
        for (number, raw_line) in (first_line..).zip(bytes.split(|byte| *byte == b'\n')) {
            let line = byte_order_mark::strip_bytes(raw_line);
            if line.len() < raw_line.len() {
                self.problems.push(
                    Problem::at(
                        shown,
                        number,
                        "the line starts with a byte order mark, which is ignored",
                    )
                    .hint("save the file as UTF-8 without a byte order mark"),
                );
            }
            if line.ends_with(b"\r") && !has_crlf {
                has_crlf = true;
                self.problems.push(
                    Problem::at(shown, number, "lines end in CRLF; they are read nevertheless")
                        .hint("keep `eol=lf` in .gitattributes"),
                );
            }
            match record::read(line) {
                Ok(None) => {}
                Ok(Some(record)) if self.tombstones.is_purged(&record) => {
                    self.problems.push(self.tombstones.problem(shown, number, &record, line));
                }
                Ok(Some(record)) => {
                    let place = LineLocation { path: path.clone(), line: number, is_local };
                    self.lines.push(Box::new(Line::new(record, line.trim_ascii(), place)));
                }
                Err(damage) => self.problems.push(damage_problem(shown, number, damage)),
            }
        }
    }
}

/// Finds where git still holds the lines of a record.
pub fn find_in_git(root: &Root, id: Uuid) -> Result<git::TextTraces, git::GitError> {
    git::find_text(root, &format!("\"id\":\"{id}\""), &format!("{HOME_FOLDER}/memory"))
}

/// Returns the size of the log in bytes.
pub fn size_in_bytes(root: &Root) -> u64 {
    let (shards, _) = list_shards(root);
    shards.iter().filter_map(Shard::stamp).map(|stamp| stamp.size).sum()
}

fn damage_problem(shown: &str, line: usize, damage: LineError) -> Problem {
    match damage {
        LineError::Newer(reason) => Problem::at(shown, line, reason).hint("update heir"),
        LineError::ConflictMarker => Problem::at(
            shown,
            line,
            "this is a git conflict marker; both sides of the conflict are read",
        )
        .hint("remove the marker lines and keep the lines between them"),
        LineError::Broken(reason) => {
            Problem::at(shown, line, format!("{reason}; the line is skipped"))
                .hint("repair the line or remove it")
        }
    }
}

/// Which shards are listed.
#[derive(Clone, Copy, PartialEq)]
enum ShardScope {
    All,
    Local,
}

fn list_shards_of(root: &Root, scope: ShardScope, problems: &mut Vec<Problem>) -> Vec<Shard> {
    let mut shards = Vec::new();
    for kind in RecordKind::ALL {
        if scope == ShardScope::All {
            shards.extend(list_shared_shards(root, kind, problems));
        }
        shards.extend(list_local_shards(root, kind, problems));
    }
    shards
}

fn list_shards_of_kind(root: &Root, kind: RecordKind, problems: &mut Vec<Problem>) -> Vec<Shard> {
    let mut shards = list_shared_shards(root, kind, problems);
    shards.extend(list_local_shards(root, kind, problems));
    shards
}

fn list_shared_shards(root: &Root, kind: RecordKind, problems: &mut Vec<Problem>) -> Vec<Shard> {
    let mut shards = Vec::new();
    let folder = format!("{HOME_FOLDER}/memory/{}", kind.as_str());
    let items = root.list(&folder).unwrap_or_else(|problem| {
        problems.push(problem);
        vec![]
    });
    for item in items.iter().filter(|item| item.name.ends_with(".jsonl")) {
        let path = format!("{folder}/{}", item.name);
        match root.metadata(&path) {
            Err(problem) => problems.push(problem),
            Ok(_) if item.is_folder || !item.is_utf8 => problems
                .push(Problem::in_file(&path, "this is not a file of the log").hint("rename it")),
            Ok(_) => shards.push(Shard {
                dir: root.dir().clone(),
                relative: path.clone(),
                kind,
                display_path: path,
                is_local: false,
            }),
        }
    }
    shards
}

/// Lists the local shards of a kind. A workspace that was put under git later still has shards in
/// `.heirloom/local`, so both folders are searched.
fn list_local_shards(root: &Root, kind: RecordKind, problems: &mut Vec<Problem>) -> Vec<Shard> {
    let mut state_dirs = Vec::new();
    match root.existing_state() {
        Ok(state) => state_dirs.extend(state),
        Err(error) => problems.push(Problem::in_file(root.state_path(), error.to_string())),
    }
    if root.repository().is_some() {
        match root.existing_local() {
            Ok(local) => state_dirs.push(Arc::new(local)),
            Err(error) if is_missing(&error) => {}
            Err(error) => problems.push(Problem::in_file(".heirloom/local", error.to_string())),
        }
    }
    let mut shards = Vec::new();
    for state in state_dirs {
        let folder = local_folder(kind);
        let listed = state.open_private(&folder, IfMissing::Fail).and_then(|dir| dir.names());
        let names = match listed {
            Ok(names) => names,
            Err(error) if is_missing(&error) => continue,
            Err(error) => {
                problems.push(io_problem(&display_path(root, &state, &folder), &error));
                continue;
            }
        };
        shards.extend(names.into_iter().filter(|name| name.ends_with(".jsonl")).map(|name| {
            let relative = format!("{folder}/{name}");
            let shown = display_path(root, &state, &relative);
            Shard { dir: state.clone(), relative, kind, display_path: shown, is_local: true }
        }));
    }
    shards.sort_by(|a, b| a.display_path.cmp(&b.display_path));
    shards
}

/// Returns the folder of the local shards of a kind, relative to the local state.
fn local_folder(kind: RecordKind) -> String {
    format!("memory/{}", kind.as_str())
}

/// Returns a path as it is displayed: relative to the root if it lies below it, else absolute.
fn display_path(root: &Root, dir: &ConfinedDir, relative: &str) -> String {
    let path = dir.path().join(relative);
    let relative = path.strip_prefix(root.path()).unwrap_or(&path);
    relative.display().to_string().replace('\\', "/")
}

/// Makes ids (UUID version 7) that ascend, also those of the same millisecond, so that what is written together is
/// listed in the order in which it was made.
#[derive(Debug)]
pub struct IdSequence(ContextV7);

impl Default for IdSequence {
    fn default() -> Self {
        IdSequence(ContextV7::new())
    }
}

impl IdSequence {
    /// Returns a new id.
    pub fn next_id(&self, now: Timestamp) -> Uuid {
        let seconds = u64::try_from(now.as_second()).unwrap_or_default();
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
        Uuid::new_v7(uuid::Timestamp::from_unix(&self.0, seconds, nanos))
    }
}

/// The part of the log that a record is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogScope {
    /// The shards that are committed to git.
    Shared,
    /// The shards of this machine.
    Local,
}

/// Groups lines, given without line breaks, into one append per shard, and creates the folders.
pub fn group_appends(
    lock: &WriteLock,
    root: &Root,
    lines: &[(LogScope, RecordKind, String)],
    now: Timestamp,
) -> Result<Vec<Append>, StoreError> {
    let mut texts: BTreeMap<(LogScope, RecordKind), String> = BTreeMap::new();
    for (scope, kind, line) in lines {
        if line.len() > MAX_LINE_BYTES {
            return Err(StoreError::refused(
                format!("this {} is longer than 1 MB", kind.as_str()),
                "split it, or move the text to a file and refer to that file",
            ));
        }
        let text = texts.entry((*scope, *kind)).or_default();
        text.push_str(line);
        text.push('\n');
    }
    if texts.is_empty() {
        return Ok(vec![]);
    }
    let name = shard_name(lock, root, now)?;
    texts
        .into_iter()
        .map(|((scope, kind), text)| {
            let (base, path) = match scope {
                LogScope::Shared => {
                    let path = format!("{HOME_FOLDER}/memory/{}/{name}", kind.as_str());
                    root.create_parents(&path)?;
                    (BaseDir::Root, path)
                }
                LogScope::Local => {
                    let folder = local_folder(kind);
                    let opened = root.state()?.open_private(&folder, IfMissing::Create);
                    opened.map_err(|error| StoreError::io(root.state_path(), error))?;
                    (BaseDir::State, format!("{folder}/{name}"))
                }
            };
            Ok(Append { base, path, text })
        })
        .collect()
}

/// Returns every line that holds a record, verbatim and in shard order; with `private`, also the
/// lines of local shards.
pub fn raw_lines(root: &Root, private: bool) -> (Vec<String>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut lines = Vec::new();
    let shards = list_shards_of(root, ShardScope::All, &mut problems);
    let tombstones = Tombstones::read(&shards);
    for shard in shards {
        if shard.is_local && !private {
            continue;
        }
        let bytes = match shard.read_from(0) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.push(io_problem(&shard.display_path, &error));
                continue;
            }
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = byte_order_mark::strip_bytes(line).trim_ascii();
            let is_exported = match record::read(line) {
                Ok(Some(record)) => !tombstones.is_purged(&record),
                other => matches!(other, Err(LineError::Newer(_))),
            };
            if is_exported {
                lines.extend(String::from_utf8(line.to_vec()));
            }
        }
    }
    (lines, problems)
}

/// Returns the line at a place, verbatim.
pub fn raw_line(root: &Root, place: &LineLocation) -> Option<String> {
    let mut problems = Vec::new();
    let shard = list_shards_of(root, ShardScope::All, &mut problems)
        .into_iter()
        .find(|shard| shard.display_path == *place.path)?;
    let bytes = shard.read_from(0).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').nth(place.line - 1)?;
    String::from_utf8(byte_order_mark::strip_bytes(line).trim_ascii().to_vec()).ok()
}

/// Returns a name such as `2026-02-1f3a90c2.jsonl`: the month and a short hash of clone and branch.
fn shard_name(lock: &WriteLock, root: &Root, now: Timestamp) -> Result<String, StoreError> {
    let clone = lock.clone_id()?;
    let branch = git::branch(root).unwrap_or_default();
    let writer = blake3::hash(format!("{clone}\n{branch}").as_bytes()).to_hex();
    let month = day::of_timestamp(now).strftime("%Y-%m");
    Ok(format!("{month}-{}.jsonl", &writer[..8]))
}
