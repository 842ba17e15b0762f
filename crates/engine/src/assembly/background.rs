//! Entries that hold for all work: values and documents of the levels, conventions, workflows, recent history; and
//! pointers to what can be read on demand.

use heirloom_core::adr::{self, Status};
use heirloom_core::assembly::Tier;
use heirloom_core::cascade;
use heirloom_core::compression::{self, Level, label};
use heirloom_core::prose::sentence_around;
use heirloom_core::record::{FactSection, Referent};
use indexmap::IndexMap;

use super::entry::{Entry, Section};
use super::process::concerns_every_change;
use super::recalled::Answers;
use super::signals::Signals;
use super::topics::topics;
use super::useful::WeakMemory;
use crate::recall::{ContextMemories, Hit, MemoryList};
use crate::view::present;
use crate::workspace::inherit::{self, Inheritance};

/// The value of an inherited value, which is short and concrete.
const INHERITED_VALUE: f64 = 0.4;

/// What nearness to the task adds to the value of a pointer.
const NEAR_POINTER_VALUE: f64 = 0.2;

/// Maximum number of pointers to memories that may help with the task.
const MAX_NEAR_POINTERS: usize = 8;

/// Maximum number of pointers to documents and to episodes.
const MAX_POINTERS: usize = 60;

/// The same if it is known what the work is about: then what is near to that matters more.
const MAX_POINTERS_OF_TASK: usize = 8;

/// The same for each list of the background.
const MAX_POINTERS_OF_LIST_OF_TASK: usize = 4;

/// Maximum number of words of a sentence that is a pointer.
const MAX_POINTER_WORDS: usize = 40;

/// Maximum number of conventions for a task.
const MAX_CONVENTIONS_OF_TASK: usize = 2;

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
                    && concerns_every_change(&hit.item.text, signals.change())
        };
        let entry =
            |hit| Entry::of_hit(hit, Tier::Background, Section::Standing, list.worth, list.reason);
        // For a task, most conventions that hold for every change are known or checked by a tool.
        let limit = if signals.task.is_some() { MAX_CONVENTIONS_OF_TASK } else { list.limit };
        let (new, old): (Vec<Entry>, Vec<Entry>) =
            hits.iter().filter(is_shown).map(entry).partition(|entry| entry.is_new(today));
        entries.extend(new.into_iter().take(limit));
        entries.extend(old.into_iter().take(limit));
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
    signals: &Signals,
    today: &str,
) -> Vec<Entry> {
    let entries = || answers.entries.iter().chain(shown);
    let referents = |entries: &mut dyn Iterator<Item = &'_ Entry>| -> Vec<Referent> {
        entries.filter_map(|entry| entry.referent.clone()).collect()
    };
    // What is shown about files and errors changes, and the other pointers should not.
    let mut seen = referents(&mut entries().filter(|entry| !entry.section.changes()));
    let changing = referents(&mut entries().filter(|entry| entry.section.changes()));
    let mut pointers = topic_line(memories);
    let mut near: Vec<&WeakMemory> = answers.weak.iter().collect();
    near.retain(|weak| weak.deserves_pointer() && !seen.contains(&weak.hit.item.referent));
    near.sort_by(|a, b| b.usefulness.total_cmp(&a.usefulness));
    for weak in near.into_iter().take(MAX_NEAR_POINTERS) {
        let referent = &weak.hit.item.referent;
        seen.push(referent.clone());
        if changing.contains(referent) {
            continue;
        }
        let pointer = Entry::pointer_to(&weak.hit, &near_pointer_title(&weak.hit));
        let value = pointer.value + NEAR_POINTER_VALUE * weak.usefulness;
        pointers.push(Entry { section: Section::Near, value, ..pointer });
    }
    let lists = LISTS.iter().zip(&memories.lists);
    let (most, most_of_list) = match signals.is_stated() {
        true => (MAX_POINTERS_OF_TASK, MAX_POINTERS_OF_LIST_OF_TASK),
        false => (MAX_POINTERS, usize::MAX),
    };
    let background = lists.flat_map(|(list, hits)| hits.iter().take(list.limit.min(most_of_list)));
    let documents = memories.lists.iter().skip(LISTS.len()).flat_map(|hits| hits.iter().take(most));
    for hit in background.filter(|hit| hit.item.date.as_deref() != Some(today)).chain(documents) {
        if !seen.contains(&hit.item.referent) {
            seen.push(hit.item.referent.clone());
            pointers.push(Entry::pointer_to(hit, &pointer_title(hit)));
        }
    }
    pointers
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

/// Returns the title for a pointer to a memory that may be useful: of a fact, its first sentence, since a few of its words
/// would not tell whether it is.
fn near_pointer_title(hit: &Hit) -> String {
    let item = &hit.item;
    if item.title.is_some() || hit.is_section() {
        return pointer_title(hit);
    }
    let first_word = item.text.split_whitespace().next().unwrap_or_default();
    let sentence = sentence_around(&item.text, first_word).unwrap_or(&item.text);
    if sentence.split_whitespace().count() <= MAX_POINTER_WORDS {
        return sentence.to_owned();
    }
    let short = compression::at_level(sentence, None, &item.short_texts, Level::Compressed);
    short.unwrap_or_else(|| pointer_title(hit))
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
