//! A parsed question.

use std::collections::HashSet;

use jiff::civil::Date;

use super::question_type::asks_for_account;
use super::terms::{fold_case, words_of};
use super::time::{NamedPeriod, find_period};

/// A list of correctly spelt words.
pub trait Lexicon: Sync {
    /// Returns whether a word, in lower case, is in the list.
    fn contains(&self, word: &str) -> bool;

    /// Passes every word to `take`.
    fn for_each_word(&self, take: &mut dyn FnMut(&str));

    /// Passes the words that mean nearly the same as a word, in lower case, to `take`, each with its cosine, nearest
    /// first.
    fn for_each_near_word(&self, _word: &str, _take: &mut dyn FnMut(&str, f32)) {}
}

/// A parsed question.
#[derive(Clone)]
pub struct Question<'l> {
    /// Its distinct terms.
    pub terms: Vec<QuestionTerm>,
    /// Its embedding; empty without an embedder.
    pub vector: Vec<f32>,
    /// The period that it names.
    pub time: Option<NamedPeriod>,
    /// Whether it asks for an account of something, such as a procedure or advice, rather than for a fact.
    pub asks_for_account: bool,
    /// The day on which it is asked.
    pub today: Date,
    /// Tells which words are spelt correctly.
    pub(super) lexicon: &'l dyn Lexicon,
}

/// A term of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionTerm {
    /// The term.
    pub term: String,
    /// The typed word, if the lexicon does not know it (for a part of a name, the term): only such a word is corrected.
    pub unknown: Option<String>,
    /// Terms that mean nearly the same, nearest first.
    pub near: Vec<NearTerm>,
}

/// A term that means nearly the same as a term of the question.
#[derive(Debug, Clone, PartialEq)]
pub struct NearTerm {
    /// The term.
    pub term: String,
    /// The cosine of the two.
    pub cosine: f32,
}

impl<'l> Question<'l> {
    /// Parses any text, asked on a day. The vector of a text that names nothing but a period is dropped, since
    /// it asks for nothing else.
    pub fn new(text: &str, vector: Vec<f32>, today: Date, lexicon: &'l dyn Lexicon) -> Self {
        let time = find_period(text, today);
        let vector =
            if time.as_ref().is_some_and(|time| time.is_only_topic) { vec![] } else { vector };
        let mut terms: Vec<QuestionTerm> = Vec::new();
        let mut seen = HashSet::new();
        for piece in text.split_whitespace() {
            let words: Vec<(String, String)> = words_of(piece).filter_map(word_and_term).collect();
            for term in super::terms(piece).into_iter().filter(|term| seen.insert(term.clone())) {
                let word = words.iter().find(|(_, own)| *own == term).map(|(word, _)| word);
                let word = word.unwrap_or(&term);
                let unknown = (!lexicon.contains(word)).then(|| word.clone());
                let near = near_terms(lexicon, word);
                terms.push(QuestionTerm { term, unknown, near });
            }
        }
        // A term of the question itself counts on its own.
        terms.iter_mut().for_each(|asked| asked.near.retain(|near| !seen.contains(&near.term)));
        let asks_for_account = asks_for_account(text);
        Question { terms, vector, time, asks_for_account, today, lexicon }
    }
}

/// Returns the terms of the words that mean nearly the same as a word, each once.
fn near_terms(lexicon: &dyn Lexicon, word: &str) -> Vec<NearTerm> {
    let mut found: Vec<NearTerm> = Vec::new();
    lexicon.for_each_near_word(word, &mut |near, cosine| {
        for term in super::terms(near) {
            if found.iter().all(|other| other.term != term) {
                found.push(NearTerm { term, cosine });
            }
        }
    });
    found
}

/// Returns a word in lower case without accents, and its term, if it has exactly one.
fn word_and_term(word: &str) -> Option<(String, String)> {
    let [term] = <[String; 1]>::try_from(super::terms(word)).ok()?;
    Some((fold_case(word).into_owned(), term))
}
