//! Connected components of the log.
//!
//! Lines that share a name belong to one component: a record, what superseded it, what says the
//! same, and the events on it. Folding a component gives its records the same state as folding the
//! whole log, so a new line costs as much as its component.

use std::collections::HashSet;

use heirloom_core::fold::{Line, Memory, fold};
use heirloom_core::parallel::{self, Work};
use heirloom_core::union_find::UnionFind;
use rusqlite::Connection;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::IndexError;
use crate::name_hash::hash_keys_of;
use crate::tables::lines::{self, LineRow, StoredLine, row_id, source_of};
use crate::tables::problems;
use crate::update::{FileSlice, NewLine};

/// A line of the log, with the hashes of the names that connect it to other lines.
#[derive(Debug, Clone)]
pub(crate) struct LogLine {
    row_id: i64,
    pub(crate) line: Box<Line>,
    name_hashes: Vec<i64>,
    /// The bytes of a line that is not stored yet.
    new_json: Option<FileSlice>,
}

impl LogLine {
    /// Wraps a line that is stored already.
    pub(crate) fn stored(StoredLine { id, line }: StoredLine) -> Self {
        LogLine { row_id: id, name_hashes: hash_keys_of(&line), line, new_json: None }
    }

    /// Wraps a new line of a source.
    pub(crate) fn new(source: i64, NewLine { line, json, name_hashes }: NewLine) -> Self {
        let row_id = row_id(source, line.place.line);
        LogLine { row_id, line, name_hashes, new_json: Some(json) }
    }

    /// Returns the source that the line is in.
    pub(crate) fn source(&self) -> i64 {
        source_of(self.row_id)
    }

    /// Returns the hashes of the names that connect the line to others.
    pub(crate) fn name_hashes(&self) -> impl Iterator<Item = i64> {
        self.name_hashes.iter().copied()
    }
}

/// Removes the names and the problems of lines, whose components are computed again.
pub(crate) fn delete_names_and_problems(
    db: &Connection,
    log_lines: &[LogLine],
) -> Result<(), IndexError> {
    problems::delete(db, log_lines.iter().map(|log_line| &log_line.line.place))?;
    let name_hashes: HashSet<i64> = log_lines.iter().flat_map(LogLine::name_hashes).collect();
    lines::delete_names(db, &name_hashes)
}

/// Removes lines that are no longer in the log.
pub(crate) fn delete(db: &Connection, log_lines: &[LogLine]) -> Result<(), IndexError> {
    lines::delete(db, log_lines.iter().map(|log_line| log_line.row_id))
}

/// From how many lines on they are folded on another thread.
const MIN_LINES_FOR_THREAD: usize = 256;

/// Computes the components of lines and stores the lines; at the same time, folds the lines and
/// calls `derive` with the result. The names are returned, to be stored with [`ComponentNames::store`].
pub(crate) fn store_and_fold<T: Send>(
    db: &Connection,
    log_lines: Vec<LogLine>,
    derive: impl FnOnce(&Memory) -> T + Send,
) -> Result<(ComponentNames, Memory, T), IndexError> {
    let mut members = Vec::with_capacity(log_lines.len());
    let mut lines = Vec::with_capacity(log_lines.len());
    for LogLine { row_id, line, name_hashes, new_json } in log_lines {
        members.push(Member { row_id, name_hashes, new_json });
        lines.push(line);
    }
    let ((memory, derived), names) = parallel::join(
        Work::long_if(lines.len() >= MIN_LINES_FOR_THREAD),
        || {
            let memory = fold(lines, None);
            let derived = derive(&memory);
            (memory, derived)
        },
        || store_components(db, &members),
    );
    Ok((names?, memory, derived))
}

/// A line as a member of a component.
struct Member {
    row_id: i64,
    name_hashes: Vec<i64>,
    new_json: Option<FileSlice>,
}

/// A component, whose id is the row id of its first member.
struct Component {
    id: i64,
    member_count: usize,
}

/// Computes components, and writes them to the rows of the lines.
fn store_components(db: &Connection, members: &[Member]) -> Result<ComponentNames, IndexError> {
    let mut sets = connect(members);
    let mut components: FxHashMap<usize, Component> = FxHashMap::default();
    let mut root_of_member: Vec<Option<usize>> = Vec::with_capacity(members.len());
    for member in members {
        let root = member.name_hashes.first().map(|first| sets.root_of(*first));
        if let Some(root) = root {
            let new = Component { id: member.row_id, member_count: 0 };
            components.entry(root).or_insert(new).member_count += 1;
        }
        root_of_member.push(root);
    }
    let rows = members.iter().zip(root_of_member).map(|(member, root)| {
        let component = root.and_then(|root| components.get(&root));
        let component = component.filter(|component| component.member_count > 1);
        LineRow {
            id: member.row_id,
            component: component.map(|component| component.id),
            json: member.new_json.as_ref().map(FileSlice::bytes),
        }
    });
    lines::write(db, rows)?;
    let names = sets.all_roots().into_iter();
    let names = names.filter_map(|(name, root)| Some((name, components.get(&root)?.id)));
    Ok(ComponentNames(names.collect()))
}

/// Joins all names of each member.
fn connect(members: &[Member]) -> NameGroups {
    let mut sets = NameGroups::with_capacity(2 * members.len());
    for member in members {
        let mut names = member.name_hashes.iter();
        if let Some(first) = names.next() {
            let first = sets.index_of(*first);
            names.for_each(|name| {
                let other = sets.index_of(*name);
                sets.groups.join(first, other);
            });
        }
    }
    sets
}

/// The component of each name hash.
pub(crate) struct ComponentNames(Vec<(i64, i64)>);

impl ComponentNames {
    /// Writes the names to their table.
    pub(crate) fn store(self, db: &Connection) -> Result<(), IndexError> {
        lines::write_names(db, self.0)
    }
}

/// Groups of name hashes that belong to the same component.
struct NameGroups {
    indexes: FxHashMap<i64, usize>,
    groups: UnionFind,
}

impl NameGroups {
    fn with_capacity(names: usize) -> Self {
        let indexes = FxHashMap::with_capacity_and_hasher(names, FxBuildHasher);
        NameGroups { indexes, groups: UnionFind::with_capacity(names) }
    }

    /// Returns the index of a name, which is added if it is new.
    fn index_of(&mut self, name: i64) -> usize {
        *self.indexes.entry(name).or_insert_with(|| self.groups.add())
    }

    fn root_of(&mut self, name: i64) -> usize {
        let index = self.index_of(name);
        self.groups.find(index)
    }

    /// Returns every name with its root.
    fn all_roots(mut self) -> Vec<(i64, usize)> {
        let names = self.indexes.into_iter();
        names.map(|(name, index)| (name, self.groups.find(index))).collect()
    }
}
