//! Entries of commits that are predicted for the files, of the memories that belong to them, of the preferences of
//! collaborators, and of work that is usually done at this time.

use std::collections::HashSet;

use heirloom_core::assembly::Tier;
use heirloom_core::recall::{is_stop_word, terms};

use super::entry::{Entry, Section};
use super::useful::TaskUsefulness;
use crate::prediction::{CONFIDENCE_OF_PREFERENCE, PredictedMemory};

/// The number of commits that are predicted, and how many of them are shown at most.
pub(super) const MAX_PREDICTED: usize = 10;
const MAX_SHOWN: usize = 5;

/// A memory with less confidence is not likely to be useful.
const MIN_CONFIDENCE: f64 = 0.5;

/// The usefulness for the task from which on a document is shown that changed together with a file.
const MIN_USEFULNESS_OF_CHANGED_DOCUMENT: f64 = 0.4;

/// The number of terms that a commit must have in common with the task.
const MIN_COMMON_TERMS: usize = 3;

/// The value of a commit with a confidence of 1. Its line says what was done, and little about how.
const COMMIT_VALUE: f64 = 0.2;

/// The value of a preference of a collaborator, and how many are shown at most.
const PREFERENCE_VALUE: f64 = 0.6;
const MAX_PREFERENCES: usize = 8;

/// Returns the entries of the best predictions with enough confidence. The predictions are in the order of what they add.
/// With a task, a commit or the memory that belongs to it must have some words in common with it, and a document that changed
/// together with a file must be among its answers: most changes of the same files had another reason. What was used while a
/// file was open needs neither.
pub(super) fn entries(
    predicted: &[PredictedMemory],
    task: Option<&str>,
    for_task: Option<&TaskUsefulness<'_>>,
) -> Vec<Entry> {
    let asked: Option<HashSet<String>> = task.map(|task| distinctive_terms(task).collect());
    let concerns_task = |memory: &&PredictedMemory| {
        let Some(asked) = &asked else { return true };
        if let Some(document) = memory.hit.as_ref().filter(|hit| hit.is_section()) {
            let usefulness = for_task.and_then(|for_task| for_task.of(document));
            return usefulness.is_some_and(|it| it >= MIN_USEFULNESS_OF_CHANGED_DOCUMENT);
        }
        let item = memory.hit.as_ref().map(|hit| &hit.item);
        let said = item.map(|item| item.title.as_deref().unwrap_or(&item.text));
        let own: HashSet<String> = distinctive_terms(said.unwrap_or(&memory.title)).collect();
        let is_of_commit = memory.hit.is_none() || memory.commit.is_some();
        !is_of_commit || own.intersection(asked).count() >= MIN_COMMON_TERMS
    };
    let confident = predicted.iter().filter(|memory| memory.confidence >= MIN_CONFIDENCE);
    let confident = confident.filter(concerns_task);
    let entry = |memory: &PredictedMemory| match &memory.hit {
        Some(hit) => {
            Entry::of_hit(hit, Tier::Relevant, Section::Files, memory.confidence, &memory.reason)
        }
        None => Entry::of_commit(memory, COMMIT_VALUE * memory.confidence),
    };
    confident.take(MAX_SHOWN).map(entry).collect()
}

/// Returns the entries of what is usually done or used at this time, each memory once.
pub(super) fn routines(of_time: &[PredictedMemory]) -> Vec<Entry> {
    let mut known: HashSet<&str> = HashSet::new();
    let entry = |memory: &PredictedMemory| {
        let hit = memory.hit.as_ref()?;
        Some(Entry::of_hit(hit, Tier::Relevant, Section::Work, memory.confidence, &memory.reason))
    };
    let confident = of_time.iter().filter(|memory| memory.confidence >= MIN_CONFIDENCE);
    let confident = confident.filter(|memory| known.insert(memory.id.as_str()));
    confident.take(MAX_SHOWN).filter_map(entry).collect()
}

/// Returns the entries of the preferences of collaborators, each memory once.
pub(super) fn preferences(of_people: &[PredictedMemory]) -> Vec<Entry> {
    let mut known: HashSet<&str> = HashSet::new();
    let is_preference = |memory: &&PredictedMemory| memory.confidence >= CONFIDENCE_OF_PREFERENCE;
    let entry = |memory: &PredictedMemory| {
        let hit = memory.hit.as_ref()?;
        Some(Entry::of_hit(hit, Tier::Relevant, Section::Work, PREFERENCE_VALUE, &memory.reason))
    };
    let preferences = of_people.iter().filter(is_preference);
    let preferences = preferences.filter(|memory| known.insert(memory.id.as_str()));
    preferences.take(MAX_PREFERENCES).filter_map(entry).collect()
}

/// Returns the terms of a text without words that every text has.
fn distinctive_terms(text: &str) -> impl Iterator<Item = String> {
    terms(text).into_iter().filter(|term| !is_stop_word(term))
}
