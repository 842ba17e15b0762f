//! Memories that are likely to be useful for a piece of work. Of the others, the likeliest get pointers.

use std::collections::{HashMap, HashSet};

use heirloom_core::adr::Status;
use heirloom_core::assembly::Tier;
use heirloom_core::recall::{is_stop_word, terms};
use heirloom_core::record::{FactSection, Referent};
use indexmap::IndexMap;

use super::entry::{Entry, Section};
use super::section_text::{SectionText, says_nothing, shown_text};
use super::signals::SignalQuestion;
use crate::recall::{Hit, without_cut_marks};

/// The usefulness from which on a memory is shown.
const MIN_USEFULNESS: f64 = 0.7;

/// The same for a section of a document, which takes as much room as several facts.
const MIN_USEFULNESS_OF_SECTION: f64 = 0.85;

/// The same for a document whose whole title the task says, if the title has several words.
const MIN_USEFULNESS_OF_NAMED_DOCUMENT: f64 = 0.4;
const MIN_WORDS_OF_TITLE: usize = 2;

/// The same for a note. It is what was said, as it was said, so that fewer of its words are about the task.
const MIN_USEFULNESS_OF_NOTE: f64 = 0.2;

/// The same for a memory that concerns an error or a branch, with a task and without one.
const MIN_USEFULNESS_FOR_ERROR_OF_TASK: f64 = 0.6;
const MIN_USEFULNESS_FOR_ERROR: f64 = 0.4;

/// The same for an answer to a question that has no better one: a doubtful answer is better than none.
const MIN_USEFULNESS_IN_DOUBT: f64 = 0.1;

/// How many doubtful answers to a question are shown if there is no better one.
const MAX_DOUBTFUL_ANSWERS: usize = 3;

/// The same for a memory that names the file, with a task and without one.
const MIN_USEFULNESS_FOR_FILE_OF_TASK: f64 = 0.5;
const MIN_USEFULNESS_FOR_FILE: f64 = 0.1;

/// A less useful memory has nothing to do with the task.
pub(super) const MIN_WEAK_USEFULNESS: f64 = 0.01;

/// The usefulness from which on a memory gets a pointer.
const MIN_USEFULNESS_OF_POINTER: f64 = 0.05;

/// The same for a fact, and for a document that belongs to no level.
const MIN_USEFULNESS_OF_MINOR_POINTER: f64 = 0.25;

/// The usefulness from which on a decision is critical.
const MIN_CRITICAL_USEFULNESS: f64 = 0.7;

/// The most parts of a document that are shown.
const MAX_PARTS: usize = 3;

/// A part of a document with less than this part of the score of the best one is not shown.
const MIN_RELATIVE_SCORE_OF_PART: f64 = 0.6;

/// Words in the headings of what a decision did not choose, or only refers to.
const MINOR_HEADINGS: [&str; 13] = [
    "alternative",
    "considered",
    "disadvantage",
    "drawback",
    "rejected",
    "option",
    "pros",
    "cons",
    "reference",
    "link",
    "resource",
    "changelog",
    "related",
];

/// Words in the headings of what was decided.
const DECISION_HEADINGS: [&str; 2] = ["decision", "outcome"];

/// How useful the answers to a task are for it, by memory.
pub(super) struct TaskUsefulness<'h>(HashMap<MemoryKey<'h>, f64>);

/// What tells memories apart: decision records of different folders may share a number.
type MemoryKey<'h> = (&'h Referent, &'h str);

fn memory_key(hit: &Hit) -> MemoryKey<'_> {
    (&hit.item.referent, &hit.meta.path)
}

impl<'h> TaskUsefulness<'h> {
    /// Estimates the usefulness of each memory among the answers to the task, given best first.
    pub(super) fn of_answers(answers: &'h [Hit]) -> Self {
        let mut of_memory = HashMap::new();
        for (rank, hit) in answers.iter().enumerate() {
            of_memory.entry(memory_key(hit)).or_insert_with(|| hit.usefulness_for_task(rank));
        }
        TaskUsefulness(of_memory)
    }

    /// Returns the usefulness of a memory; `None` if it is not among the answers.
    pub(super) fn of(&self, hit: &Hit) -> Option<f64> {
        self.0.get(&memory_key(hit)).copied()
    }
}

/// A memory with all its parts that answer a question, and how useful it is.
pub(super) struct UsefulMemory<'h> {
    parts: Vec<&'h Hit>,
    /// The rank of the best part, counted from 0.
    rank: usize,
    usefulness: f64,
}

impl<'h> UsefulMemory<'h> {
    /// Groups the answers to a question by memory, best first. `estimate` returns how useful an answer at a rank is.
    pub(super) fn of_answers(
        ranked: impl Iterator<Item = (usize, &'h Hit)>,
        estimate: impl Fn(usize, &Hit) -> f64,
    ) -> Vec<Self> {
        let mut memories: IndexMap<MemoryKey<'_>, (usize, Vec<&Hit>)> = IndexMap::new();
        for (rank, hit) in ranked.filter(|(_, hit)| !says_nothing(hit)) {
            memories.entry(memory_key(hit)).or_insert((rank, vec![])).1.push(hit);
        }
        let memory = |(rank, parts): (usize, Vec<&'h Hit>)| {
            let usefulness = estimate(rank, parts[0]);
            UsefulMemory { parts, rank, usefulness }
        };
        memories.into_values().map(memory).collect()
    }

    /// Returns the rank of the best part, counted from 0.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the part that matches best.
    pub(super) fn best(&self) -> &'h Hit {
        self.parts[0]
    }

    /// Returns it as a weak memory, if it matches at all.
    pub(super) fn weak(&self) -> Option<WeakMemory> {
        let usefulness = self.usefulness;
        (usefulness >= MIN_WEAK_USEFULNESS)
            .then(|| WeakMemory { hit: self.best().clone(), usefulness })
    }

    /// Splits the memories that may answer a question into those that are shown and the others.
    pub(super) fn split_answers(memories: Vec<Self>) -> (Vec<Self>, Vec<Self>) {
        let is_clear = |memory: &Self| memory.is_useful() && !memory.was_dropped();
        if memories.iter().any(is_clear) {
            return memories.into_iter().partition(is_clear);
        }
        let mut shown = 0;
        memories.into_iter().partition(|memory| {
            let is_shown =
                shown < MAX_DOUBTFUL_ANSWERS && memory.usefulness >= MIN_USEFULNESS_IN_DOUBT;
            shown += usize::from(is_shown);
            is_shown
        })
    }

    /// Returns whether it is useful enough to be shown.
    fn is_useful(&self) -> bool {
        self.usefulness >= required_usefulness(self.best())
    }

    /// Returns whether it is a decision that was rejected or withdrawn. Work does not follow it.
    fn was_dropped(&self) -> bool {
        let dropped = [Status::Rejected, Status::Withdrawn];
        let status = self.best().item.status.as_deref();
        status.is_some_and(|status| dropped.iter().any(|it| it.as_str() == status))
    }

    /// Returns its entry, if it is useful enough for the signal that asks.
    pub(super) fn entry(&self, question: &SignalQuestion, has_task: bool) -> Option<Entry> {
        let names_file = |hit: &&Hit| question.is_named_in(&shown_text(hit));
        let (least, parts) = match question.section {
            Section::Files => {
                let parts = self.parts.iter().copied().filter(names_file);
                let is_reference = is_reference(self.best());
                let least = match has_task {
                    _ if is_reference => MIN_USEFULNESS,
                    true => MIN_USEFULNESS_FOR_FILE_OF_TASK,
                    false => MIN_USEFULNESS_FOR_FILE,
                };
                (least, parts.take(MAX_PARTS).collect())
            }
            Section::Errors | Section::Work if has_task => {
                (MIN_USEFULNESS_FOR_ERROR_OF_TASK, self.shown_parts())
            }
            Section::Errors | Section::Work => (MIN_USEFULNESS_FOR_ERROR, self.shown_parts()),
            _ => (required_usefulness(self.best()), self.shown_parts()),
        };
        let is_only_pointed_to = is_reference(self.best()) && question.section != Section::Files;
        if self.usefulness < least || parts.is_empty() || self.was_dropped() || is_only_pointed_to {
            return None;
        }
        let is_critical = question.section == Section::Errors
            || is_decision(self.best()) && self.usefulness >= MIN_CRITICAL_USEFULNESS;
        let tier = if is_critical { Tier::Critical } else { Tier::Relevant };
        let reason = question.reason();
        Some(Entry::of_parts(&parts, tier, question.section, self.usefulness, &reason))
    }

    /// Returns the parts of a document that are shown, in its order: what was decided, and what matches best.
    pub(super) fn shown_parts(&self) -> Vec<&'h Hit> {
        let heading =
            |hit: &Hit| SectionText::of(hit).map(|section| section.heading.to_lowercase());
        let has = |hit: &Hit, words: &[&str]| {
            heading(hit).is_some_and(|heading| words.iter().any(|word| heading.contains(word)))
        };
        let is_decision = |hit: &Hit| has(hit, &DECISION_HEADINGS) && !has(hit, &MINOR_HEADINGS);
        let score = |hit: &Hit| hit.item.score.unwrap_or_default();
        let least = MIN_RELATIVE_SCORE_OF_PART * score(self.best());
        let mut parts: Vec<&Hit> = self.parts.clone();
        parts.retain(|hit| is_decision(hit) || !has(hit, &MINOR_HEADINGS) && score(hit) >= least);
        // The sort is stable: parts of a kind stay in the order of their scores.
        parts.sort_by_key(|hit| !is_decision(hit));
        parts.truncate(MAX_PARTS);
        if parts.is_empty() {
            return vec![self.best()];
        }
        let position = |hit: &Hit| {
            let passage = hit.passage.as_deref().map(without_cut_marks).unwrap_or_default();
            (hit.meta.line, hit.item.text.find(passage))
        };
        parts.sort_by_key(|hit| position(hit));
        parts
    }
}

/// A memory that matches the task, but not well enough to be shown.
#[derive(Debug)]
pub(super) struct WeakMemory {
    /// The part that matches best.
    pub(super) hit: Hit,
    pub(super) usefulness: f64,
}

impl WeakMemory {
    /// Returns whether it gets a pointer. The title of a document or an episode says what it is about; a fact is short, and
    /// a pointer to it costs nearly as much, so it must be more likely to be useful.
    pub(super) fn deserves_pointer(&self) -> bool {
        let item = &self.hit.item;
        let has_title = item.title.is_some() || self.hit.is_section();
        let is_minor = !has_title || is_reference(&self.hit);
        let least =
            if is_minor { MIN_USEFULNESS_OF_MINOR_POINTER } else { MIN_USEFULNESS_OF_POINTER };
        self.usefulness >= least
    }

    /// Returns why it is not shown.
    pub(super) fn because(&self) -> String {
        let required = required_usefulness(&self.hit);
        if is_reference(&self.hit) {
            return "it is a document of no level, which contexts for work point to".to_owned();
        }
        if self.usefulness >= required {
            let status = self.hit.item.status.as_deref().unwrap_or("not shown");
            return format!("the decision is {status}, so work does not follow it");
        }
        format!(
            "its usefulness for the task is estimated as {:.2}, and {required:.2} is required",
            // Rounded down: 0.796 is less than 0.80.
            (self.usefulness * 100.0).floor() / 100.0
        )
    }
}

/// Returns the usefulness from which on a memory is shown.
pub(super) fn required_usefulness(hit: &Hit) -> f64 {
    match hit {
        _ if hit.is_note() => MIN_USEFULNESS_OF_NOTE,
        _ if is_named_by_task(hit) => MIN_USEFULNESS_OF_NAMED_DOCUMENT,
        _ if hit.is_section() => MIN_USEFULNESS_OF_SECTION,
        _ => MIN_USEFULNESS,
    }
}

/// Returns whether the task has all words of the title of a document.
fn is_named_by_task(hit: &Hit) -> bool {
    let Some((title, _)) = hit.item.text.split_once(" › ").filter(|_| hit.is_section()) else {
        return false;
    };
    let is_word = |term: &String| !is_stop_word(term) && term.chars().all(char::is_alphabetic);
    let title = match title.split_once(": ") {
        Some((number, title)) if number.ends_with(|c: char| c.is_ascii_digit()) => title,
        _ => title,
    };
    let words: HashSet<String> = terms(title).into_iter().filter(is_word).collect();
    let asked: HashSet<&str> = hit.matched_terms().collect();
    words.len() >= MIN_WORDS_OF_TITLE && words.iter().all(|word| asked.contains(word.as_str()))
}

/// Returns whether a hit belongs to a document that is searched and belongs to no level. Such documents are written for all
/// readers, and little of them is about one piece of work.
fn is_reference(hit: &Hit) -> bool {
    hit.item.kind == "document"
}

/// Returns whether a memory is a decision.
pub(super) fn is_decision(hit: &Hit) -> bool {
    matches!(hit.item.kind.as_str(), "adr" | "decision")
        || hit.item.section == Some(FactSection::Decisions)
}
