//! Entries that hold for all work: values and documents of the levels, conventions, workflows, recent history; and
//! pointers to what can be read on demand.

use heirloom_core::assembly::Tier;
use heirloom_core::cascade;
use heirloom_core::compression::label;
use heirloom_core::record::{FactSection, Referent};

use super::entry::{Entry, Section};
use super::section_text::document_pointer;
use crate::recall::{ContextMemories, Hit, MemoryList};
use crate::view::present;
use crate::workspace::inherit::{self, Inheritance};

/// The value of an inherited value, which is short and concrete.
const INHERITED_VALUE: f64 = 0.4;

/// Maximum number of pointers.
const MAX_POINTERS: usize = 60;

/// A list of memories that go into the background.
struct BackgroundList {
    field: &'static str,
    value: &'static str,
    limit: usize,
    reason: &'static str,
    /// The value of each memory.
    worth: f64,
}

/// The lists, in the order of the context.
const LISTS: [BackgroundList; 5] = [
    facts(FactSection::Constraints, 10, "constraint", 0.35),
    facts(FactSection::Patterns, 12, "convention", 0.3),
    BackgroundList { field: "kind", value: "workflow", limit: 6, reason: "workflow", worth: 0.25 },
    BackgroundList { field: "kind", value: "pattern", limit: 6, reason: "pattern", worth: 0.25 },
    BackgroundList {
        field: "kind",
        value: "episode",
        limit: 4,
        reason: "recent history",
        worth: 0.2,
    },
];

/// Returns the list of the facts of a section.
const fn facts(
    section: FactSection,
    limit: usize,
    reason: &'static str,
    worth: f64,
) -> BackgroundList {
    BackgroundList { field: "section", value: section.title(), limit, reason, worth }
}

/// The kinds of memories that pointers lead to.
const POINTED_KINDS: [&str; 2] = ["adr", "episode"];

/// Returns the lists of memories that the background and the pointers are made from.
pub(super) fn lists() -> Vec<MemoryList> {
    let background = LISTS.iter().map(|list| MemoryList {
        field: list.field,
        value: list.value.to_owned(),
        limit: list.limit,
    });
    let pointed = POINTED_KINDS.iter().map(|kind| MemoryList {
        field: "kind",
        value: (*kind).to_owned(),
        limit: MAX_POINTERS,
    });
    background.chain(pointed).collect()
}

/// Returns the entries of the background.
pub(super) fn background(inherited: &Inheritance, memories: &ContextMemories) -> Vec<Entry> {
    let mut entries = inherited_values(inherited);
    for (list, hits) in LISTS.iter().zip(&memories.lists) {
        for hit in hits {
            let entry =
                Entry::of_hit(hit, Tier::Background, Section::Standing, list.worth, list.reason);
            entries.push(entry);
        }
    }
    entries
}

/// Returns the values that the levels set.
fn inherited_values(inherited: &Inheritance) -> Vec<Entry> {
    let provenance = cascade::provenance(&inherit::layers(&inherited.placed));
    let value = |(key, history): (String, Vec<cascade::Contribution>)| {
        let winner = history.last()?;
        let text = format!("{key}: {}", present::value(&winner.value));
        let reason = format!("inherited from the {}", winner.level);
        let tier = Tier::Background;
        Some(Entry::of_text(tier, INHERITED_VALUE, &reason, "value", &winner.source, &text))
    };
    provenance.into_iter().filter_map(value).collect()
}

/// Returns pointers to documents and episodes, each once.
pub(super) fn pointers(memories: &ContextMemories) -> Vec<Entry> {
    let mut seen: Vec<&Referent> = Vec::new();
    let mut entries = Vec::new();
    for hit in memories.lists.iter().skip(LISTS.len()).flatten() {
        if seen.contains(&&hit.item.referent) {
            continue;
        }
        seen.push(&hit.item.referent);
        entries.push(Entry::pointer_to(hit, &title(hit)));
    }
    entries
}

/// Returns the title of a memory, for a pointer to it. The text of a section begins with the title of its document.
fn title(hit: &Hit) -> String {
    let text = &hit.item.text;
    match (&hit.item.title, &hit.item.referent) {
        (Some(title), _) => title.clone(),
        (None, Referent::Document(id)) => match text.split_once(" › ") {
            Some((title, _)) => title.to_owned(),
            None => {
                // The number of a decision record is followed by a colon, too.
                let number = document_pointer(id);
                let start = if text.starts_with(number) { number.len() + 1 } else { 0 };
                let end = text.get(start..).and_then(|rest| rest.find(": "));
                text.get(..end.map_or(text.len(), |end| start + end)).unwrap_or(text).to_owned()
            }
        },
        (None, _) => label(text),
    }
}
