//! Entries that hold for all work: values and documents of the levels, conventions, workflows, recent history; and
//! pointers to what can be read on demand.

use heirloom_core::adr::{self, Status};
use heirloom_core::assembly::Tier;
use heirloom_core::cascade;
use heirloom_core::compression::label;
use heirloom_core::record::{FactSection, Referent};
use indexmap::IndexMap;

use super::entry::{Entry, Section};
use super::process::concerns_every_change;
use super::recalled::Answers;
use super::signals::Signals;
use super::topics::topics;
use crate::recall::{ContextMemories, Hit, MemoryList};
use crate::view::present;
use crate::workspace::inherit::{self, Inheritance};

/// The value of an inherited value, which is short and concrete.
const INHERITED_VALUE: f64 = 0.4;

/// What nearness to the task adds to the value of a pointer.
const NEAR_POINTER_VALUE: f64 = 0.2;

/// Maximum number of pointers to documents and to episodes.
const MAX_POINTERS: usize = 60;

/// The same if there are answers, which matter more.
const MAX_POINTERS_BESIDE_ANSWERS: usize = 8;

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
    let background =
        LISTS.iter().map(|list| MemoryList::with_property(list.field, list.value, 2 * list.limit));
    let pointed =
        POINTED_KINDS.iter().map(|kind| MemoryList::with_property("kind", kind, MAX_POINTERS));
    background.chain(pointed).collect()
}

/// Returns the entries of the background. For a task, these are the conventions that hold for every change. The memories
/// of today are counted by themselves, so that they displace no other.
pub(super) fn background(
    inherited: &Inheritance,
    memories: &ContextMemories,
    signals: &Signals,
    today: &str,
) -> Vec<Entry> {
    let mut entries = inherited_values(inherited);
    for (list, hits) in LISTS.iter().zip(&memories.lists) {
        let is_shown = |hit: &&Hit| {
            let is_convention = list.value == FactSection::Patterns.title();
            signals.task.is_none()
                || is_convention
                    && signals.is_change()
                    && concerns_every_change(&hit.item.text, signals.activity)
        };
        let entry =
            |hit| Entry::of_hit(hit, Tier::Background, Section::Standing, list.worth, list.reason);
        let (new, old): (Vec<Entry>, Vec<Entry>) =
            hits.iter().filter(is_shown).map(entry).partition(|entry| entry.is_new(today));
        entries.extend(new.into_iter().take(list.limit));
        entries.extend(old.into_iter().take(list.limit));
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

/// Returns the topics, and pointers to what is not shown, each once: memories that are near to the task, the background,
/// other documents and episodes.
pub(super) fn pointers(
    memories: &ContextMemories,
    answers: &Answers,
    shown: &[Entry],
    today: &str,
) -> Vec<Entry> {
    // What is shown about files and errors changes, and the pointers should not.
    let stable = answers.entries.iter().chain(shown).filter(|entry| !entry.section.changes());
    let mut seen: Vec<&Referent> = stable.filter_map(|entry| entry.referent.as_ref()).collect();
    let mut entries = topic_line(memories);
    let near = answers.weak.iter().filter(|weak| weak.deserves_pointer());
    let near = near.map(|weak| (&weak.hit, NEAR_POINTER_VALUE * weak.usefulness));
    let lists = LISTS.iter().zip(&memories.lists);
    let background = lists.flat_map(|(list, hits)| hits.iter().take(list.limit));
    let most = if answers.entries.is_empty() { MAX_POINTERS } else { MAX_POINTERS_BESIDE_ANSWERS };
    let documents = memories.lists.iter().skip(LISTS.len()).flat_map(|hits| hits.iter().take(most));
    let others = background.filter(|hit| hit.item.date.as_deref() != Some(today)).chain(documents);
    for (hit, value) in near.chain(others.map(|hit| (hit, 0.0))) {
        if seen.contains(&&hit.item.referent) {
            continue;
        }
        seen.push(&hit.item.referent);
        let pointer = Entry::pointer_to(hit, &pointer_title(hit));
        entries.push(Entry { value: pointer.value + value, ..pointer });
    }
    entries
}

/// Returns the line that names the topics of all documents and episodes.
fn topic_line(memories: &ContextMemories) -> Vec<Entry> {
    let pointed = || memories.lists.iter().skip(LISTS.len()).flatten();
    let titles: IndexMap<&Referent, String> =
        pointed().map(|hit| (&hit.item.referent, title(hit))).collect();
    let topics = topics(titles.values().map(String::as_str));
    match topics.is_empty() {
        true => vec![],
        false => vec![Entry::of_topics(&topics)],
    }
}

/// Returns the title of a memory, for a pointer to it, with the status of a decision that is not in force.
fn pointer_title(hit: &Hit) -> String {
    let is_stated = |status: &&Status| hit.item.status.as_deref() == Some(status.as_str());
    let status = Status::ALL.iter().find(is_stated).filter(|status| !status.may_be_in_force());
    match status.filter(|_| hit.is_section()) {
        Some(status) => format!("{} ({})", title(hit), status.as_str()),
        None => title(hit),
    }
}

/// Returns the title of a memory, or a few of its words. The text of a section begins with the title of its document.
fn title(hit: &Hit) -> String {
    let text = &hit.item.text;
    match (&hit.item.title, &hit.item.referent) {
        (Some(title), _) => title.clone(),
        (None, Referent::Document(_)) => match text.split_once(" › ") {
            Some((title, _)) => title.to_owned(),
            None => {
                // The number of a decision record is followed by a colon, too.
                let number = adr::derive_id(&hit.item.path).0;
                let start = if text.starts_with(&number) { number.len() + 1 } else { 0 };
                let end = text.get(start..).and_then(|rest| rest.find(": "));
                text.get(..end.map_or(text.len(), |end| start + end)).unwrap_or(text).to_owned()
            }
        },
        (None, _) => label(text),
    }
}
