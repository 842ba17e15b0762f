//! `stats`: counts the memories of a workspace.

use heirloom_core::Problem;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::memory::EntryKind;
use heirloom_core::record::{EventAction, RecordKind, Referent};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::memory::{
    MemoryItem, StandingCounts, pins_of_request, read_related_with_counts, show_items,
};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Stats;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryStats {
    /// Number of records by kind and standing.
    records: IndexMap<&'static str, CountsOfKind>,
    /// Number of active facts by section.
    sections: IndexMap<&'static str, usize>,
    /// Number of memory entries by type.
    entries: IndexMap<&'static str, usize>,
    /// Number of open blockers and questions.
    open: usize,
    /// Number of active relations.
    relations: usize,
    /// Number of pending notes.
    pending_notes: usize,
    /// Pinned memories.
    pins: Vec<MemoryItem>,
    /// Maximum number of pins.
    #[serde(rename = "most_pins")]
    max_pins: usize,
    /// Memories with several active replacements.
    forks: Vec<Fork>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct CountsOfKind {
    active: usize,
    expired: usize,
    done: usize,
    superseded: usize,
    archived: usize,
    private: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Fork {
    /// Id of the replaced memory.
    replaced: Referent,
    /// Ids of its active replacements.
    heads: Vec<Referent>,
}

impl Operation for Stats {
    type Request = Request;
    type Response = MemoryStats;
    const SPEC: Spec = Spec {
        name: "memory_stats",
        usage: "memory stats",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show statistics of the memory: number of memories by kind, pins, and problems of the log.",
    };

    fn run(session: &Session, _: Request) -> Result<MemoryStats, Error> {
        let (known, tally) = read_related_with_counts(session)?;
        let records: IndexMap<&'static str, CountsOfKind> = tally
            .kinds
            .iter()
            .map(|(kind, count)| {
                (kind.as_str(), CountsOfKind::new(*count, done_count(&known.memory, *kind)))
            })
            .collect();
        let entry_count =
            |kind: EntryKind| known.entries().filter(|(_, entry)| entry.kind == kind).count();
        Ok(MemoryStats {
            pending_notes: records.get(RecordKind::Note.as_str()).map_or(0, |notes| notes.active),
            records,
            sections: tally
                .sections
                .iter()
                .map(|(section, count)| (section.title(), *count))
                .collect(),
            entries: EntryKind::ALL
                .iter()
                .map(|kind| (kind.as_str(), entry_count(*kind)))
                .collect(),
            open: known
                .entries()
                .filter(|(_, entry)| {
                    let is_active =
                        known.memory.standing(&Referent::entry(&entry.id)) == Standing::Active;
                    entry.kind.is_task() && !entry.resolved && is_active
                })
                .count(),
            relations: known.memory.edges().len(),
            pins: pins_of_request(session, &known),
            max_pins: session.config()?.memory.pins,
            forks: known
                .memory
                .forks()
                .into_iter()
                .map(|fork| Fork { replaced: fork.replaced, heads: fork.heads })
                .collect(),
            problems: known.problems,
        })
    }
}

impl CountsOfKind {
    fn new(count: StandingCounts, done: usize) -> Self {
        let StandingCounts { active, expired, superseded, archived, private } = count;
        let active = active.saturating_sub(done);
        CountsOfKind { active, expired, done, superseded, archived, private }
    }
}

/// Returns the number of active records of a kind that are marked as done.
fn done_count(memory: &Memory, kind: RecordKind) -> usize {
    let items = memory.items(kind).filter(|item| item.standing == Standing::Active);
    let is_done = |id: Uuid| !memory.events(EventAction::Resolve, &id.into()).is_empty();
    items.filter(|item| is_done(item.id)).count()
}

impl Answer for MemoryStats {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title("Memory");
        let number = |n: usize| span(if n == 0 { Role::Dim } else { Role::Value }, n.to_string());
        let rows = self.records.iter().map(|(kind, counts)| {
            vec![
                span(Role::Key, *kind),
                number(counts.active),
                number(counts.expired),
                number(counts.done),
                number(counts.superseded),
                number(counts.archived),
                number(counts.private),
            ]
        });
        view.table(
            &["kind", "active", "expired", "done", "superseded", "archived", "private"],
            rows.collect(),
        );
        let sections = self.sections.iter().filter(|(_, count)| **count > 0);
        let sections: Vec<String> =
            sections.map(|(title, count)| format!("{title} {count}")).collect();
        if !sections.is_empty() {
            view.line([span(Role::Dim, "facts: "), sections.join(" · ").into()]);
        }
        let entries = self.entries.iter().filter(|(_, count)| **count > 0);
        let entries: Vec<String> =
            entries.map(|(kind, count)| present::count(*count, kind)).collect();
        if !entries.is_empty() {
            view.line([span(Role::Dim, "agents and plans: "), entries.join(" · ").into()]);
        }
        view.plain_line(format!(
            "{} open · {} · {} pending",
            format_args!("{} blockers and questions", self.open),
            present::count(self.relations, "relation"),
            present::count(self.pending_notes, "note"),
        ));
        view.title(format!("Working memory: {} of {} pins", self.pins.len(), self.max_pins));
        show_items(&mut view, &self.pins);
        for fork in &self.forks {
            let heads: Vec<_> = fork.heads.iter().map(Referent::short).collect();
            view.line([span(
                Role::Warning,
                format!(
                    "⚠️ {} has several active replacements: {}; replace all of them with one",
                    fork.replaced.short(),
                    heads.join(" and ")
                ),
            )]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
