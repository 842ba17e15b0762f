//! `stats`: how much is remembered.

use heirloom_core::Problem;
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::memory::EntryKind;
use heirloom_core::record::{Action, Kind};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{Count, MemoryItem, MemorySlice, read_with_tally, show_items};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::memory_document::entry_ref;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Stats;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Counted {
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
    pins: Vec<MemoryItem>,
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
        let (known, tally) = read_with_tally(session)?;
        let records: IndexMap<&'static str, Counts> = tally
            .kinds
            .iter()
            .map(|(kind, count)| (kind.word(), Counts::of(*count, done(&known.memory, *kind))))
            .collect();
        let of_entries =
            |kind: EntryKind| known.entries().filter(|(_, entry)| entry.kind == kind).count();
        Ok(Counted {
            pending_notes: records.get(Kind::Note.word()).map_or(0, |notes| notes.active),
            records,
            sections: tally.sections.iter().map(|(own, count)| (own.title(), *count)).collect(),
            entries: EntryKind::ALL.iter().map(|kind| (kind.word(), of_entries(*kind))).collect(),
            open: known
                .entries()
                .filter(|(_, entry)| {
                    let stands = known.memory.standing(&entry_ref(&entry.id)) == Standing::Active;
                    entry.kind.is_task() && !entry.resolved && stands
                })
                .count(),
            relations: known.memory.edges().len(),
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

impl Counts {
    fn of(count: Count, done: usize) -> Self {
        let Count { active, superseded, archived, private } = count;
        Counts { active: active.saturating_sub(done), done, superseded, archived, private }
    }
}

/// Returns how many things of a kind stand and are done with.
fn done(memory: &Memory, kind: Kind) -> usize {
    let items = memory.items(kind).filter(|item| item.standing == Standing::Active);
    let is_done = |id: String| !memory.events(Action::Resolve, &id).is_empty();
    items.filter(|item| is_done(item.id.to_string())).count()
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
        show_items(&mut view, &self.pins);
        for fork in &self.forks {
            let heads: Vec<&str> =
                fork.heads.iter().map(|head| MemorySlice::short_name(head)).collect();
            view.line([span(
                Role::Warning,
                format!(
                    "⚠️ {} was replaced by {}, which all stand; supersede them by one",
                    MemorySlice::short_name(&fork.replaced),
                    heads.join(" and ")
                ),
            )]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
