//! Finds entries that say the same.

use std::collections::HashSet;

use heirloom_core::compression::essential_words;
use indexmap::IndexMap;

use super::entry::Entry;

/// The share of common terms from which on two entries say the same, if they have the same essential words.
const MIN_COMMON_TERMS: f64 = 0.75;

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
    let content = |entry: &Entry| (entry.pointer().to_owned(), Content::of(entry));
    let mut contents: Vec<(String, Content)> = shown.iter().map(|entry| content(entry)).collect();
    let mut removed = Vec::new();
    for entry in std::mem::take(entries) {
        let (id, content) = content(&entry);
        match contents.iter().find(|(_, other)| other.covers(&content)) {
            Some((same, _)) => removed.push((entry, same.clone())),
            None => {
                contents.push((id, content));
                entries.push(entry);
            }
        }
    }
    removed
}

/// What is compared of two entries.
struct Content {
    text: String,
    terms: Vec<String>,
    essential: HashSet<String>,
}

impl Content {
    fn of(entry: &Entry) -> Self {
        Content {
            text: entry.text.to_lowercase(),
            terms: entry.distinct_terms(),
            essential: essential_words(&entry.text).collect(),
        }
    }

    /// Returns whether it says all that another one says.
    fn covers(&self, other: &Content) -> bool {
        if self.text.contains(&other.text) {
            return true;
        }
        let (short, long) =
            (self.terms.len().min(other.terms.len()), self.terms.len().max(other.terms.len()));
        if (short as f64) < MIN_COMMON_TERMS * long as f64 || self.essential != other.essential {
            return false;
        }
        let common = common_count(&self.terms, &other.terms);
        common as f64 >= MIN_COMMON_TERMS * (short + long - common) as f64
    }
}

/// Counts the common items of two sorted lists.
fn common_count(a: &[String], b: &[String]) -> usize {
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
