//! Folds the set of log lines into the current state of memory.
//!
//! The order and repetition of lines do not matter, and dates do not decide, since clocks differ: an archive is valid
//! until an event undoes it by its id. So every merge of two branches folds to the same state on every machine.

mod alias;
mod contradictions;
mod find;

pub(crate) use alias::text_key;
pub use contradictions::{ContradictionState, EarlierContradiction, StandingContradiction};
pub use find::IdMatch;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use crate::record::{Body, EventAction, Record, RecordKind, Referent, Relation, RelationRecord};
use crate::{Problem, day};
use alias::Aliases;

/// A line of the log.
#[derive(Debug, Clone)]
pub struct Line {
    /// The record.
    pub record: Record,
    /// Its location.
    pub place: LineLocation,
    /// A hash of its bytes.
    hash: [u8; 32],
    /// For a fact, a hash that is equal for facts that say the same.
    text_key: Option<[u8; 32]>,
}

impl Line {
    /// Creates a line from its record, its bytes and its location.
    pub fn new(record: Record, bytes: &[u8], place: LineLocation) -> Self {
        let hash = *blake3::hash(bytes).as_bytes();
        Line { hash, text_key: text_key(&record), place, record }
    }

    /// Creates a line that is alone in its connected component. Such a line is never compared with another, so the
    /// hashes are not computed.
    pub fn new_isolated(record: Record, place: LineLocation) -> Self {
        Line { hash: [0; 32], text_key: None, place, record }
    }

    /// Returns a hash that is equal for facts that say the same.
    pub(crate) fn text_key(&self) -> Option<&[u8; 32]> {
        self.text_key.as_ref()
    }
}

/// The location of a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineLocation {
    /// The file.
    pub path: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// Whether the file belongs to the local state of this machine, outside of the repository.
    pub is_local: bool,
}

/// The state of memory: all records and what became of them.
#[derive(Debug, Default)]
pub struct Memory {
    lines: BTreeMap<Uuid, Box<Line>>,
    aliases: Aliases,
    /// The records that replaced a record or an entry, by the latter.
    successors: HashMap<Referent, Vec<Uuid>>,
    /// The events that were not undone, by action and target.
    events: HashMap<EventAction, HashMap<Referent, Vec<Uuid>>>,
    problems: Vec<Problem>,
    /// A cache of [`Memory::heads`]: callers ask for every link of a long chain.
    head_cache: Mutex<HashMap<Referent, Vec<Referent>>>,
}

/// The number of links after which [`Memory::heads`] uses a search with a set of visited referents: its cycle check is
/// quadratic.
const MAX_LINEAR_CHAIN_LINKS: usize = 64;

/// The state of a record or an entry.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is current.
    #[default]
    Active,
    /// It was true until a day in the past. A fold does not know the current day, so only readers state this.
    Expired,
    /// Another record replaced it.
    Superseded,
    /// It was archived.
    Archived,
}

impl Standing {
    /// Returns whether it was replaced or archived.
    pub fn is_retired(self) -> bool {
        matches!(self, Standing::Superseded | Standing::Archived)
    }

    /// Returns its name in the format.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Active => "active",
            Standing::Expired => "expired",
            Standing::Superseded => "superseded",
            Standing::Archived => "archived",
        }
    }
}

/// An item of memory: a record and its aliases, which say the same.
#[derive(Debug, Clone, Copy)]
pub struct Item<'m> {
    /// Its canonical id: the smallest one of all aliases.
    pub id: Uuid,
    /// The first active alias, or the canonical record if none is active.
    pub record: &'m Record,
    /// The location of that record.
    pub place: &'m LineLocation,
    /// Its state: the best one of all aliases.
    pub standing: Standing,
    /// The hash of that record's line.
    hash: &'m [u8; 32],
}

impl Item<'_> {
    /// Returns a hash that changes with its text.
    pub fn fingerprint(&self) -> [u8; 16] {
        self.hash.first_chunk().copied().unwrap_or_default()
    }
}

/// A record or an entry that several active records replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// What was replaced.
    pub replaced: Referent,
    /// The active replacements.
    pub heads: Vec<Referent>,
}

/// Folds lines into the current state of memory, or its state at `as_of`.
pub fn fold(
    lines: impl IntoIterator<Item = impl Into<Box<Line>>>,
    as_of: Option<Timestamp>,
) -> Memory {
    let mut memory = Memory::default();
    let mut purged: HashSet<Uuid> = HashSet::new();
    for line in lines.into_iter().map(Into::into) {
        // A purge also holds for the past.
        if let Body::Tombstone(tombstone) = &line.record.body {
            purged.extend(tombstone.purged.record_id());
        }
        if as_of.is_none_or(|as_of| line.record.at <= as_of) {
            memory.insert(line);
        }
    }
    if !purged.is_empty() {
        // The reason of a contradiction may quote what was purged.
        let names_purged = |record: &Record| {
            let mut ids = record.referents().into_iter().filter_map(Referent::record_id);
            record.kind() == RecordKind::Contradiction && ids.any(|id| purged.contains(&id))
        };
        memory.lines.retain(|id, line| match line.record.kind() {
            RecordKind::Tombstone => true,
            _ => !purged.contains(id) && !names_purged(&line.record),
        });
    }
    memory.aliases = Aliases::of(memory.lines.values().map(Box::as_ref));
    memory.index_relations();
    memory
}

impl Memory {
    /// Inserts a line. Two lines with one id and different bytes come from a manual edit and a merge: the greater hash
    /// wins, so that every machine keeps the same one.
    fn insert(&mut self, line: Box<Line>) {
        let id = line.record.id;
        match self.lines.get_mut(&id) {
            None => drop(self.lines.insert(id, line)),
            Some(existing) if existing.hash == line.hash => {
                existing.place = line.place.min(existing.place.clone());
            }
            Some(existing) => {
                let ignored = if line.hash > existing.hash { &existing.place } else { &line.place };
                self.problems.push(
                    Problem::at(
                        ignored.path.to_string(),
                        ignored.line,
                        format!("this line is ignored: another line has the same id {id} and different content"),
                    )
                    .hint("remove one of the two lines"),
                );
                if line.hash > existing.hash {
                    *existing = line;
                }
            }
        }
    }

    /// Fills `successors` and `events`.
    fn index_relations(&mut self) {
        let mut undone: HashSet<(EventAction, Uuid)> = HashSet::new();
        for line in self.lines.values() {
            if let Body::Event(event) = &line.record.body {
                let events = || event.undoes.iter().filter_map(Referent::record_id);
                let actions = undone_by(event.action).iter();
                undone.extend(actions.flat_map(|action| events().map(|id| (*action, id))));
            }
        }
        for (id, line) in &self.lines {
            for replaced in &line.record.supersedes {
                self.successors.entry(replaced.clone()).or_default().push(*id);
            }
            if let Body::Event(event) = &line.record.body
                && !undone.contains(&(event.action, *id))
            {
                let events = self.events.entry(event.action).or_default();
                for target in &event.targets {
                    events.entry(target.clone()).or_default().push(*id);
                }
            }
        }
        self.archive_tombstones();
        self.remove_withdrawn_successors();
    }

    /// Archives tombstones: one that supersedes something is the end of a chain, but no memory.
    fn archive_tombstones(&mut self) {
        let is_tombstone = |line: &Line| line.record.kind() == RecordKind::Tombstone;
        let tombstones = self.lines.iter().filter(|(_, line)| is_tombstone(line));
        for (id, _) in tombstones {
            let archived = self.events.entry(EventAction::Archive).or_default();
            archived.entry((*id).into()).or_default().push(*id);
        }
    }

    /// Removes the successors that were withdrawn, so that what they replaced is current again.
    fn remove_withdrawn_successors(&mut self) {
        let withdrawn = self.events.get(&EventAction::Undo).into_iter().flatten();
        for id in withdrawn.filter_map(|(target, _)| target.record_id()) {
            let Some(line) = self.lines.get(&id) else { continue };
            for replaced in &line.record.supersedes {
                if let Some(successors) = self.successors.get_mut(replaced) {
                    successors.retain(|successor| *successor != id);
                    if successors.is_empty() {
                        self.successors.remove(replaced);
                    }
                }
            }
        }
    }

    /// Returns the problems between lines.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns a record by its full id, in any state.
    pub fn record(&self, id: Uuid) -> Option<&Record> {
        self.lines.get(&id).map(|line| &line.record)
    }

    /// Returns the location of a record.
    pub fn place(&self, id: Uuid) -> Option<&LineLocation> {
        self.lines.get(&id).map(|line| &line.place)
    }

    /// Returns every record, in order of id.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.lines.values().map(|line| &line.record)
    }

    /// Returns every item of a kind, in order of id.
    pub fn items(&self, kind: RecordKind) -> impl Iterator<Item = Item<'_>> {
        let of_kind = self.lines.iter().filter(move |(_, line)| line.record.kind() == kind);
        let canonical = of_kind.filter(|(id, _)| self.aliases.canonical(**id) == **id);
        canonical.filter_map(|(id, _)| self.item(*id))
    }

    /// Returns the item that a record belongs to.
    pub fn item(&self, id: Uuid) -> Option<Item<'_>> {
        let canonical = self.aliases.canonical(id);
        let standings = self.aliases.group(&canonical).iter();
        let standings = standings.map(|alias| (self.own_standing(&(*alias).into()), *alias));
        // The first active alias represents the item, or the canonical one if none is active.
        let (standing, first) = standings.min()?;
        let representative = if standing == Standing::Active { first } else { canonical };
        let line = self.lines.get(&representative)?;
        let Line { record, place, hash, .. } = line.as_ref();
        Some(Item { id: canonical, record, place, standing, hash })
    }

    /// Returns the item that says the same as a record outside of the log.
    pub fn find_equal(&self, record: &Record) -> Option<Item<'_>> {
        self.aliases.find_equal(record).and_then(|id| self.item(id))
    }

    /// Returns the ids of all records that say the same as a record, including its own.
    pub fn aliases(&self, id: Uuid) -> Vec<Uuid> {
        self.aliases.group(&self.aliases.canonical(id)).to_vec()
    }

    /// Returns the time of the latest alias of an item.
    pub fn latest_timestamp(&self, item: &Item<'_>) -> Timestamp {
        match self.aliases.group(&item.id) {
            [_] => item.record.at,
            aliases => {
                let lines = aliases.iter().filter_map(|id| self.lines.get(id));
                lines.map(|line| line.record.at).max().unwrap_or(item.record.at)
            }
        }
    }

    /// Returns the state of a record or an entry. Records that say the same are active as long as one of them is: an
    /// archive applies only to the ids that it names.
    pub fn standing(&self, referent: &Referent) -> Standing {
        let mut standing = Standing::Archived;
        self.for_each_alias(referent, |alias| standing = standing.min(self.own_standing(alias)));
        standing
    }

    /// Returns the state of one record or entry without its aliases.
    fn own_standing(&self, referent: &Referent) -> Standing {
        if self.successors.contains_key(referent) {
            Standing::Superseded
        } else if self.has_event(EventAction::Archive, referent)
            || self.has_event(EventAction::Undo, referent)
        {
            Standing::Archived
        } else {
            Standing::Active
        }
    }

    /// Passes a record and its aliases, or anything else itself, to `take`.
    fn for_each_alias(&self, referent: &Referent, mut take: impl FnMut(&Referent)) {
        match referent {
            Referent::Record(id) if self.lines.contains_key(id) => {
                let canonical = self.aliases.canonical(*id);
                self.aliases.group(&canonical).iter().for_each(|alias| take(&(*alias).into()));
            }
            other => take(other),
        }
    }

    /// Returns the record that represents all records that say the same as a record, or anything else itself.
    pub fn canonical(&self, referent: &Referent) -> Referent {
        match referent {
            Referent::Record(id) => self.aliases.canonical(*id).into(),
            other => other.clone(),
        }
    }

    fn has_event(&self, action: EventAction, referent: &Referent) -> bool {
        self.events.get(&action).is_some_and(|events| events.contains_key(referent))
    }

    /// Returns the events with an action on a record, its aliases or an entry that were not undone.
    pub fn events(&self, action: EventAction, referent: &Referent) -> Vec<Uuid> {
        let Some(events) = self.events.get(&action) else { return vec![] };
        let mut found = BTreeSet::new();
        self.for_each_alias(referent, |alias| {
            found.extend(events.get(alias).into_iter().flatten());
        });
        found.into_iter().collect()
    }

    /// Returns all targets of an action, with the events that were not undone.
    pub fn targets_of(&self, action: EventAction) -> BTreeMap<&Referent, &[Uuid]> {
        let events = self.events.get(&action).into_iter().flatten();
        events.map(|(target, events)| (target, events.as_slice())).collect()
    }

    /// Returns the ends of the chain of replacements of a record or an entry: itself, or its latest successors. An
    /// archived successor is still an end: archiving it does not bring back what it replaced.
    pub fn heads(&self, referent: &Referent) -> Vec<Referent> {
        let mut chain: Vec<Referent> = Vec::new();
        let mut current = self.canonical(referent);
        let heads = loop {
            if let Some(heads) = self.lock_head_cache().get(&current) {
                break heads.clone();
            }
            let next = self.replaced_by(&current);
            match next.as_slice() {
                _ if self.standing(&current) != Standing::Superseded => {
                    break vec![current.clone()];
                }
                [only] if !chain.contains(&current) && chain.len() < MAX_LINEAR_CHAIN_LINKS => {
                    chain.push(std::mem::replace(&mut current, only.clone()));
                }
                _ => break self.search_heads(&current),
            }
        };
        let mut cache = self.lock_head_cache();
        cache.extend(chain.into_iter().map(|link| (link, heads.clone())));
        heads
    }

    fn lock_head_cache(&self) -> MutexGuard<'_, HashMap<Referent, Vec<Referent>>> {
        self.head_cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the successors of a record, its aliases or an entry.
    fn replaced_by(&self, referent: &Referent) -> Vec<Referent> {
        let mut next = BTreeSet::new();
        self.for_each_alias(referent, |alias| {
            let successors = self.successors.get(alias).into_iter().flatten();
            next.extend(successors.map(|id| self.aliases.canonical(*id)));
        });
        next.into_iter().map(Referent::Record).collect()
    }

    /// Returns the records that replaced a record, its aliases or an entry directly.
    pub fn direct_successors(&self, referent: &Referent) -> BTreeSet<Uuid> {
        let mut found = BTreeSet::new();
        self.for_each_alias(referent, |alias| {
            found.extend(self.successors.get(alias).into_iter().flatten());
        });
        found
    }

    /// Searches the heads through forks and cycles.
    fn search_heads(&self, referent: &Referent) -> Vec<Referent> {
        let mut heads = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut next = vec![referent.clone()];
        while let Some(referent) = next.pop() {
            if !seen.insert(referent.clone()) {
                continue;
            }
            if self.standing(&referent) != Standing::Superseded {
                heads.insert(referent);
                continue;
            }
            next.extend(self.replaced_by(&referent));
        }
        heads.into_iter().collect()
    }

    /// Returns whether a record was withdrawn by [`EventAction::Undo`].
    pub fn is_withdrawn(&self, id: Uuid) -> bool {
        self.has_event(EventAction::Undo, &id.into())
    }

    /// Returns the records and entries that several active records replace.
    pub fn forks(&self) -> Vec<Fork> {
        let mut forks: Vec<Fork> = Vec::new();
        for (replaced, versions) in self.rival_versions() {
            let heads: BTreeSet<Referent> = versions
                .iter()
                .flat_map(|version| self.heads(version))
                .filter(|head| self.standing(head) == Standing::Active)
                .collect();
            if heads.len() > 1 {
                forks.push(Fork { replaced: replaced.clone(), heads: heads.into_iter().collect() });
            }
        }
        forks
    }

    /// Returns what has several replacements, with these. A withdrawn replacement that another branch replaced in turn
    /// is a rival of what it replaced.
    fn rival_versions(&self) -> BTreeMap<&Referent, Vec<Referent>> {
        let mut rivals: BTreeMap<&Referent, Vec<Referent>> = BTreeMap::new();
        for (replaced, successors) in self.successors.iter().filter(|(_, all)| all.len() > 1) {
            rivals.insert(replaced, successors.iter().map(|id| Referent::Record(*id)).collect());
        }
        for withdrawn in self.targets_of(EventAction::Undo).into_keys() {
            let record = withdrawn.record_id().and_then(|id| self.record(id));
            if self.own_standing(withdrawn) == Standing::Superseded {
                for replaced in
                    record.map(|record| record.supersedes.as_slice()).unwrap_or_default()
                {
                    rivals
                        .entry(replaced)
                        .or_default()
                        .extend([replaced.clone(), withdrawn.clone()]);
                }
            }
        }
        rivals
    }

    /// Returns the active relations, without duplicates, between the heads of their ends.
    pub fn edges(&self) -> BTreeMap<(Referent, Referent, Relation), Uuid> {
        let mut edges = BTreeMap::new();
        for (id, line) in &self.lines {
            let Body::Edge(RelationRecord { from, to, relation, .. }) = &line.record.body else {
                continue;
            };
            if self.own_standing(&(*id).into()) != Standing::Active {
                continue;
            }
            for from in self.heads(from) {
                for to in self.heads(to) {
                    edges.entry((from.clone(), to, *relation)).or_insert(*id);
                }
            }
        }
        edges
    }

    /// Returns whether a record was true on a day: from `valid_from`, or the day on which it was recorded, until the
    /// day before `valid_to` or before its successor became true.
    pub fn was_valid(&self, record: &Record, on: Date) -> bool {
        let replaced_on = self.replaced_on(&record.id.into());
        let end = [record.valid_to, replaced_on].into_iter().flatten().min();
        first_day(record) <= on && end.is_none_or(|end| on < end)
    }

    /// Returns the first day on which a successor of a record or an entry was true.
    pub fn replaced_on(&self, referent: &Referent) -> Option<Date> {
        let successors = self.successors.get(referent).into_iter().flatten();
        successors.filter_map(|id| self.record(*id)).map(first_day).min()
    }

    /// Returns how often a record or an entry was reinforced.
    pub fn reinforcement_count(&self, referent: &Referent) -> usize {
        self.events(EventAction::Reinforce, referent).len()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// Returns the first day on which a record is true: `valid_from`, or the day on which it was recorded.
fn first_day(record: &Record) -> Date {
    let recorded = day::of_timestamp(record.at);
    match record.valid_from {
        Some(day) => day,
        // It was recorded when it was no longer true; its first day is unknown.
        None if record.valid_to.is_some_and(|end| end <= recorded) => Date::MIN,
        None => recorded,
    }
}

/// Returns the actions that an action undoes.
fn undone_by(action: EventAction) -> &'static [EventAction] {
    match action {
        EventAction::Restore => &[EventAction::Archive, EventAction::Undo],
        EventAction::Release => &[EventAction::Pin],
        EventAction::Unresolve => &[EventAction::Resolve],
        EventAction::Archive
        | EventAction::Pin
        | EventAction::Reinforce
        | EventAction::Resolve
        | EventAction::Undo => &[],
    }
}

#[cfg(test)]
mod tests;
