//! What is asked.

use std::collections::HashSet;

use jiff::civil::Date;

use super::terms::{folded, words_of};
use super::{Time, time};

/// One who knows words, and so which of them are spelt right.
pub trait Lexicon: Sync {
    /// Returns whether there is such a word, in small letters.
    fn knows(&self, word: &str) -> bool;

    /// Gives every word that there is.
    fn each_word(&self, take: &mut dyn FnMut(&str));
}

/// What is asked.
#[derive(Clone)]
pub struct Question<'l> {
    /// Its terms, each once.
    pub terms: Vec<Asked>,
    /// Its meaning; empty if nobody can tell.
    pub vector: Vec<f32>,
    /// The time that it names.
    pub time: Option<Time>,
    /// The day on which it is asked.
    pub today: Date,
    /// Who can tell which words were meant.
    pub(super) lexicon: &'l dyn Lexicon,
}

/// A term that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The term.
    pub term: String,
    /// The word as it was typed, or the term of a name, if there is no such word: what is spelt right
    /// is not taken for another one.
    pub unknown: Option<String>,
}

impl<'l> Question<'l> {
    /// Reads a text, whatever it is, that is asked on a day. A text that names nothing but a time
    /// means nothing else.
    pub fn new(text: &str, vector: Vec<f32>, today: Date, lexicon: &'l dyn Lexicon) -> Self {
        let time = time(text, today);
        let vector = if time.as_ref().is_some_and(|time| time.is_alone) { vec![] } else { vector };
        let mut terms: Vec<Asked> = Vec::new();
        let mut seen = HashSet::new();
        for piece in text.split_whitespace() {
            let words: Vec<(String, String)> = words_of(piece).filter_map(word_and_term).collect();
            for term in super::terms(piece).into_iter().filter(|term| seen.insert(term.clone())) {
                let word = words.iter().find(|(_, own)| *own == term).map(|(word, _)| word);
                let word = word.unwrap_or(&term);
                let unknown = (!lexicon.knows(word)).then(|| word.clone());
                terms.push(Asked { term, unknown });
            }
        }
        Question { terms, vector, time, today, lexicon }
    }
}

/// A word in small letters and without accents, and the one term that it comes to.
fn word_and_term(word: &str) -> Option<(String, String)> {
    let [term] = <[String; 1]>::try_from(super::terms(word)).ok()?;
    Some((folded(word).into_owned(), term))
}
