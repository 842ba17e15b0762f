//! `stats`: how much is remembered.

use heirloom_core::Problem;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::memory::EntryKind;
use heirloom_core::record::{Action, Body, Kind, Section};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{Recollection, Thing, entry_ref, show_things};
use crate::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(super) struct Stats;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Counted {
    /// Records of each kind, by how things stand with them.
    records: IndexMap<&'static str, Counts>,
    /// Active facts of each section.
    sections: IndexMap<&'static str, usize>,
    /// Entries of memory documents, of each kind.
    entries: IndexMap<&'static str, usize>,
    /// Open blockers and questions.
    open: usize,
    /// Relations that hold.
    relations: usize,
    /// Notes that are pending.
    pending_notes: usize,
    /// What is pinned to working memory.
    pins: Vec<Thing>,
    /// How many pins working memory holds.
    most_pins: usize,
    /// Things that were replaced by several which all stand.
    forks: Vec<Fork>,
    /// What could not be read.
    problems: Vec<Problem>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
struct Counts {
    active: usize,
    done: usize,
    superseded: usize,
    archived: usize,
    private: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Fork {
    /// What was replaced.
    replaced: String,
    /// What stands in its place.
    heads: Vec<String>,
}

impl Operation for Stats {
    type Request = Request;
    type Response = Counted;
    const SPEC: Spec = Spec {
        name: "memory_stats",
        usage: "stats",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show how much is remembered: facts, episodes, working memory, and what is wrong with the log.",
    };

    fn run(session: &Session, _: Request) -> Result<Counted, Error> {
        let known = Recollection::read(session)?;
        let mut sections: IndexMap<&'static str, usize> =
            Section::ALL.iter().map(|section| (section.title(), 0)).collect();
        for item in known.memory.items(Kind::Fact) {
            if let Body::Fact(fact) = &item.record.body
                && item.standing == Standing::Active
            {
                *sections.entry(fact.section.title()).or_default() += 1;
            }
        }
        let of_entries =
            |kind: EntryKind| known.entries().filter(|(_, entry)| entry.kind == kind).count();
        let pending = |id: String| known.memory.events(Action::Resolve, &id).is_empty();
        Ok(Counted {
            records: Kind::REMEMBERED
                .iter()
                .map(|kind| (kind.word(), counts(&known.memory, *kind)))
                .collect(),
            sections,
            entries: EntryKind::ALL.iter().map(|kind| (kind.word(), of_entries(*kind))).collect(),
            open: known
                .entries()
                .filter(|(_, entry)| {
                    let stands = known.memory.standing(&entry_ref(&entry.id)) == Standing::Active;
                    entry.kind.is_task() && !entry.resolved && stands
                })
                .count(),
            relations: known.memory.edges().len(),
            pending_notes: known
                .memory
                .items(Kind::Note)
                .filter(|item| item.standing == Standing::Active && pending(item.id.to_string()))
                .count(),
            pins: known.pins().into_iter().map(|(_, thing)| thing).collect(),
            most_pins: session.config()?.memory.pins,
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

fn counts(memory: &Memory, kind: Kind) -> Counts {
    let mut counts = Counts::default();
    let done = memory.acted_on(Action::Resolve);
    for item in memory.items(kind) {
        match item.standing {
            Standing::Active if done.contains_key(item.id.to_string().as_str()) => counts.done += 1,
            Standing::Active => counts.active += 1,
            Standing::Superseded => counts.superseded += 1,
            Standing::Archived => counts.archived += 1,
        }
        counts.private += usize::from(item.record.is_private());
    }
    counts
}

impl Answer for Counted {
    fn view(&self) -> View {
        let mut view = View::new();
        view.title("Memory");
        let number = |n: usize| span(if n == 0 { Role::Dim } else { Role::Value }, n.to_string());
        let rows = self.records.iter().map(|(kind, counts)| {
            vec![
                span(Role::Key, *kind),
                number(counts.active),
                number(counts.done),
                number(counts.superseded),
                number(counts.archived),
                number(counts.private),
            ]
        });
        view.table(
            &["kind", "active", "done", "superseded", "archived", "private"],
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
        view.say(format!(
            "{} open · {} · {} pending",
            format_args!("{} blockers and questions", self.open),
            present::count(self.relations, "relation"),
            present::count(self.pending_notes, "note"),
        ));
        view.title(format!("Working memory: {} of {} pins", self.pins.len(), self.most_pins));
        show_things(&mut view, &self.pins);
        for fork in &self.forks {
            let heads: Vec<&str> =
                fork.heads.iter().map(|head| Recollection::short_name(head)).collect();
            view.line([span(
                Role::Warning,
                format!(
                    "⚠️ {} was replaced by {}, which all stand; supersede them by one",
                    Recollection::short_name(&fork.replaced),
                    heads.join(" and ")
                ),
            )]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
