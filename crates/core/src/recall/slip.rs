//! Slips of the finger: which term was meant by a word that is none.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Asked, Corpus, Lexicon, Posting, for_each_term};

/// A shorter word is too near to others to be a slip.
const SHORTEST: usize = 4;
/// From this length on, a word may have two.
const LONG: usize = 8;

/// Returns whether a term may have been mistyped.
pub(super) fn may_be_a_slip(asked: &Asked) -> bool {
    asked
        .unknown
        .as_deref()
        .is_some_and(|word| [word, &asked.term].into_iter().any(may_be_mistyped))
}

fn may_be_mistyped(word: &str) -> bool {
    word.chars().nth(SHORTEST - 1).is_some() && !word.contains(|c: char| c.is_ascii_digit())
}

/// Returns the term that was probably meant by one that nobody holds, and who holds it: one letter
/// too many, too few, wrong or swapped, two in a long word. Of terms that are equally near, it is the
/// one that most memories hold. Hardly anybody slips on the first letter, but to swap it with the
/// second: that is looked for last.
pub(super) fn meant(
    corpus: &impl Corpus,
    lexicon: &dyn Lexicon,
    asked: &Asked,
) -> Option<(String, Vec<Posting>)> {
    let stem = Typed::new(&asked.term);
    // A slip in the ending of a word makes another stem of it. Whole words tell more, as far as they
    // are known.
    let word = asked.unknown.as_deref().filter(|word| word.chars().all(char::is_alphabetic));
    let word = word.and_then(Typed::new);
    [Start::Right, Start::Wrong].into_iter().find_map(|start| {
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let mut find = |term: &str, slips: usize| match found.get_mut(term) {
            Some(least) => *least = slips.min(*least),
            None => drop(found.insert(term.to_owned(), slips)),
        };
        if let Some(typed) = &stem {
            for first in typed.first_letters(start) {
                corpus.each_term(first, &mut |term| {
                    if let Some(slips) = typed.slips_from(term, start) {
                        find(term, slips);
                    }
                });
            }
        }
        if let Some(typed) = &word {
            lexicon.each_word(&mut |word| {
                if let Some(slips) = typed.slips_from(word, start) {
                    for_each_term(word, &mut |term: &str| find(term, slips));
                }
            });
        }
        let held = found.into_iter().filter_map(|(term, slips)| {
            let mut holders = Vec::new();
            corpus.postings(&term, &mut holders);
            (!holders.is_empty()).then_some((slips, Reverse(holders.len()), term, holders))
        });
        let best = held.min_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
        best.map(|(.., term, holders)| (term, holders))
    })
}

/// Whether the first letter was typed right, or swapped with the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Right,
    Wrong,
}

/// A word that somebody may have mistyped.
struct Typed {
    letters: Vec<char>,
    /// How many bytes it has.
    length: usize,
    /// Which bytes it has, each in a bit.
    bytes: u32,
    /// How many slips it may have, and how many bytes those may change.
    most: usize,
    changed: usize,
}

impl Typed {
    fn new(word: &str) -> Option<Self> {
        let letters: Vec<char> = word.chars().collect();
        let most = if letters.len() >= LONG { 2 } else { 1 };
        let widest = letters.iter().map(|letter| letter.len_utf8()).max().unwrap_or_default();
        may_be_mistyped(word).then(|| Typed {
            letters,
            length: word.len(),
            bytes: bytes_of(word),
            most,
            changed: most * widest,
        })
    }

    /// With which letters a word may start that was meant; with any, if the first is wrong.
    fn first_letters(&self, start: Start) -> Vec<Option<char>> {
        let (first, second) = (self.letters[0], self.letters[1]);
        match start {
            Start::Wrong => vec![None],
            Start::Right if first == second => vec![Some(first)],
            Start::Right => vec![Some(first), Some(second)],
        }
    }

    /// Returns how many slips lead from a word to this one, if they are few and not none. Who has the
    /// first letter wrong has made one already.
    fn slips_from(&self, word: &str, start: Start) -> Option<usize> {
        // A slip brings in one letter and takes out another at most: what most words fail by.
        let may_be = word.len().abs_diff(self.length) <= self.changed
            && (self.bytes ^ bytes_of(word)).count_ones() as usize <= 2 * self.changed;
        if !may_be {
            return None;
        }
        let word: Vec<char> = word.chars().collect();
        let typed = &self.letters;
        let is_started = word.first() == typed.first()
            || word.get(..2).is_some_and(|first| first == [typed[1], typed[0]]);
        if is_started != (start == Start::Right) {
            return None;
        }
        let most = if is_started { self.most } else { 1 };
        slips(typed, &word, most).filter(|slips| *slips > 0)
    }
}

/// Which bytes a word has, each in a bit; some share one.
fn bytes_of(word: &str) -> u32 {
    word.bytes().fold(0, |bits, byte| bits | 1 << (byte & 31))
}

/// Returns how many slips lead from one word to another, if they are no more than some.
fn slips(typed: &[char], word: &[char], most: usize) -> Option<usize> {
    let mut before: Vec<usize> = vec![];
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (at, a) in typed.iter().enumerate() {
        let mut next = vec![at + 1];
        for (to, b) in word.iter().enumerate() {
            let mut least = (row[to] + usize::from(a != b)).min(row[to + 1] + 1).min(next[to] + 1);
            if at > 0 && to > 0 && *a == word[to - 1] && typed[at - 1] == *b {
                least = least.min(before[to - 1] + 1);
            }
            next.push(least);
        }
        if next.iter().min().is_none_or(|least| *least > most) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|slips| *slips <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        let count = |typed: &str, word: &str| {
            Typed::new(typed).and_then(|typed| typed.slips_from(word, Start::Right))
        };
        assert_eq!(count("postgers", "postgres"), Some(1));
        assert_eq!(count("cache", "cach"), Some(1));
        assert_eq!(count("kubernets", "kubernetes"), Some(1));
        assert_eq!(count("encrytpoin", "encryption"), Some(2));
        assert_eq!(count("alte", "late"), Some(1));
        assert_eq!(count("redis", "sqlite"), None);
        assert_eq!(count("same", "same"), None);
        assert_eq!(count("bate", "late"), None);
        assert_eq!(count("tst", "test"), None);
        assert_eq!(count("базза", "база"), Some(1));
        assert_eq!(count("бамза", "базма"), Some(1));
        assert_eq!(count("test", "日"), None);
        let wrong = |typed: &str, word: &str| {
            Typed::new(typed).and_then(|typed| typed.slips_from(word, Start::Wrong))
        };
        assert_eq!(wrong("ubernetes", "kubernetes"), Some(1));
        assert_eq!(wrong("xubernetes", "kubernetes"), Some(1));
        assert_eq!(wrong("xubernets", "kubernetes"), None);
        assert_eq!(wrong("kubernets", "kubernetes"), None);
        assert_eq!(count("port80", "port90"), None);
    }
}
