//! The memory log on disk: shards of JSON Lines, read whole, appended to and never rewritten.
//!
//! A shard belongs to one clone and branch, so that two pull requests which each store something
//! touch no common file. Private records, and every line that names one, lie in this machine's own
//! state.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heirloom_core::fold::{Line, Memory, Place, fold};
use heirloom_core::record::{self, Damage, Kind, MAX_LINE};
use heirloom_core::{Problem, day, hands};
use jiff::Timestamp;
use uuid::{NoContext, Uuid};

use crate::files::{HOME, io_problem, is_missing};
use crate::journal::{Append, WriteLock};
use crate::{Root, StoreError, git};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// Where it lies.
    pub path: PathBuf,
    /// The path as a problem names it.
    pub shown: String,
    /// Whether it lies in this machine's own state.
    pub is_local: bool,
}

/// Returns the folders outside of the root's own that shards are looked for in.
pub fn local_folders(root: &Root) -> Vec<PathBuf> {
    let before = |kind: Kind| root.join(&format!("{HOME}/local/memory/{}", kind.word()));
    Kind::ALL.iter().flat_map(|kind| [local_folder(root, *kind), before(*kind)]).collect()
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
        match fs::read(&shard.path) {
            Ok(bytes) => log.take_from(shard, 1, &bytes),
            Err(error) if is_missing(&error) => {}
            Err(error) => log.problems.push(io_problem(&shard.shown, &error)),
        }
        log
    }

    /// Reads the lines of a text as a shard's.
    pub fn take(&mut self, shown: &str, bytes: &[u8]) {
        let shard = Shard { path: PathBuf::new(), shown: shown.to_owned(), is_local: false };
        self.take_from(&shard, 1, bytes);
    }

    /// Reads lines of a shard, the first of which has a number.
    pub fn take_from(&mut self, shard: &Shard, first: usize, bytes: &[u8]) {
        let Shard { shown, is_local, .. } = shard;
        let path: Arc<str> = shown.as_str().into();
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
                    let place = Place { path: path.clone(), line: number, is_local: *is_local };
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
    shards.iter().filter_map(|shard| fs::metadata(&shard.path).ok()).map(|own| own.len()).sum()
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
                    Ok(_) => shards.push(Shard { path: root.join(&shown), shown, is_local: false }),
                }
            }
        }
        shards.extend(local_shards(root, kind, problems));
    }
    shards
}

/// The shards of this machine: in its state, and where that was before there was a repository.
fn local_shards(root: &Root, kind: Kind, problems: &mut Vec<Problem>) -> Vec<Shard> {
    let before = root.join(&format!("{HOME}/local/memory/{}", kind.word()));
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in BTreeSet::from([local_folder(root, kind), before]) {
        match fs::read_dir(&folder) {
            Ok(entries) => paths.extend(entries.flatten().map(|entry| entry.path())),
            Err(error) if is_missing(&error) => {}
            Err(error) => problems.push(io_problem(&shown(root, &folder), &error)),
        }
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    paths.sort();
    let shard = |path: PathBuf| Shard { shown: shown(root, &path), path, is_local: true };
    paths.into_iter().map(shard).collect()
}

fn local_folder(root: &Root, kind: Kind) -> PathBuf {
    root.state_folder().join("memory").join(kind.word())
}

/// A path as people see it from the root.
fn shown(root: &Root, path: &Path) -> String {
    let relative = path.strip_prefix(root.path()).unwrap_or(path);
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
            let path = match shelf {
                Shelf::Shared => {
                    root.path_to_write(&format!("{HOME}/memory/{}/{name}", kind.word()))?
                }
                Shelf::Local => local_folder(root, kind).join(&name),
            };
            Ok(Append { path, text })
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
        let bytes = match fs::read(&shard.path) {
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
    let bytes = fs::read(shard.path).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').nth(place.line - 1)?;
    String::from_utf8(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii().to_vec()).ok()
}

/// `2026-02-1f3a90c2.jsonl`: the month, and a short hash of this clone and branch.
fn shard_name(lock: &WriteLock, root: &Root, now: Timestamp) -> Result<String, StoreError> {
    let clone = lock.clone_id(root)?;
    let branch = git::branch(root.path()).unwrap_or_default();
    let writer = blake3::hash(format!("{clone}\n{branch}").as_bytes()).to_hex();
    let month = day::of(now).strftime("%Y-%m");
    Ok(format!("{month}-{}.jsonl", &writer[..8]))
}
