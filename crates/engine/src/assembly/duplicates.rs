//! Finds entries that say the same.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::OnceLock;

use heirloom_core::compression::essential_words;
use heirloom_core::parallel;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::entry::Entry;

/// The share of common terms from which on two entries say the same, if they have the same essential words.
const MIN_COMMON_TERMS: f64 = 0.75;

/// How many entries a thread must compare to be worth starting.
const MIN_ENTRIES_PER_THREAD: usize = 100;

/// Makes one entry of those that are the same memory: the most critical tier, the most stable section and the greatest
/// value of all.
pub(super) fn merge_same(entries: Vec<Entry>) -> Vec<Entry> {
    let mut merged: IndexMap<(String, String), Entry> = IndexMap::new();
    for entry in entries {
        match merged.entry((entry.id.clone(), entry.text.clone())) {
            indexmap::map::Entry::Vacant(slot) => drop(slot.insert(entry)),
            indexmap::map::Entry::Occupied(mut slot) => {
                let kept = slot.get_mut();
                kept.is_first |= entry.is_first;
                kept.section = kept.section.min(entry.section);
                kept.question = kept.question.min(entry.question);
                kept.is_further &= entry.is_further;
                kept.value = kept.value.max(entry.value);
                if entry.tier < kept.tier {
                    (kept.tier, kept.reason) = (entry.tier, entry.reason);
                }
            }
        }
    }
    merged.into_values().collect()
}

/// Removes entries that say the same as one that is shown already or as a more valuable one, and returns each removed
/// entry with the id of the other one. Entries with different numbers, names or negations do not say the same.
pub(super) fn remove_duplicates(
    entries: &mut Vec<Entry>,
    shown: &[&Entry],
) -> Vec<(Entry, String)> {
    entries.sort_by(|a, b| {
        let by_rank = b.is_first.cmp(&a.is_first).then_with(|| b.value.total_cmp(&a.value));
        by_rank.then_with(|| a.section.cmp(&b.section)).then_with(|| a.id.cmp(&b.id))
    });
    let new = parallel::map(entries, MIN_ENTRIES_PER_THREAD, Content::of);
    let mut kept: Vec<Content> = shown.iter().map(|entry| Content::of(entry)).collect();
    let mut removed = Vec::new();
    for (entry, content) in std::mem::take(entries).into_iter().zip(new) {
        match kept.iter().find(|other| other.covers(&content)) {
            Some(same) => removed.push((entry, same.pointer.clone())),
            None => {
                kept.push(content);
                entries.push(entry);
            }
        }
    }
    removed
}

/// What is compared of two entries. Signatures decide on most pairs of entries: comparing texts takes long.
struct Content {
    /// The id under which all of the entry can be read.
    pointer: String,
    text: String,
    /// The text in lower case.
    lowercase: String,
    words: Signature,
    /// The words between the first and the last one, which stand whole in any text that contains this one.
    inner_words: Signature,
    /// The hashes of the beginnings of the words, each once and sorted.
    terms: Vec<u64>,
    distinct_terms: Signature,
    /// The essential words, which few comparisons need.
    essential: OnceLock<HashSet<String>>,
}

impl Content {
    fn of(entry: &Entry) -> Self {
        let lowercase = entry.text.to_lowercase();
        let words = lowercase.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut terms: Vec<u64> = words.map(|word| hash_word(word_start(word))).collect();
        terms.sort_unstable();
        terms.dedup();
        let inner = lowercase.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
        let inner = inner.rsplit_once(char::is_whitespace).map_or("", |(rest, _)| rest);
        Content {
            pointer: entry.pointer().to_owned(),
            words: Signature::of(lowercase.split_whitespace().map(hash_word)),
            inner_words: Signature::of(inner.split_whitespace().map(hash_word)),
            distinct_terms: Signature::of(terms.iter().copied()),
            essential: OnceLock::new(),
            terms,
            text: entry.text.clone(),
            lowercase,
        }
    }

    fn essential(&self) -> &HashSet<String> {
        self.essential.get_or_init(|| essential_words(&self.text).collect())
    }

    /// Returns whether it says all that another one says.
    fn covers(&self, other: &Content) -> bool {
        if self.words.missing(other.inner_words) == 0 && self.lowercase.contains(&other.lowercase) {
            return true;
        }
        let (length, other_length) = (self.terms.len(), other.terms.len());
        let is_enough = |common: usize| {
            common as f64 >= MIN_COMMON_TERMS * (length + other_length - common) as f64
        };
        let most_common = other_length - self.distinct_terms.missing(other.distinct_terms);
        is_enough(most_common.min(length))
            && self.essential() == other.essential()
            && is_enough(common_count(&self.terms, &other.terms))
    }
}

/// A set of words as bits, of which several words may share one (a Bloom filter).
#[derive(Debug, Clone, Copy)]
struct Signature(u128);

impl Signature {
    fn of(hashes: impl Iterator<Item = u64>) -> Self {
        Signature(hashes.fold(0, |bits, hash| bits | 1 << (hash % u64::from(u128::BITS))))
    }

    /// Returns how many words of another set this one certainly does not have.
    fn missing(self, other: Signature) -> usize {
        (other.0 & !self.0).count_ones() as usize
    }
}

/// The letters of a word that are compared. Forms of a word differ in their ends; finding its stem takes long.
const COMPARED_LETTERS: usize = 6;

/// Returns the beginning of a word.
fn word_start(word: &str) -> &str {
    let end = word.char_indices().nth(COMPARED_LETTERS).map_or(word.len(), |(end, _)| end);
    &word[..end]
}

fn hash_word(word: &str) -> u64 {
    FxBuildHasher.hash_one(word)
}

/// Counts the common items of two sorted lists.
fn common_count(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut other, mut common) = (0, 0, 0);
    while at < a.len() && other < b.len() {
        match a[at].cmp(&b[other]) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                at += 1;
                other += 1;
            }
        }
    }
    common
}
