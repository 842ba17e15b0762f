//! Slips of the finger: which term was meant by a word that is none.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Asked, Corpus, Lexicon, Posting, piece_terms};

/// A shorter word is too near to others to be a slip.
const SHORTEST: usize = 4;
/// From this length on, a word may have two.
const LONG: usize = 8;

/// Returns the term that was probably meant by one that nobody holds, and who holds it: one letter
/// too many, too few, wrong or swapped, two in a long word. Of terms that are equally near, it is the
/// one that most memories hold.
pub(super) fn meant(
    corpus: &impl Corpus,
    lexicon: &dyn Lexicon,
    asked: &Asked,
) -> Option<(String, Vec<Posting>)> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut find = |term: String, slips: usize| {
        let least = found.entry(term).or_insert(slips);
        *least = slips.min(*least);
    };
    if let Some(typed) = Typed::new(&asked.term) {
        corpus.each_term(&mut |term| {
            if let Some(slips) = typed.slips_from(term) {
                find(term.to_owned(), slips);
            }
        });
    }
    // A slip in the ending of a word makes another stem of it. Whole words tell more, as far as they
    // are known.
    if let Some(typed) = asked.unknown.as_deref().and_then(Typed::new) {
        let mut terms = Vec::new();
        lexicon.each_word(&mut |word| {
            if let Some(slips) = typed.slips_from(word) {
                piece_terms(word, &mut terms);
                terms.drain(..).for_each(|term| find(term, slips));
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
}

/// A word that somebody may have mistyped.
struct Typed {
    letters: Vec<char>,
    /// How many bytes it has.
    length: usize,
    /// How many slips it may have.
    most: usize,
}

impl Typed {
    fn new(word: &str) -> Option<Self> {
        let letters: Vec<char> = word.chars().collect();
        let may_be_meant = letters.len() >= SHORTEST && !letters.iter().any(char::is_ascii_digit);
        let most = if letters.len() >= LONG { 2 } else { 1 };
        may_be_meant.then_some(Typed { letters, length: word.len(), most })
    }

    /// Returns how many slips lead from a word to this one, if they are few and not none.
    fn slips_from(&self, word: &str) -> Option<usize> {
        // Hardly anybody slips on the first letter, but to swap it with the second.
        let mut first = word.chars();
        let first = [first.next(), first.next()];
        let typed = [self.letters.first().copied(), self.letters.get(1).copied()];
        let may_be = word.len().abs_diff(self.length) <= self.most
            && (first[0] == typed[0] || first == [typed[1], typed[0]]);
        if !may_be {
            return None;
        }
        let word: Vec<char> = word.chars().collect();
        slips(&self.letters, &word, self.most).filter(|slips| *slips > 0)
    }
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
        let count = |typed: &str, word: &str| Typed::new(typed).and_then(|it| it.slips_from(word));
        assert_eq!(count("postgers", "postgres"), Some(1));
        assert_eq!(count("cache", "cach"), Some(1));
        assert_eq!(count("kubernets", "kubernetes"), Some(1));
        assert_eq!(count("encrytpoin", "encryption"), Some(2));
        assert_eq!(count("alte", "late"), Some(1));
        assert_eq!(count("redis", "sqlite"), None);
        assert_eq!(count("same", "same"), None);
        assert_eq!(count("bate", "late"), None);
        assert_eq!(count("tst", "test"), None);
        assert_eq!(count("port80", "port90"), None);
    }
}
