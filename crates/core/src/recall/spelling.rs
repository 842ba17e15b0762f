//! Spelling correction: finds the term that a misspelt word was meant to be.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Corpus, Lexicon, Posting, QuestionTerm, for_each_term};

/// A shorter word is not corrected, since too many words are one edit away.
const MIN_CORRECTED_CHARS: usize = 4;
/// A word of this length or longer may have two edits.
const MIN_TWO_EDIT_CHARS: usize = 8;

/// Returns whether a term may be misspelt.
pub(super) fn may_be_misspelt(asked: &QuestionTerm) -> bool {
    let unknown = asked.unknown.as_deref();
    unknown.is_some_and(|word| is_correctable(word) || is_correctable(&asked.term))
}

fn is_correctable(word: &str) -> bool {
    word.chars().nth(MIN_CORRECTED_CHARS - 1).is_some()
        && !word.contains(|c: char| c.is_ascii_digit())
}

/// Returns the nearest term that memories contain, for one that none contains, and its posting list. An edit is a
/// letter too many, too few, wrong or swapped with the next. Among equally near terms, the one with the longest posting
/// list wins. Few typos are in the first letter, so terms with another first letter are only a fallback.
pub(super) fn correct(
    corpus: &impl Corpus,
    lexicon: &dyn Lexicon,
    asked: &QuestionTerm,
) -> Option<(String, Vec<Posting>)> {
    let stem = TypedWord::new(&asked.term);
    // A typo in the ending of a word changes its stem beyond recognition, so whole words are compared as well.
    let word = asked.unknown.as_deref().filter(|word| word.chars().all(char::is_alphabetic));
    let word = word.and_then(TypedWord::new);
    [FirstLetter::Kept, FirstLetter::Changed].into_iter().find_map(|first_letter| {
        let mut candidates: BTreeMap<String, usize> = BTreeMap::new();
        let mut add = |term: &str, edits: usize| match candidates.get_mut(term) {
            Some(least) => *least = edits.min(*least),
            None => drop(candidates.insert(term.to_owned(), edits)),
        };
        if let Some(typed) = &stem {
            for first in typed.first_letters(first_letter) {
                corpus.for_each_term(first, &mut |term| {
                    if let Some(edits) = typed.edits_from(term, first_letter) {
                        add(term, edits);
                    }
                });
            }
        }
        if let Some(typed) = &word {
            lexicon.for_each_word(&mut |word| {
                if let Some(edits) = typed.edits_from(word, first_letter) {
                    for_each_term(word, &mut |term: &str| add(term, edits));
                }
            });
        }
        let with_postings = candidates.into_iter().filter_map(|(term, edits)| {
            let mut postings = Vec::new();
            corpus.postings(&term, &mut postings);
            let count = count_contained(corpus, &postings);
            (count > 0).then_some((edits, Reverse(count), term, postings))
        });
        let best = with_postings.min_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
        best.map(|(.., term, postings)| (term, postings))
    })
}

/// Returns how many postings are part of the corpus.
pub(super) fn count_contained(corpus: &impl Corpus, postings: &[Posting]) -> usize {
    match corpus.has_archived() {
        true => postings.iter().filter(|posting| corpus.contains(posting.slot)).count(),
        false => postings.len(),
    }
}

/// Whether a correction keeps the first letter (or swaps the first two), or changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstLetter {
    Kept,
    Changed,
}

/// A typed word, prepared for comparison with many words.
struct TypedWord {
    letters: Vec<char>,
    length_bytes: usize,
    /// The set of bytes in the word: see [`byte_set`].
    byte_set: u32,
    max_edits: usize,
    /// How many bytes that many edits may change.
    max_changed_bytes: usize,
}

impl TypedWord {
    fn new(word: &str) -> Option<Self> {
        let letters: Vec<char> = word.chars().collect();
        let max_edits = if letters.len() >= MIN_TWO_EDIT_CHARS { 2 } else { 1 };
        let widest = letters.iter().map(|letter| letter.len_utf8()).max().unwrap_or_default();
        is_correctable(word).then(|| TypedWord {
            letters,
            length_bytes: word.len(),
            byte_set: byte_set(word),
            max_edits,
            max_changed_bytes: max_edits * widest,
        })
    }

    /// Returns the first letters that a correction may have; `None` stands for any.
    fn first_letters(&self, first_letter: FirstLetter) -> Vec<Option<char>> {
        let (first, second) = (self.letters[0], self.letters[1]);
        match first_letter {
            FirstLetter::Changed => vec![None],
            FirstLetter::Kept if first == second => vec![Some(first)],
            FirstLetter::Kept => vec![Some(first), Some(second)],
        }
    }

    /// Returns the number of edits from a word to this one, unless it is zero or above the limit. A changed first
    /// letter must be the only edit.
    fn edits_from(&self, word: &str, first_letter: FirstLetter) -> Option<usize> {
        // Cheap filter that rejects most words: an edit adds at most one letter and removes at most one.
        let may_match = word.len().abs_diff(self.length_bytes) <= self.max_changed_bytes
            && (self.byte_set ^ byte_set(word)).count_ones() as usize <= 2 * self.max_changed_bytes;
        if !may_match {
            return None;
        }
        let word: Vec<char> = word.chars().collect();
        let typed = &self.letters;
        let keeps_first_letter = word.first() == typed.first()
            || word.get(..2).is_some_and(|first| first == [typed[1], typed[0]]);
        if keeps_first_letter != (first_letter == FirstLetter::Kept) {
            return None;
        }
        let max_edits = if keeps_first_letter { self.max_edits } else { 1 };
        bounded_edit_distance(typed, &word, max_edits).filter(|edits| *edits > 0)
    }
}

/// Returns the set of bytes in a word as bits; several bytes share a bit.
fn byte_set(word: &str) -> u32 {
    word.bytes().fold(0, |bits, byte| bits | 1 << (byte & 31))
}

/// Returns the edit distance of two words, counting a swap of neighbours as one edit, if it is at most `max_edits`.
fn bounded_edit_distance(typed: &[char], word: &[char], max_edits: usize) -> Option<usize> {
    let mut row_before: Vec<usize> = vec![];
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (i, a) in typed.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in word.iter().enumerate() {
            let mut least = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == word[j - 1] && typed[i - 1] == *b {
                least = least.min(row_before[j - 1] + 1);
            }
            next.push(least);
        }
        if next.iter().min().is_none_or(|least| *least > max_edits) {
            return None;
        }
        row_before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|edits| *edits <= max_edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(typed: &str, word: &str, first_letter: FirstLetter) -> Option<usize> {
        TypedWord::new(typed).and_then(|typed| typed.edits_from(word, first_letter))
    }

    #[test]
    fn edits_are_counted_up_to_the_limit_of_the_length() {
        let count = |typed: &str, word: &str| edits(typed, word, FirstLetter::Kept);
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
        assert_eq!(count("port80", "port90"), None);
    }

    #[test]
    fn a_changed_first_letter_is_the_only_edit() {
        let count = |typed: &str, word: &str| edits(typed, word, FirstLetter::Changed);
        assert_eq!(count("ubernetes", "kubernetes"), Some(1));
        assert_eq!(count("xubernetes", "kubernetes"), Some(1));
        assert_eq!(count("xubernets", "kubernetes"), None);
        assert_eq!(count("kubernets", "kubernetes"), None);
    }
}
