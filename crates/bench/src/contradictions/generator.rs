//! Generates facts that do not contradict each other, and facts that contradict one of them.
//!
//! A slot is an aspect of a thing. Each slot has one value, or one for each of two scopes that exclude each other; some are
//! stated twice in other words. A fact of a part of a thing is never beside one of the whole thing on the same aspect.

use std::collections::BTreeMap;

use super::aspects::{Aspect, Difference, aspects};
use super::things::{Kind, SCOPES, VARIANTS};

/// One in so many slots is stated for two scopes.
const SLOTS_PER_SCOPED: usize = 3;

/// One in so many facts is stated again in other words.
const FACTS_PER_PARAPHRASE: usize = 8;

/// One in so many aspects of a thing is stated of the thing and not of its parts.
const ASPECTS_PER_WHOLE: usize = 4;

/// A fact, with the number of the slot and scope whose value it states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GeneratedFact {
    pub(super) text: String,
    pub(super) subject: usize,
}

/// A fact that contradicts all facts of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlantedFact {
    pub(super) text: String,
    pub(super) subject: usize,
    pub(super) difference: String,
}

/// Facts with those that contradict one of them.
#[derive(Debug, Default)]
pub(super) struct GeneratedFacts {
    pub(super) facts: Vec<GeneratedFact>,
    pub(super) planted: Vec<PlantedFact>,
}

/// A pseudo-random number generator (SplitMix64).
#[derive(Debug)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    fn choose<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// An aspect of a thing.
#[derive(Debug, Clone)]
struct Slot {
    thing: String,
    aspect: &'static Aspect,
}

/// What is said of a slot in a scope.
#[derive(Debug)]
struct Subject {
    slot: Slot,
    scope: Option<&'static str>,
    /// The value, or the side of a stance.
    value: usize,
}

/// Generates so many facts, of which `planted` contradict one other each.
pub(super) fn generate(total: usize, planted: usize, seed: u64) -> GeneratedFacts {
    let mut random = Random::new(seed);
    let wanted = total.saturating_sub(planted);
    let mut facts = Vec::new();
    let mut subjects: Vec<Subject> = Vec::new();
    for variant in VARIANTS {
        let mut slots = slots(variant);
        random.shuffle(&mut slots);
        for slot in slots {
            if facts.len() >= wanted {
                break;
            }
            for subject in subjects_of(&slot, &mut random) {
                let number = subjects.len();
                let text = subject.statement(&mut random);
                if random.below(FACTS_PER_PARAPHRASE) == 0 {
                    let other = subject.statement(&mut random);
                    if other.trim_end_matches('.') != text.trim_end_matches('.') {
                        facts.push(GeneratedFact { text: other, subject: number });
                    }
                }
                facts.push(GeneratedFact { text, subject: number });
                subjects.push(subject);
            }
        }
    }
    facts.truncate(wanted);
    let stated = facts.last().map_or(0, |fact| fact.subject + 1);
    let planted = plant(&subjects[..stated], planted, &mut random);
    GeneratedFacts { facts, planted }
}

fn slots(variant: &str) -> Vec<Slot> {
    let mut slots = Vec::new();
    for kind in Kind::ALL {
        for (thing_number, thing) in kind.things().iter().enumerate() {
            let thing = match thing.strip_prefix("the ") {
                Some(name) if !variant.is_empty() => format!("the {variant} {name}"),
                None if !variant.is_empty() => format!("the {variant} {thing}"),
                _ => (*thing).to_owned(),
            };
            for (aspect_number, aspect) in aspects(kind).iter().enumerate() {
                let is_whole = (thing_number + aspect_number).is_multiple_of(ASPECTS_PER_WHOLE);
                let parts = if is_whole { &kind.parts()[..1] } else { &kind.parts()[1..] };
                let of_parts = parts.iter().map(|part| part.replace("{t}", &thing));
                slots.extend(of_parts.map(|thing| Slot { thing, aspect }));
            }
        }
    }
    slots
}

/// Returns what is said of a slot: one value, or one for each of two scopes.
fn subjects_of(slot: &Slot, random: &mut Random) -> Vec<Subject> {
    let mut scopes = vec![None];
    if random.below(SLOTS_PER_SCOPED) == 0 {
        let family = SCOPES[random.below(SCOPES.len())];
        let first = random.below(family.len());
        scopes = vec![Some(family[first]), Some(family[(first + 1) % family.len()])];
    }
    let values = slot.aspect.value_count();
    let subject = |scope| Subject { slot: slot.clone(), scope, value: random.below(values) };
    scopes.into_iter().map(subject).collect()
}

impl Aspect {
    fn value_count(&self) -> usize {
        match self {
            Aspect::Value { values, .. } => values.len(),
            Aspect::Stance { .. } => 2,
        }
    }
}

impl Subject {
    /// Returns a sentence that states the value.
    fn statement(&self, random: &mut Random) -> String {
        self.statement_of(self.value, random)
    }

    fn statement_of(&self, value: usize, random: &mut Random) -> String {
        match self.slot.aspect {
            Aspect::Value { statements, values, .. } => {
                let statement = random.choose(statements);
                self.fill(statement, values[value], random)
            }
            Aspect::Stance { one, other, .. } => {
                let statement = random.choose(if value == 0 { one } else { other });
                self.fill(statement, "", random)
            }
        }
    }

    /// Returns a sentence that excludes the value, and in what it differs.
    fn contradiction(&self, random: &mut Random) -> (Difference, String) {
        match self.slot.aspect {
            Aspect::Stance { difference, .. } => {
                (*difference, self.statement_of(1 - self.value, random))
            }
            Aspect::Value { difference, values, exclusions, .. } => {
                if !exclusions.is_empty() && random.below(3) == 0 {
                    let (difference, statement) = exclusions[random.below(exclusions.len())];
                    return (difference, self.fill(statement, "", random));
                }
                let other = (self.value + 1 + random.below(values.len() - 1)) % values.len();
                (*difference, self.statement_of(other, random))
            }
        }
    }

    fn fill(&self, statement: &str, value: &str, random: &mut Random) -> String {
        let key: String = self.slot.thing.replace("the ", "").replace(' ', "_").to_lowercase();
        let is_prefix = self.scope.is_some() && random.below(2) == 0;
        let mut chars = statement.chars();
        let statement = match chars.next() {
            Some(first) if is_prefix => first.to_lowercase().chain(chars).collect(),
            _ => statement.to_owned(),
        };
        let text =
            statement.replace("{s}", &self.slot.thing).replace("{k}", &key).replace("{v}", value);
        let text = match self.scope {
            Some(scope) if is_prefix => format!("{scope}, {text}"),
            Some(scope) => format!("{text} {scope}"),
            None => text,
        };
        let mut chars = text.chars();
        let first = chars.next().map(|first| first.to_uppercase().to_string());
        let end = if random.below(2) == 0 && !text.contains('`') { "." } else { "" };
        format!("{}{}{end}", first.unwrap_or_default(), chars.as_str())
    }
}

/// Plants facts that contradict one subject each, as many of each difference as there are.
fn plant(subjects: &[Subject], count: usize, random: &mut Random) -> Vec<PlantedFact> {
    let mut order: Vec<usize> = (0..subjects.len()).collect();
    random.shuffle(&mut order);
    let mut waiting: BTreeMap<Difference, Vec<PlantedFact>> = BTreeMap::new();
    for subject in order {
        let (difference, text) = subjects[subject].contradiction(random);
        let difference_name = difference.name().to_owned();
        let planted = PlantedFact { text, subject, difference: difference_name };
        waiting.entry(difference).or_default().push(planted);
    }
    let mut planted = Vec::with_capacity(count);
    while planted.len() < count && !waiting.is_empty() {
        waiting.retain(|_, facts| {
            planted.extend(facts.pop());
            !facts.is_empty()
        });
    }
    planted.truncate(count);
    planted
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_facts_and_no_fact_comes_twice() {
        let (one, same) = (generate(3_000, 100, 7), generate(3_000, 100, 7));
        assert_eq!((one.facts.len(), one.planted.len()), (2_900, 100));
        assert_eq!((&one.facts, &one.planted), (&same.facts, &same.planted));
        assert_ne!(one.facts, generate(3_000, 100, 8).facts);
        let texts: HashSet<&str> = one.facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(texts.len(), one.facts.len());
        let planted = one.planted.iter().all(|fact| !texts.contains(fact.text.as_str()));
        assert!(planted && one.facts.iter().all(|fact| !fact.text.contains(['{', '}'])));
    }

    #[test]
    fn things_and_differences_are_varied() {
        let things: usize = Kind::ALL.iter().map(|kind| kind.things().len()).sum();
        assert!(things >= 120, "{things} things");
        let generated = generate(5_000, 100, 1);
        let mut differences: HashMap<&str, usize> = HashMap::new();
        for planted in &generated.planted {
            *differences.entry(&planted.difference).or_default() += 1;
        }
        assert_eq!(differences.len(), 8, "{differences:?}");
        assert!(differences.values().all(|count| *count >= 10), "{differences:?}");
        let planted: HashSet<usize> = generated.planted.iter().map(|it| it.subject).collect();
        assert_eq!(planted.len(), 100, "a fact is contradicted twice");
    }

    #[test]
    fn there_are_enough_facts_for_a_large_memory() {
        assert_eq!(generate(100_000, 100, 1).facts.len(), 99_900);
    }
}
