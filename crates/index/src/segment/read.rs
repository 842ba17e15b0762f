//! Reading texts: which terms they have, and of which pieces an embedder makes their vectors.

use std::collections::HashMap;

use heirloom_core::embedding::ByWords;
use heirloom_core::fast::{self, Words};
use heirloom_core::recall::{Passage, Slot, joined_terms, piece_terms};

/// How many words are remembered with what they come to.
const REMEMBERED: usize = 200_000;

/// About so many bytes are a word, and the space behind it.
const WORD: usize = 5;

/// Terms, each with its id; ids are the numbers from zero on.
pub(super) type Terms = HashMap<Box<str>, u32, fast::Hash>;

/// Reads texts word by word, and remembers the words.
pub(crate) struct Reader<'e> {
    /// The embedder, if it goes by words.
    embedder: Option<&'e dyn ByWords>,
    terms: Terms,
    known: Words<Word>,
    /// The terms of all known words, one after the other.
    word_terms: Vec<u32>,
    /// The embedder's pieces of all known words, one after the other.
    word_pieces: Vec<u32>,
}

/// Where the terms and the pieces of a word start and end.
#[derive(Debug, Clone, Copy)]
struct Word {
    terms: (u32, u32),
    pieces: (u32, u32),
}

/// Adds a part of a list, which mostly is one number or none: no call is worth that.
#[inline]
fn extend(to: &mut Vec<u32>, from: &[u32], (start, end): (u32, u32)) {
    for at in start..end {
        to.push(from[at as usize]);
    }
}

/// What was read of some memories.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The terms of all memories, one after the other, by their reader's ids.
    pub(super) terms: Vec<u32>,
    /// The slot of each memory, and where its terms end.
    pub(super) slots: Vec<(Slot, usize)>,
    /// How many terms the text of each memory has.
    pub(crate) lengths: Vec<u32>,
    /// The pieces of all texts that are to have a vector, one after the other.
    pieces: Vec<u32>,
    /// The slot of each such text, and where its pieces end.
    cut: Vec<(Slot, usize)>,
}

impl Texts {
    /// Returns the texts that are to have a vector: to which slot each belongs, and its pieces.
    pub(crate) fn cut(&self) -> impl Iterator<Item = (Slot, &[u32])> {
        let starts = std::iter::once(0).chain(self.cut.iter().map(|(_, end)| *end));
        starts.zip(&self.cut).map(|(start, (slot, end))| (*slot, &self.pieces[start..*end]))
    }
}

impl<'e> Reader<'e> {
    /// Knows no word yet.
    pub(crate) fn new(embedder: Option<&'e dyn ByWords>) -> Self {
        Reader {
            embedder,
            terms: Terms::default(),
            known: Words::default(),
            word_terms: vec![],
            word_pieces: vec![],
        }
    }

    /// Returns the terms that it knows.
    pub(super) fn into_terms(self) -> Terms {
        self.terms
    }

    /// Reads memories whose slots follow one another. The words of a title count once more; marks
    /// are terms that are found only by their exact name. Neither counts for a memory's length.
    pub(crate) fn read(&mut self, first: Slot, passages: &[&Passage]) -> Texts {
        let mut texts = Texts::default();
        let words = passages.iter().map(|passage| passage.text.len()).sum::<usize>() / WORD;
        texts.terms.reserve(words);
        texts.pieces.reserve(words);
        for (slot, passage) in (first..).zip(passages) {
            let before = texts.terms.len();
            for word in passage.text.split_whitespace() {
                let word = self.word(word);
                extend(&mut texts.terms, &self.word_terms, word.terms);
                extend(&mut texts.pieces, &self.word_pieces, word.pieces);
            }
            texts.cut.push((slot, texts.pieces.len()));
            texts.lengths.push((texts.terms.len() - before) as u32);
            for word in passage.title.iter().flat_map(|title| title.split_whitespace()) {
                let word = self.word(word);
                extend(&mut texts.terms, &self.word_terms, word.terms);
            }
            if let Some(summary) = &passage.summary {
                for word in summary.split_whitespace() {
                    let word = self.word(word);
                    extend(&mut texts.pieces, &self.word_pieces, word.pieces);
                }
                texts.cut.push((slot, texts.pieces.len()));
            }
            texts.terms.extend(passage.marks.iter().map(|mark| self.id(mark)));
            texts.slots.push((slot, texts.terms.len()));
        }
        texts
    }

    /// Reads a word, unless it was read before.
    fn word(&mut self, word: &str) -> Word {
        if let Some(known) = self.known.get(word) {
            return known;
        }
        if self.known.len() >= REMEMBERED {
            self.known = Words::default();
            self.word_terms.clear();
            self.word_pieces.clear();
        }
        let (first_term, first_piece) = (self.word_terms.len(), self.word_pieces.len());
        let mut terms = Vec::new();
        piece_terms(word, &mut terms);
        joined_terms(word, &mut terms);
        for term in &terms {
            let id = self.id(term);
            self.word_terms.push(id);
        }
        if let Some(embedder) = self.embedder {
            embedder.add_pieces(word, &mut self.word_pieces);
        }
        let read = Word {
            terms: (first_term as u32, self.word_terms.len() as u32),
            pieces: (first_piece as u32, self.word_pieces.len() as u32),
        };
        self.known.insert(word, read);
        read
    }

    fn id(&mut self, term: &str) -> u32 {
        if let Some(id) = self.terms.get(term) {
            return *id;
        }
        let id = self.terms.len() as u32;
        self.terms.insert(term.into(), id);
        id
    }
}
