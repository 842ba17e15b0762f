//! The memory log on disk: shards of JSON Lines, read whole, appended to and never rewritten.
//!
//! A shard belongs to one clone and branch, so that two pull requests which each store something
//! touch no common file. Private records, and every line that names one, lie in this machine's own
//! state.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use heirloom_core::fold::{Line, Memory, Place, fold};
use heirloom_core::record::{self, Damage, Kind, MAX_LINE};
use heirloom_core::{Problem, day, hands};
use jiff::Timestamp;
use uuid::{NoContext, Uuid};

use crate::confined::{ConfinedDir, Missing};
use crate::files::{HOME, io_problem, is_missing};
use crate::journal::{Append, Base, WriteLock};
use crate::stamp::Stamp;
use crate::{Root, StoreError, git};

/// A larger shard is reported and not read: a month of one clone's work is a few megabytes, and a
/// repository can hold gigabytes of nothing in a few compressed bytes.
const MAX_SHARD_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// How much of a file's end is hashed to see whether it only grew.
const BLOCK: u64 = 4096;

/// So many shards at least are read by several processors.
const WORTH_SHARING: usize = 4;

/// What the log holds.
#[derive(Debug, Default)]
pub struct Log {
    /// Its lines.
    pub lines: Vec<Box<Line>>,
    /// What could not be read, and where.
    pub problems: Vec<Problem>,
}

/// A file of the log.
#[derive(Debug, Clone)]
pub struct Shard {
    dir: Arc<ConfinedDir>,
    /// Relative to the directory.
    relative: String,
    /// The path as a problem names it.
    pub shown: String,
    /// Whether it lies in this machine's own state.
    pub is_local: bool,
}

impl Shard {
    /// Returns where it lies.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join(&self.relative)
    }

    /// Returns what is known of it without reading it; `None` if it is not there.
    pub fn stamp(&self) -> Option<Stamp> {
        let metadata = self.dir.metadata(&self.relative).ok()?;
        metadata.is_file().then(|| Stamp::new(&metadata))
    }

    /// Reads it from a place on.
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

    /// Returns a hash of the block that ends at a place in it.
    pub fn block_before(&self, end: u64) -> std::io::Result<[u8; 32]> {
        let mut file = self.dir.open_file(&self.relative)?;
        let start = end.saturating_sub(BLOCK);
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(end - start).read_to_end(&mut bytes)?;
        Ok(*blake3::hash(&bytes).as_bytes())
    }
}

/// Returns the folders outside of the root's own that shards are looked for in.
pub fn local_folders(root: &Root) -> Vec<PathBuf> {
    let kinds = |state: PathBuf| Kind::ALL.iter().map(move |kind| state.join(local_folder(*kind)));
    root.state_paths().into_iter().flat_map(kinds).collect()
}

/// Lists every shard.
pub fn shards(root: &Root) -> (Vec<Shard>, Vec<Problem>) {
    let mut problems = Vec::new();
    let shards = list(root, Where::Everywhere, &mut problems);
    (shards, problems)
}

impl Log {
    /// Reads every shard.
    pub fn read(root: &Root) -> Self {
        Self::read_from(root, Where::Everywhere)
    }

    /// Reads what only this machine knows: pins and private records.
    pub fn read_local(root: &Root) -> Self {
        Self::read_from(root, Where::Local)
    }

    /// Reads shards on all processors, in their order.
    fn read_from(root: &Root, place: Where) -> Self {
        let mut log = Log::default();
        let shards = list(root, place, &mut log.problems);
        for own in hands::map(&shards, WORTH_SHARING, Log::of_shard) {
            log.lines.extend(own.lines);
            log.problems.extend(own.problems);
        }
        log
    }

    /// Folds the lines into what is known, or was known then.
    pub fn fold(self, as_of: Option<Timestamp>) -> (Memory, Vec<Problem>) {
        let memory = fold(self.lines, as_of);
        let mut problems = self.problems;
        problems.extend(memory.problems().iter().cloned());
        (memory, problems)
    }

    fn of_shard(shard: &Shard) -> Self {
        let mut log = Log::default();
        match shard.read_from(0) {
            Ok(bytes) => log.take_from(shard, 1, &bytes),
            Err(error) if is_missing(&error) => {}
            Err(error) => log.problems.push(io_problem(&shard.shown, &error)),
        }
        log
    }

    /// Reads the lines of a text as a shard's.
    pub fn take(&mut self, shown: &str, bytes: &[u8]) {
        self.take_lines(shown, false, 1, bytes);
    }

    /// Reads lines of a shard, the first of which has a number.
    pub fn take_from(&mut self, shard: &Shard, first: usize, bytes: &[u8]) {
        self.take_lines(&shard.shown, shard.is_local, first, bytes);
    }

    fn take_lines(&mut self, shown: &str, is_local: bool, first: usize, bytes: &[u8]) {
        let path: Arc<str> = shown.into();
        let mut seen_crlf = false;
        for (number, whole) in (first..).zip(bytes.split(|byte| *byte == b'\n')) {
            let (has_mark, line) = without_mark(whole);
            if has_mark {
                self.problems.push(
                    Problem::at(shown, number, "a byte order mark; the line is read without it")
                        .hint("save the file as UTF-8 without one"),
                );
            }
            if line.ends_with(b"\r") && !seen_crlf {
                seen_crlf = true;
                self.problems.push(
                    Problem::at(shown, number, "lines end in CRLF; they are read all the same")
                        .hint("keep `eol=lf` in .gitattributes"),
                );
            }
            match record::read(line) {
                Ok(None) => {}
                Ok(Some(record)) => {
                    let place = Place { path: path.clone(), line: number, is_local };
                    self.lines.push(Box::new(Line::new(record, line.trim_ascii(), place)));
                }
                Err(damage) => self.problems.push(damage_problem(shown, number, damage)),
            }
        }
    }
}

/// Returns whether a line begins with a byte order mark, and the line without it.
pub fn without_mark(line: &[u8]) -> (bool, &[u8]) {
    match line.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => (true, rest),
        None => (false, line),
    }
}

/// Returns how many bytes the log has.
pub fn bytes(root: &Root) -> u64 {
    let (shards, _) = shards(root);
    shards.iter().filter_map(Shard::stamp).map(|stamp| stamp.size).sum()
}

fn damage_problem(shown: &str, line: usize, damage: Damage) -> Problem {
    match damage {
        Damage::Newer(what) => Problem::at(shown, line, what).hint("update heir"),
        Damage::ConflictMarker => {
            Problem::at(shown, line, "a git conflict marker; both sides are read")
                .hint("remove the marker lines and keep the others")
        }
        Damage::Broken(what) => Problem::at(shown, line, format!("{what}; the line is skipped"))
            .hint("mend the line or remove it"),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Where {
    Everywhere,
    Local,
}

fn list(root: &Root, place: Where, problems: &mut Vec<Problem>) -> Vec<Shard> {
    let mut shards = Vec::new();
    for kind in Kind::ALL {
        let folder = format!("{HOME}/memory/{}", kind.word());
        if place == Where::Everywhere {
            let items = root.list(&folder).unwrap_or_else(|problem| {
                problems.push(problem);
                vec![]
            });
            for item in items.iter().filter(|item| item.name.ends_with(".jsonl")) {
                let shown = format!("{folder}/{}", item.name);
                match root.metadata(&shown) {
                    Err(problem) => problems.push(problem),
                    Ok(_) if item.is_folder || !item.is_text => problems.push(
                        Problem::of_file(&shown, "this is not a file of the log").hint("rename it"),
                    ),
                    Ok(_) => shards.push(Shard {
                        dir: root.dir().clone(),
                        relative: shown.clone(),
                        shown,
                        is_local: false,
                    }),
                }
            }
        }
        shards.extend(local_shards(root, kind, problems));
    }
    shards
}

/// The shards of this machine: in its state, and where that was before there was a repository.
fn local_shards(root: &Root, kind: Kind, problems: &mut Vec<Problem>) -> Vec<Shard> {
    let mut places = Vec::new();
    match root.existing_state() {
        Ok(state) => places.extend(state),
        Err(error) => problems.push(Problem::of_file(root.state_shown(), error.to_string())),
    }
    if root.repository().is_some() {
        match root.existing_local() {
            Ok(before) => places.push(Arc::new(before)),
            Err(error) if is_missing(&error) => {}
            Err(error) => problems.push(Problem::of_file(".heirloom/local", error.to_string())),
        }
    }
    let mut shards = Vec::new();
    for place in places {
        let folder = local_folder(kind);
        let listed = place.open_private(&folder, Missing::Fail).and_then(|dir| dir.names());
        let names = match listed {
            Ok(names) => names,
            Err(error) if is_missing(&error) => continue,
            Err(error) => {
                problems.push(io_problem(&shown(root, &place, &folder), &error));
                continue;
            }
        };
        shards.extend(names.into_iter().filter(|name| name.ends_with(".jsonl")).map(|name| {
            let relative = format!("{folder}/{name}");
            let shown = shown(root, &place, &relative);
            Shard { dir: place.clone(), relative, shown, is_local: true }
        }));
    }
    shards.sort_by(|a, b| a.shown.cmp(&b.shown));
    shards
}

/// Where this machine's state holds its own shards of a kind.
fn local_folder(kind: Kind) -> String {
    format!("memory/{}", kind.word())
}

/// A path as people see it from the root.
fn shown(root: &Root, dir: &ConfinedDir, relative: &str) -> String {
    let path = dir.path().join(relative);
    let relative = path.strip_prefix(root.path()).unwrap_or(&path);
    relative.display().to_string().replace('\\', "/")
}

/// Returns a new id.
pub fn new_id(now: Timestamp) -> Uuid {
    let seconds = u64::try_from(now.as_second()).unwrap_or_default();
    let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
    Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, seconds, nanos))
}

/// Where records go: to the log that is shared, or to this machine's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shelf {
    /// In git.
    Shared,
    /// On this machine.
    Local,
}

/// Returns the appends that write these lines, given without their line breaks.
pub fn appends(
    lock: &WriteLock,
    root: &Root,
    lines: &[(Shelf, Kind, String)],
    now: Timestamp,
) -> Result<Vec<Append>, StoreError> {
    let mut texts: BTreeMap<(Shelf, Kind), String> = BTreeMap::new();
    for (shelf, kind, line) in lines {
        if line.len() > MAX_LINE {
            return Err(StoreError::refused(
                format!("this {} is longer than 1 MB", kind.word()),
                "split it, or keep it in a file and name the file",
            ));
        }
        let text = texts.entry((*shelf, *kind)).or_default();
        text.push_str(line);
        text.push('\n');
    }
    if texts.is_empty() {
        return Ok(vec![]);
    }
    let name = shard_name(lock, root, now)?;
    texts
        .into_iter()
        .map(|((shelf, kind), text)| {
            let (base, path) = match shelf {
                Shelf::Shared => {
                    let path = format!("{HOME}/memory/{}/{name}", kind.word());
                    root.make_parents(&path)?;
                    (Base::Root, path)
                }
                Shelf::Local => {
                    let folder = local_folder(kind);
                    let opened = root.state()?.open_private(&folder, Missing::Create);
                    opened.map_err(|error| StoreError::io(root.state_shown(), error))?;
                    (Base::State, format!("{folder}/{name}"))
                }
            };
            Ok(Append { base, path, text })
        })
        .collect()
}

/// Returns every line that is a record, as it is written, in order of shard; with `private`, those of
/// this machine too.
pub fn raw_lines(root: &Root, private: bool) -> (Vec<String>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut lines = Vec::new();
    for shard in list(root, Where::Everywhere, &mut problems) {
        if shard.is_local && !private {
            continue;
        }
        let bytes = match shard.read_from(0) {
            Ok(bytes) => bytes,
            Err(error) => {
                problems.push(io_problem(&shard.shown, &error));
                continue;
            }
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
            if matches!(record::read(line), Ok(Some(_)) | Err(Damage::Newer(_))) {
                lines.extend(String::from_utf8(line.to_vec()));
            }
        }
    }
    (lines, problems)
}

/// Returns the line at a place, as it is written.
pub fn raw_line(root: &Root, place: &Place) -> Option<String> {
    let mut problems = Vec::new();
    let shard = list(root, Where::Everywhere, &mut problems)
        .into_iter()
        .find(|shard| shard.shown == *place.path)?;
    let bytes = shard.read_from(0).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').nth(place.line - 1)?;
    String::from_utf8(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii().to_vec()).ok()
}

/// `2026-02-1f3a90c2.jsonl`: the month, and a short hash of this clone and branch.
fn shard_name(lock: &WriteLock, root: &Root, now: Timestamp) -> Result<String, StoreError> {
    let clone = lock.clone_id()?;
    let branch = git::branch(root).unwrap_or_default();
    let writer = blake3::hash(format!("{clone}\n{branch}").as_bytes()).to_hex();
    let month = day::of(now).strftime("%Y-%m");
    Ok(format!("{month}-{}.jsonl", &writer[..8]))
}
