//! Purged records: a tombstone names each, and its lines are removed from the files.
//!
//! This is the only case in which lines are removed. A merge with a branch that has an older copy of a purged line
//! brings it back into the file; readers ignore it, and the next command that writes removes it again.

use std::collections::{BTreeMap, HashMap, HashSet};

use heirloom_core::record::{self, Body, Record, RecordKind, Referent};
use heirloom_core::{Hint, Problem, byte_order_mark};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Shard, ShardScope, list_shards_of};
use crate::files::is_missing;
use crate::journal::{BaseDir, LineRemoval, WriteLock, hash_line};
use crate::stamp::Stamp;
use crate::state::StateFolder;
use crate::{Root, StoreError};

/// The records that were purged, with the hashes of their lines.
#[derive(Debug, Default, Clone)]
pub struct Tombstones {
    line_hashes: HashMap<Uuid, HashSet<String>>,
}

impl Tombstones {
    /// Reads the tombstones among the shards of a log. A tombstone that cannot be read is reported with the other lines
    /// of its shard.
    pub fn read(shards: &[Shard]) -> Self {
        let mut tombstones = Tombstones::default();
        for shard in shards.iter().filter(|shard| shard.kind == RecordKind::Tombstone) {
            let bytes = shard.read_from(0).unwrap_or_default();
            for line in bytes.split(|byte| *byte == b'\n') {
                let read = record::read(byte_order_mark::strip_bytes(line));
                let Ok(Some(Record { body: Body::Tombstone(tombstone), .. })) = read else {
                    continue;
                };
                if let Some(id) = tombstone.purged.record_id() {
                    let hashes = tombstones.line_hashes.entry(id).or_default();
                    hashes.extend(tombstone.line_hashes);
                }
            }
        }
        tombstones
    }

    /// Reads the tombstones of a workspace.
    pub fn of(root: &Root) -> Self {
        Tombstones::read(&list_shards_of(root, ShardScope::All, &mut vec![]))
    }

    /// Returns whether a record was purged, or is a contradiction of one that was, whose reason may quote it: another branch
    /// may have found it. Tombstones cannot be purged.
    pub fn is_purged(&self, record: &Record) -> bool {
        let is_purged = |id: Uuid| self.line_hashes.contains_key(&id);
        (is_purged(record.id) && record.kind() != RecordKind::Tombstone)
            || is_contradiction_of(record, is_purged)
    }

    /// Returns whether a tombstone names a line by its hash.
    fn has_line(&self, id: Uuid, hash: &str) -> bool {
        self.line_hashes.get(&id).is_some_and(|hashes| hashes.contains(hash))
    }

    /// Returns the ids of the purged records that end in a typed text.
    pub fn ids_ending_in(&self, typed: &str) -> Vec<Uuid> {
        let typed = typed.trim().to_ascii_lowercase();
        let ids = self.line_hashes.keys().copied();
        ids.filter(|id| !typed.is_empty() && id.to_string().ends_with(&typed)).collect()
    }

    /// Returns a checksum of the purged ids and lines; 0 if there are none.
    pub fn checksum(&self) -> i64 {
        if self.line_hashes.is_empty() {
            return 0;
        }
        let mut purged: Vec<(&Uuid, Vec<&String>)> =
            self.line_hashes.iter().map(|(id, hashes)| (id, hashes.iter().collect())).collect();
        purged.sort();
        let mut hasher = blake3::Hasher::new();
        for (id, mut hashes) in purged {
            hasher.update(id.as_bytes());
            hashes.sort();
            for hash in hashes {
                hasher.update(hash.as_bytes());
            }
        }
        let hash = hasher.finalize();
        hash.as_bytes().first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes))
    }

    /// Reports a line of a purged record.
    pub(super) fn problem(
        &self,
        shown: &str,
        number: usize,
        record: &Record,
        line: &[u8],
    ) -> Problem {
        let is_known = record.kind() == RecordKind::Contradiction
            || self.has_line(record.id, &hash_line(line));
        let message = format!("the record {} was purged, so this line is ignored", record.id);
        let hint = match is_known {
            true => Hint::text("the next command that writes removes it"),
            false => Hint::text("it differs from the purged line; remove it with ")
                .operation("memory_purge"),
        };
        Problem::at(shown, number, message).hint(hint)
    }
}

/// Returns whether a record is a contradiction of a record whose id passes a test.
fn is_contradiction_of(record: &Record, passes: impl Fn(Uuid) -> bool) -> bool {
    record.kind() == RecordKind::Contradiction
        && record.referents().into_iter().filter_map(Referent::record_id).any(passes)
}

/// The lines of some records, in all shards.
#[derive(Debug, Default)]
pub struct PurgedLines {
    lines: Vec<FoundLine>,
}

/// A line of a record that is to be purged.
#[derive(Debug)]
struct FoundLine {
    id: Uuid,
    hash: String,
    base: BaseDir,
    path: String,
    display_path: String,
    is_local: bool,
    /// Whether it is a contradiction of a record that is to be purged.
    is_contradiction: bool,
}

impl PurgedLines {
    /// Finds every line with one of the ids, and every contradiction of such a record.
    pub fn find(root: &Root, ids: &[Uuid]) -> Result<Self, StoreError> {
        let mut found = PurgedLines::default();
        for shard in list_shards_of(root, ShardScope::All, &mut vec![]) {
            found.add_lines(root, &shard, |id| ids.contains(&id))?;
        }
        Ok(found)
    }

    /// Adds the lines of a shard whose ids pass a filter, and contradictions of such records, but no tombstones.
    fn add_lines(
        &mut self,
        root: &Root,
        shard: &Shard,
        is_wanted: impl Fn(Uuid) -> bool,
    ) -> Result<(), StoreError> {
        let bytes = match shard.read_from(0) {
            Ok(bytes) => bytes,
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(StoreError::io(&shard.display_path, error)),
        };
        for line in bytes.split(|byte| *byte == b'\n') {
            let may_name_others = shard.kind == RecordKind::Contradiction;
            if !may_name_others && written_id(line).is_some_and(|id| !is_wanted(id)) {
                continue;
            }
            let read = record::read(byte_order_mark::strip_bytes(line));
            if let Ok(Some(record)) = read
                && (is_wanted(record.id) || is_contradiction_of(&record, &is_wanted))
                && record.kind() != RecordKind::Tombstone
            {
                let (base, path) = shard.base_and_path(root);
                self.lines.push(FoundLine {
                    id: record.id,
                    hash: hash_line(line),
                    base,
                    path,
                    display_path: shard.display_path.clone(),
                    is_local: shard.is_local,
                    is_contradiction: is_contradiction_of(&record, &is_wanted),
                });
            }
        }
        Ok(())
    }

    /// Returns how many lines there are.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Returns the hashes of the lines of a record.
    pub fn hashes(&self, id: Uuid) -> Vec<String> {
        let mut hashes: Vec<String> =
            self.lines.iter().filter(|line| line.id == id).map(|line| line.hash.clone()).collect();
        hashes.sort();
        hashes.dedup();
        hashes
    }

    /// Returns whether a record has lines in the shared part of the log, and whether in the local one.
    pub fn is_shared_and_local(&self, id: Uuid) -> (bool, bool) {
        let has = |is_local: bool| {
            self.lines.iter().any(|line| line.id == id && line.is_local == is_local)
        };
        (has(false), has(true))
    }

    /// Returns the paths of the files that the lines are in, as they are displayed.
    pub fn files(&self) -> Vec<String> {
        let mut files: Vec<String> =
            self.lines.iter().map(|line| line.display_path.clone()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Returns the removals of all lines, one for each file.
    pub fn removals(&self) -> Vec<LineRemoval> {
        let mut removals: Vec<LineRemoval> = Vec::new();
        for line in &self.lines {
            let is_same =
                |other: &&mut LineRemoval| other.base == line.base && other.path == line.path;
            match removals.iter_mut().find(is_same) {
                Some(removal) => removal.line_hashes.push(line.hash.clone()),
                None => removals.push(LineRemoval {
                    base: line.base,
                    path: line.path.clone(),
                    line_hashes: vec![line.hash.clone()],
                }),
            }
        }
        removals
    }
}

impl WriteLock {
    /// Removes the lines that tombstones name, which a merge may have brought back. Only shards that changed since the
    /// last call are read.
    pub fn remove_purged_lines(&self, root: &Root) -> Result<(), StoreError> {
        let shards = list_shards_of(root, ShardScope::All, &mut vec![]);
        let tombstones = Tombstones::read(&shards);
        if tombstones.line_hashes.is_empty() {
            return Ok(());
        }
        let state = StateFolder::in_state(root, STATE_COLLECTION);
        let before = state.read(STATE_NAME)?.unwrap_or_default();
        let checked: CheckedShards = serde_json::from_str(&before).unwrap_or_default();
        let checked = checked.of_tombstones(tombstones.checksum());
        let mut found = PurgedLines::default();
        for shard in shards.iter().filter(|shard| !checked.contains(shard)) {
            found.add_lines(root, shard, |id| tombstones.line_hashes.contains_key(&id))?;
        }
        found
            .lines
            .retain(|line| line.is_contradiction || tombstones.has_line(line.id, &line.hash));
        self.remove_lines(&found.removals())?;
        let text = serde_json::to_string(&CheckedShards::new(tombstones.checksum(), &shards));
        let text = text.map_err(|error| StoreError::io(STATE_NAME, error.into()))?;
        if text != before {
            state.write(STATE_NAME, &text)?;
        }
        Ok(())
    }
}

/// Returns the id of a line that begins as Heirloom writes it, without parsing the rest.
fn written_id(line: &[u8]) -> Option<Uuid> {
    let id = line.strip_prefix(br#"{"v":1,"id":""#)?.get(..36)?;
    Uuid::try_parse_ascii(id).ok()
}

/// The folder of the local state for [`CheckedShards`].
const STATE_COLLECTION: &str = "purge";

/// The file of [`CheckedShards`].
const STATE_NAME: &str = "checked";

/// The shards in which no line of a purged record is left.
#[derive(Debug, Default, Serialize, Deserialize)]
struct CheckedShards {
    /// The checksum of the tombstones that were checked for.
    tombstones: i64,
    /// Size, modification time and inode of each shard, by its path.
    stamps: BTreeMap<String, (u64, i64, u64)>,
}

impl CheckedShards {
    /// Describes shards after a check. A shard that was written just now may change again without a new stamp, so it is
    /// left out.
    fn new(tombstones: i64, shards: &[Shard]) -> Self {
        let stamps = shards.iter().filter_map(|shard| {
            let stamp = shard.stamp().filter(Stamp::is_settled)?;
            Some((shard.display_path.clone(), (stamp.size, stamp.modified, stamp.inode)))
        });
        CheckedShards { tombstones, stamps: stamps.collect() }
    }

    /// Forgets the shards if they were checked for other tombstones.
    fn of_tombstones(self, checksum: i64) -> Self {
        if self.tombstones == checksum { self } else { CheckedShards::default() }
    }

    fn contains(&self, shard: &Shard) -> bool {
        let stamp = shard.stamp().map(|stamp| (stamp.size, stamp.modified, stamp.inode));
        stamp.is_some() && self.stamps.get(&shard.display_path) == stamp.as_ref()
    }
}
