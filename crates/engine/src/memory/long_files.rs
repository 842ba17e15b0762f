//! Finds files of decisions and lessons that have grown long, and what could be archived or split off.

use std::collections::BTreeMap;

use heirloom_core::Hint;
use heirloom_core::fold::Standing;
use heirloom_core::memory::{MemoryEntry, MemoryFormat};
use heirloom_core::record::{Referent, short_ids};
use jiff::ToSpan;
use schemars::JsonSchema;
use serde::Serialize;

use super::MemorySlice;
use super::learnings::{ArchiveCriteria, LearningState, learning_states};
use crate::Session;
use crate::usage::Usage;
use crate::view::{Role, View, present, span};
use crate::workspace::memory_document::MemoryDocument;

/// The most active entries of a file that are easily read as a whole.
pub(crate) const MAX_ENTRIES: usize = 50;

/// The age from which an unused entry is proposed for archiving.
const PROPOSED_AGE: &str = "1y";

/// The most entries of a file that a person sees.
const MAX_SHOWN: usize = 5;

/// A file of decisions or lessons with many active entries.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LongFile {
    /// Path of the file.
    source: String,
    /// Number of active entries.
    active: usize,
    /// Number of entries that were superseded or archived; contexts leave them out already.
    retired: usize,
    /// Entries older than a year that were not used on this machine in that time.
    unused: Vec<UnusedEntry>,
    /// The category or tag that would make the best file of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<EntryGroup>,
    /// What to do.
    advice: Vec<Hint>,
}

/// An entry that is old and unused.
#[derive(Debug, Serialize, JsonSchema)]
struct UnusedEntry {
    /// Its id.
    id: String,
    /// Its title, or the opening of its text.
    title: String,
    /// Its line.
    line: usize,
    /// Its date.
    date: Option<String>,
    /// The day on which it was last used on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used: Option<String>,
}

/// A category or a tag that many entries of a file share.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct EntryGroup {
    /// What they share: category or tag.
    pub(crate) field: &'static str,
    /// The category or the tag.
    pub(crate) name: String,
    /// The number of entries.
    pub(crate) entries: usize,
}

/// Shares of the entries of a file that a part of it has.
const PART_SHARES: std::ops::RangeInclusive<f64> = 0.2..=0.8;

/// Returns the category, else the tag, that would make the best file of its own: the most entries, but not nearly all.
pub(crate) fn largest_group<'e>(
    entries: impl Iterator<Item = &'e MemoryEntry> + Clone,
) -> Option<EntryGroup> {
    let total = entries.clone().count() as f64;
    let largest = |field: &'static str, names: &mut dyn Iterator<Item = &'e String>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for name in names {
            *counts.entry(name.to_lowercase()).or_default() += 1;
        }
        let is_part = |count: usize| PART_SHARES.contains(&(count as f64 / total));
        let counts = counts.into_iter().filter(|(_, count)| is_part(*count));
        let (name, entries) =
            counts.max_by(|(a, many), (b, more)| many.cmp(more).then_with(|| b.cmp(a)))?;
        Some(EntryGroup { field, name, entries })
    };
    largest("category", &mut entries.clone().flat_map(|entry| &entry.category))
        .or_else(|| largest("tag", &mut entries.flat_map(|entry| &entry.tags)))
}

/// Returns the files with more active entries than are easily read, and what to do about each.
pub(crate) fn find_long_files(session: &Session, known: &MemorySlice) -> Vec<LongFile> {
    let is_active = |entry: &&MemoryEntry| {
        known.memory.standing(&Referent::entry(&entry.id)) == Standing::Active
    };
    let active =
        |document: &MemoryDocument| document.content.entries.iter().filter(is_active).count();
    let is_long = |document: &MemoryDocument| {
        document.format != MemoryFormat::Sections && active(document) > MAX_ENTRIES
    };
    let mut long = known.documents.iter().filter(|document| is_long(document)).peekable();
    if long.peek().is_none() {
        return vec![];
    }
    let usage = Usage::read(session);
    let states = learning_states(known, &usage, is_long);
    let before = session.today().saturating_sub(1.year());
    let criteria = ArchiveCriteria { before, is_unused: true };
    let file = |document: &MemoryDocument| {
        let own = states.iter().filter(|state| state.document.path == document.path);
        let unused: Vec<UnusedEntry> =
            own.filter(|state| state.meets(criteria)).map(UnusedEntry::of).collect();
        let entries = document.content.entries.iter().filter(is_active);
        let part = largest_group(entries.clone());
        let scope: Vec<&str> = document.selectors.values().map(String::as_str).collect();
        LongFile {
            source: document.path.clone(),
            active: entries.count(),
            retired: document.content.entries.len() - active(document),
            advice: advice(&scope.join("/"), &unused, part.as_ref()),
            unused,
            part,
        }
    };
    long.map(file).collect()
}

fn advice(scope: &str, unused: &[UnusedEntry], part: Option<&EntryGroup>) -> Vec<Hint> {
    let mut advice = Vec::new();
    if !unused.is_empty() {
        let text = format!("{} not used in a year: ", count_entries(unused.len()));
        let mut arguments = vec![("older_than", PROPOSED_AGE.into()), ("unused", true.into())];
        let scope = Some(scope).filter(|scope| !scope.is_empty());
        arguments.extend(scope.map(|scope| ("scope", scope.into())));
        arguments.push(("dry_run", true.into()));
        advice.push(
            Hint::text(text).call::<_, heirloom_core::hint::Argument>("learn_archive", arguments),
        );
    }
    advice.extend(part.map(|part| {
        let EntryGroup { field, name, entries } = part;
        let entries = count_entries(*entries);
        Hint::text(format!(
            "the {field} `{name}` has {entries}, enough for the file of a scope of its own"
        ))
    }));
    advice
}

fn count_entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

impl UnusedEntry {
    fn of(state: &LearningState<'_>) -> Self {
        let entry = state.entry;
        let title = entry.title.as_deref().unwrap_or(&entry.text);
        UnusedEntry {
            id: entry.id.clone(),
            title: present::opening(title),
            line: entry.line,
            date: state.date.map(|date| date.to_string()),
            last_used: state.last_used.map(|date| date.to_string()),
        }
    }
}

impl LongFile {
    /// Lays the file out for people.
    pub(crate) fn show(&self, view: &mut View) {
        let retired = match self.retired {
            0 => String::new(),
            retired => format!(", {retired} superseded or archived"),
        };
        view.line([
            span(Role::Source, &self.source),
            span(Role::Warning, format!("  {}{retired}", count_entries(self.active))),
        ]);
        for advice in &self.advice {
            view.line([span(Role::Dim, Hint::text("   ").then_hint(advice))]);
        }
        let ids: Vec<&str> = self.unused.iter().map(|entry| entry.id.as_str()).collect();
        for (entry, id) in self.unused.iter().zip(short_ids(&ids)).take(MAX_SHOWN) {
            view.line([
                "   ".into(),
                span(Role::Key, id),
                span(Role::Dim, format!("  {}  ", entry.date.as_deref().unwrap_or("no date"))),
                entry.title.as_str().into(),
                span(Role::Source, format!("  line {}", entry.line)),
            ]);
        }
        if self.unused.len() > MAX_SHOWN {
            let more = self.unused.len() - MAX_SHOWN;
            view.line([span(Role::Dim, format!("   … {more} more"))]);
        }
    }
}
