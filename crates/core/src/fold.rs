//! From the set of log lines to what is known.
//!
//! Order and repetition of lines do not matter, and no event wins by its date: an archive holds
//! until an event names it, and clocks may differ. So any merge of two branches folds to the same
//! state on every machine.

mod alias;
mod find;

pub(crate) use alias::text_key;
pub use find::Found;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use crate::record::{Action, Body, Edge, Kind, Record, Relation};
use crate::{Problem, day};
use alias::Aliases;

/// A line of the log.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it says.
    pub record: Record,
    /// Where it is.
    pub place: Place,
    /// A hash of its bytes.
    hash: [u8; 32],
    /// What makes two facts the same, for a fact.
    says: Option<[u8; 32]>,
}

impl Line {
    /// Takes what a line says, its bytes, and where it is.
    pub fn new(record: Record, bytes: &[u8], place: Place) -> Self {
        let hash = *blake3::hash(bytes).as_bytes();
        Line { hash, says: text_key(&record), place, record }
    }

    /// Takes what a line says that shares no name with another, and says what no other says: nobody
    /// compares it with one.
    pub fn alone(record: Record, place: Place) -> Self {
        Line { hash: [0; 32], says: None, place, record }
    }

    /// Returns what is equal in two facts that say the same.
    pub(crate) fn says(&self) -> Option<&[u8; 32]> {
        self.says.as_ref()
    }
}

/// Where a line is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub path: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// Whether it lies in this machine's own state.
    pub is_local: bool,
}

/// What is known, and what was.
#[derive(Debug, Default)]
pub struct Memory {
    held: BTreeMap<Uuid, Box<Line>>,
    aliases: Aliases,
    /// The records that replaced something, by what they replaced.
    successors: HashMap<String, Vec<Uuid>>,
    /// Events that hold, by what was done and to what.
    events: HashMap<Action, HashMap<String, Vec<Uuid>>>,
    problems: Vec<Problem>,
    /// Ways that were followed before; a long chain is asked for from each of its links.
    known_heads: Mutex<HashMap<String, Vec<String>>>,
}

/// A way is looked up in its own beginning only so far; a longer one is searched.
const LONGEST_WAY: usize = 64;

/// How things stand with a record or an entry.
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
    /// It is known to be so.
    #[default]
    Active,
    /// Something else was put in its place.
    Superseded,
    /// It was put away.
    Archived,
}

impl Standing {
    /// Returns its word.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Active => "active",
            Standing::Superseded => "superseded",
            Standing::Archived => "archived",
        }
    }
}

/// One thing of memory: a record with those that say the same.
#[derive(Debug, Clone, Copy)]
pub struct Item<'m> {
    /// Its id, the smallest of all that say the same.
    pub id: Uuid,
    /// What it says, in the words of the first that still stands.
    pub record: &'m Record,
    /// Where that is written.
    pub place: &'m Place,
    /// How things stand with it.
    pub standing: Standing,
    /// A hash of the line in which that is written.
    hash: &'m [u8; 32],
}

impl Item<'_> {
    /// Returns what changes when it says something else.
    pub fn fingerprint(&self) -> [u8; 16] {
        self.hash.first_chunk().copied().unwrap_or_default()
    }
}

/// A thing that was replaced by several that do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// What was replaced.
    pub replaced: String,
    /// What stands in its place.
    pub heads: Vec<String>,
}

/// Folds lines into what is known; with `as_of`, into what was known then.
pub fn fold(
    lines: impl IntoIterator<Item = impl Into<Box<Line>>>,
    as_of: Option<Timestamp>,
) -> Memory {
    let mut memory = Memory::default();
    for line in lines.into_iter().map(Into::into) {
        if as_of.is_none_or(|moment| line.record.at <= moment) {
            memory.take(line);
        }
    }
    memory.aliases = Aliases::of(memory.held.values().map(Box::as_ref));
    memory.relate();
    memory
}

impl Memory {
    /// Takes a line. One id with other bytes is a hand edit that met a merge: the greater hash wins
    /// on every machine.
    fn take(&mut self, line: Box<Line>) {
        let id = line.record.id;
        match self.held.get_mut(&id) {
            None => drop(self.held.insert(id, line)),
            Some(held) if held.hash == line.hash => held.place = line.place.min(held.place.clone()),
            Some(held) => {
                let other = if line.hash > held.hash { &held.place } else { &line.place };
                self.problems.push(
                    Problem::at(
                        other.path.to_string(),
                        other.line,
                        format!("the record {id} is written in another way elsewhere, and that one is read"),
                    )
                    .hint("remove one of the two lines"),
                );
                if line.hash > held.hash {
                    *held = line;
                }
            }
        }
    }

    fn relate(&mut self) {
        let mut undone: HashSet<(Action, &str)> = HashSet::new();
        for held in self.held.values() {
            if let Body::Event(event) = &held.record.body
                && let Some(action) = undone_by(event.action)
            {
                undone.extend(event.undoes.iter().map(|id| (action, id.as_str())));
            }
        }
        for (id, held) in &self.held {
            for replaced in &held.record.supersedes {
                self.successors.entry(replaced.clone()).or_default().push(*id);
            }
            if let Body::Event(event) = &held.record.body
                && !undone.contains(&(event.action, id.to_string().as_str()))
            {
                let events = self.events.entry(event.action).or_default();
                for target in &event.targets {
                    events.entry(target.clone()).or_default().push(*id);
                }
            }
        }
    }

    /// Returns what is wrong with the lines taken together.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns a record by its whole id, whatever became of it.
    pub fn record(&self, id: Uuid) -> Option<&Record> {
        self.held.get(&id).map(|held| &held.record)
    }

    /// Returns where a record is written.
    pub fn place(&self, id: Uuid) -> Option<&Place> {
        self.held.get(&id).map(|held| &held.place)
    }

    /// Returns every record, in order of id.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.held.values().map(|held| &held.record)
    }

    /// Returns every thing of some kind, those that say the same as one, in order of id.
    pub fn items(&self, kind: Kind) -> impl Iterator<Item = Item<'_>> {
        let of_kind = self.held.iter().filter(move |(_, held)| held.record.kind() == kind);
        let first = of_kind.filter(|(id, _)| self.aliases.canonical(**id) == **id);
        first.filter_map(|(id, _)| self.item(*id))
    }

    /// Returns the thing that a record is part of.
    pub fn item(&self, id: Uuid) -> Option<Item<'_>> {
        let canonical = self.aliases.canonical(id);
        let standings = self.aliases.group(&canonical).iter().map(|alias| {
            let mut written = Uuid::encode_buffer();
            (self.standing_of_one(alias.hyphenated().encode_lower(&mut written)), *alias)
        });
        // Of those that stand alike, the first speaks for all, or the canonical one for none.
        let (standing, first) = standings.min()?;
        let speaker = if standing == Standing::Active { first } else { canonical };
        let held = self.held.get(&speaker)?;
        let Line { record, place, hash, .. } = held.as_ref();
        Some(Item { id: canonical, record, place, standing, hash })
    }

    /// Returns the thing that says the same as a record which is not written yet.
    pub fn same(&self, record: &Record) -> Option<Item<'_>> {
        self.aliases.same(record).and_then(|id| self.item(id))
    }

    /// Returns the ids of all records that say the same as this one, itself among them.
    pub fn aliases(&self, id: Uuid) -> Vec<Uuid> {
        self.aliases.group(&self.aliases.canonical(id)).to_vec()
    }

    /// Returns when a thing was said last.
    pub fn latest(&self, item: &Item<'_>) -> Timestamp {
        match self.aliases.group(&item.id) {
            [_] => item.record.at,
            all => {
                let said = all.iter().filter_map(|id| self.held.get(id));
                said.map(|line| line.record.at).max().unwrap_or(item.record.at)
            }
        }
    }

    /// Returns how things stand with a record or an entry. Records that say the same stand as long
    /// as one of them does: an archive covers only those that it names.
    pub fn standing(&self, name: &str) -> Standing {
        let mut standing = Standing::Archived;
        self.for_same(name, |alias| standing = standing.min(self.standing_of_one(alias)));
        standing
    }

    fn standing_of_one(&self, name: &str) -> Standing {
        if self.successors.contains_key(name) {
            Standing::Superseded
        } else if self.has(Action::Archive, name) {
            Standing::Archived
        } else {
            Standing::Active
        }
    }

    /// Gives the names of everything that says the same as this, one after the other.
    fn for_same(&self, name: &str, mut take: impl FnMut(&str)) {
        match Uuid::parse_str(name) {
            Ok(id) if self.held.contains_key(&id) => {
                let canonical = self.aliases.canonical(id);
                let mut written = Uuid::encode_buffer();
                for alias in self.aliases.group(&canonical) {
                    take(alias.hyphenated().encode_lower(&mut written));
                }
            }
            _ => take(name),
        }
    }

    /// Returns the name under which a thing is known: a record's canonical id.
    pub fn canonical(&self, name: &str) -> String {
        match Uuid::parse_str(name) {
            Ok(id) => self.aliases.canonical(id).to_string(),
            Err(_) => name.to_owned(),
        }
    }

    fn has(&self, action: Action, name: &str) -> bool {
        self.events.get(&action).is_some_and(|events| events.contains_key(name))
    }

    /// Returns the events that did something to a thing, or to what says the same, and still hold.
    pub fn events(&self, action: Action, name: &str) -> Vec<Uuid> {
        let Some(events) = self.events.get(&action) else { return vec![] };
        let mut found = BTreeSet::new();
        self.for_same(name, |alias| found.extend(events.get(alias).into_iter().flatten()));
        found.into_iter().collect()
    }

    /// Returns everything that something was done to, with the events that did it.
    pub fn acted_on(&self, action: Action) -> BTreeMap<&str, &[Uuid]> {
        let events = self.events.get(&action).into_iter().flatten();
        events.map(|(target, events)| (target.as_str(), events.as_slice())).collect()
    }

    /// Returns what stands in the place of a thing now: itself, or what replaced it. A thing whose
    /// successor was archived has that one still: archiving revives nothing.
    pub fn heads(&self, name: &str) -> Vec<String> {
        let mut way: Vec<String> = Vec::new();
        let mut at = self.canonical(name);
        let heads = loop {
            if let Some(heads) = self.known_heads().get(&at) {
                break heads.clone();
            }
            let next = self.replaced_by(&at);
            match next.as_slice() {
                _ if self.standing(&at) != Standing::Superseded => break vec![at.clone()],
                [only] if !way.contains(&at) && way.len() < LONGEST_WAY => {
                    way.push(std::mem::replace(&mut at, only.clone()));
                }
                _ => break self.search_heads(&at),
            }
        };
        let mut known = self.known_heads();
        known.extend(way.into_iter().map(|name| (name, heads.clone())));
        heads
    }

    fn known_heads(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.known_heads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What replaced a thing, or what says the same.
    fn replaced_by(&self, name: &str) -> Vec<String> {
        let mut next = BTreeSet::new();
        self.for_same(name, |alias| {
            let successors = self.successors.get(alias).into_iter().flatten();
            next.extend(successors.map(|id| self.aliases.canonical(*id).to_string()));
        });
        next.into_iter().collect()
    }

    /// Follows every way on, where ways part or lead back.
    fn search_heads(&self, name: &str) -> Vec<String> {
        let mut heads = BTreeSet::new();
        let mut seen = HashSet::new();
        let mut next = vec![name.to_owned()];
        while let Some(name) = next.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if self.standing(&name) != Standing::Superseded {
                heads.insert(name);
                continue;
            }
            next.extend(self.replaced_by(&name));
        }
        heads.into_iter().collect()
    }

    /// Returns the things that were replaced by several which all stand.
    pub fn forks(&self) -> Vec<Fork> {
        let mut forks: Vec<Fork> = Vec::new();
        for (replaced, successors) in self.successors.iter().filter(|(_, all)| all.len() > 1) {
            let heads: BTreeSet<String> = successors
                .iter()
                .flat_map(|id| self.heads(&id.to_string()))
                .filter(|head| self.standing(head) == Standing::Active)
                .collect();
            if heads.len() > 1 {
                forks.push(Fork { replaced: replaced.clone(), heads: heads.into_iter().collect() });
            }
        }
        forks.sort_by(|a, b| a.replaced.cmp(&b.replaced));
        forks
    }

    /// Returns the relations that hold, each once, between what stands at their ends now.
    pub fn edges(&self) -> BTreeMap<(String, String, Relation), Uuid> {
        let mut edges = BTreeMap::new();
        for (id, held) in &self.held {
            let Body::Edge(Edge { from, to, relation, .. }) = &held.record.body else { continue };
            if self.standing_of_one(&id.to_string()) != Standing::Active {
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

    /// Returns whether a record was true on a day: from its first day, or the day on which it was
    /// recorded, until its last, or the first of what replaced it.
    pub fn was_valid(&self, record: &Record, on: Date) -> bool {
        let replaced_on = self.replaced_on(&record.id.to_string());
        let end = [record.valid_to, replaced_on].into_iter().flatten().min();
        first_day(record) <= on && end.is_none_or(|end| on < end)
    }

    /// Returns the first day of what replaced a record or an entry.
    pub fn replaced_on(&self, name: &str) -> Option<Date> {
        let successors = self.successors.get(name).into_iter().flatten();
        successors.filter_map(|id| self.record(*id)).map(first_day).min()
    }

    /// Returns how many times a thing was learnt again.
    pub fn reinforced(&self, name: &str) -> usize {
        self.events(Action::Reinforce, name).len()
    }

    /// Returns whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

/// The first day on which a record is true, as far as it says.
fn first_day(record: &Record) -> Date {
    record.valid_from.unwrap_or_else(|| day::of(record.at))
}

/// The action that an action undoes.
fn undone_by(action: Action) -> Option<Action> {
    match action {
        Action::Restore => Some(Action::Archive),
        Action::Release => Some(Action::Pin),
        Action::Unresolve => Some(Action::Resolve),
        Action::Archive | Action::Pin | Action::Reinforce | Action::Resolve => None,
    }
}

#[cfg(test)]
mod tests;
