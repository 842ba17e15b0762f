//! Names of things, learned from a memory: what statements differ in that differ in nothing else.
//!
//! `The ticket archive has schema version 4` and `The sensor archive has schema version 4` are about two archives, as many
//! other pairs of statements are that differ in these names alone. A contradiction may look like that, too (`is written in
//! Go` and `is written in Rust`), but of what does not contradict each other there is much more. So words that replace each
//! other in several pairs are taken for names, and statements on things with different names do not contradict each other.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::antonyms::are_opposite;
use super::groups::{GroupKind, members};
use super::number_words::number_word;
use crate::compression::is_negation;
use crate::union_find::UnionFind;

/// Most words of a name.
const MAX_NAME_WORDS: usize = 3;

/// How many names have to replace each other, and in how many different statements.
const MIN_NAMES: usize = 3;
const MIN_STATEMENTS: usize = 4;

/// The names of things, in classes of names that replace each other.
#[derive(Debug, Default)]
pub struct NamedThings {
    /// The class of each name, by the hash of its words.
    classes: HashMap<u64, u32>,
}

/// The names that a sentence has: the class and the hash of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamesOfSentence(Vec<(u32, u64)>);

impl NamedThings {
    /// Learns names from pairs of similar sentences.
    pub fn learn<'t>(pairs: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let mut numbers: HashMap<u64, usize> = HashMap::new();
        let mut replaced: Vec<([usize; 2], u64)> = Vec::new();
        for (a, b) in pairs {
            if let Some(Replacement { names, rest }) = only_replacement(&words(a), &words(b)) {
                let number = |name: u64| {
                    let next = numbers.len();
                    *numbers.entry(name).or_insert(next)
                };
                replaced.push((names.map(number), rest));
            }
        }
        let mut classes = UnionFind::with_capacity(numbers.len());
        for _ in 0..numbers.len() {
            classes.add();
        }
        replaced.iter().for_each(|([one, other], _)| classes.join(*one, *other));
        let mut statements: HashMap<usize, HashSet<u64>> = HashMap::new();
        for ([name, _], rest) in &replaced {
            statements.entry(classes.find(*name)).or_default().insert(*rest);
        }
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        (0..numbers.len()).for_each(|name| *sizes.entry(classes.find(name)).or_default() += 1);
        let has_names =
            |class: usize| sizes[&class] >= MIN_NAMES && statements[&class].len() >= MIN_STATEMENTS;
        let mut learned = HashMap::new();
        for (name, number) in numbers {
            let class = classes.find(number);
            if has_names(class) {
                learned.insert(name, class as u32);
            }
        }
        NamedThings { classes: learned }
    }

    /// Returns whether no names were learned.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Returns the names that a sentence has.
    pub fn names_in(&self, sentence: &str) -> NamesOfSentence {
        let mut found = Vec::new();
        if !self.is_empty() {
            let words = words(sentence);
            for length in 1..=MAX_NAME_WORDS {
                for name in words.windows(length) {
                    let name = hash_of(name);
                    found.extend(self.classes.get(&name).map(|class| (*class, name)));
                }
            }
            found.sort_unstable();
            found.dedup();
        }
        NamesOfSentence(found)
    }
}

impl NamesOfSentence {
    /// Returns whether two sentences name things of one class, and no such thing in common.
    pub fn differ(&self, other: &NamesOfSentence) -> bool {
        let is_in_both = |name: &(u32, u64)| other.0.binary_search(name).is_ok();
        let of_class = |class: u32| self.0.iter().filter(move |name| name.0 == class);
        self.0.iter().any(|(class, _)| {
            other.0.iter().any(|name| name.0 == *class) && !of_class(*class).any(is_in_both)
        })
    }
}

/// What two sentences differ in that are equal before and after it.
struct Replacement {
    names: [u64; 2],
    /// A hash of what is equal.
    rest: u64,
}

/// Returns what two sentences differ in if that may be two names: a few words, without amounts and opposites.
fn only_replacement(a: &[String], b: &[String]) -> Option<Replacement> {
    let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[before..], &b[before..]);
    let after = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let names = [&rest_a[..rest_a.len() - after], &rest_b[..rest_b.len() - after]];
    let is_name = |words: &&[String]| {
        (1..=MAX_NAME_WORDS).contains(&words.len()) && !words.iter().any(|word| is_value(word))
    };
    let is_rest = before + after > 0;
    if !is_rest || !names.iter().all(is_name) || are_choices(names[0], names[1]) {
        return None;
    }
    let rest = hash_of(&[&a[..before], &["_".to_owned()], &a[a.len() - after..]].concat());
    Some(Replacement { names: names.map(hash_of), rest })
}

/// Returns whether a word is an amount or a negation.
fn is_value(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) || number_word(word).is_some() || is_negation(word)
}

/// Returns whether words exclude each other: opposites, or products of which one is usually chosen.
fn are_choices(a: &[String], b: &[String]) -> bool {
    let [a, b] = [a.join(" "), b.join(" ")];
    let is_same_choice = members(&a).iter().any(|one| {
        one.kind() == GroupKind::Choice && members(&b).iter().any(|other| one.group == other.group)
    });
    is_same_choice || are_opposite(&a, &b)
}

/// Returns the words of a sentence in lower case. The parts of `pool_size` are words of their own.
fn words(sentence: &str) -> Vec<String> {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'' | '+' | '#');
    let words = sentence.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn hash_of(words: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = ["billing", "photo search", "mail", "ledger"];
    const ASPECTS: [&str; 4] = ["is owned by Ann", "has two replicas", "logs JSON", "is public"];

    /// Returns pairs of statements on different services that say the same.
    fn pairs(names: &[&str], aspects: &[&str]) -> Vec<[String; 2]> {
        let statement = |name: &str, aspect: &str| format!("The {name} service {aspect}.");
        let of_aspect = |aspect: &&str| {
            let two = names.windows(2);
            two.map(|two| [statement(two[0], aspect), statement(two[1], aspect)])
                .collect::<Vec<_>>()
        };
        aspects.iter().flat_map(of_aspect).collect()
    }

    fn learn(pairs: &[[String; 2]]) -> NamedThings {
        NamedThings::learn(pairs.iter().map(|[a, b]| (a.as_str(), b.as_str())))
    }

    #[test]
    fn what_many_statements_differ_in_alone_are_names() {
        let things = learn(&pairs(&NAMES, &ASPECTS));
        let differ = |a: &str, b: &str| things.names_in(a).differ(&things.names_in(b));
        assert!(differ("Restarts of billing are forbidden", "The ledger may be restarted"));
        assert!(!differ(
            "Restarts of billing are forbidden",
            "The billing service may be restarted"
        ));
        assert!(!differ("The mail service asks billing", "Billing answers"));
        assert!(!differ("Everything may be restarted", "The ledger must not be restarted"));
    }

    #[test]
    fn few_statements_and_what_excludes_each_other_teach_no_names() {
        assert!(learn(&pairs(&NAMES, &ASPECTS[..3])).is_empty());
        assert!(learn(&pairs(&NAMES[..2], &ASPECTS)).is_empty());
        for values in [["PostgreSQL", "MySQL", "MongoDB"], ["two", "three", "four"]] {
            assert!(learn(&pairs(&values, &ASPECTS)).is_empty(), "{values:?}");
        }
        assert!(learn(&[["".into(), "".into()], ["a".into(), "b".into()]]).is_empty());
    }
}
