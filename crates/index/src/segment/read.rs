//! Reading texts: which terms they have, and of which pieces an embedder makes their vectors.

use std::collections::HashMap;

use heirloom_core::embedding::ByWords;
use heirloom_core::fast::{self, Words};
use heirloom_core::recall::{Passage, Slot, for_each_joined_term, for_each_term};

/// How many words are remembered with what they come to.
const REMEMBERED: usize = 200_000;

/// About so many bytes are a word, and the space behind it.
const WORD: usize = 5;

/// Terms, each with its id; ids are the numbers from zero on.
pub(super) type Terms = HashMap<Box<str>, u32, fast::Hash>;

/// The terms that a reader has met.
#[derive(Default)]
struct ReadTerms {
    ids: Terms,
    /// Terms that were met for the first time since texts were last given away, in the order of
    /// their ids.
    new: Vec<Box<str>>,
}

impl ReadTerms {
    /// Returns the id of a term, which may be a new one.
    fn id(&mut self, term: &str) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let id = self.ids.len() as u32;
        self.ids.insert(term.into(), id);
        self.new.push(term.into());
        id
    }
}

/// Reads texts word by word, and remembers the words.
pub(crate) struct Reader<'e> {
    /// The embedder, if it goes by words.
    embedder: Option<&'e dyn ByWords>,
    terms: ReadTerms,
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

/// Gives the words of a text, each without the mark behind it, which comes to the same by itself: a
/// word is met with all sorts of marks, and need be read once only.
#[inline]
fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    for word in text.split_whitespace() {
        let (word, mark) = without_punctuation(word);
        take(word);
        mark.into_iter().for_each(&mut take);
    }
}

#[inline]
fn without_punctuation(word: &str) -> (&str, Option<&str>) {
    let Some((bare, mark)) = word.len().checked_sub(1).and_then(|at| word.split_at_checked(at))
    else {
        return (word, None);
    };
    let is_parted = matches!(mark, "." | "," | ";" | ":" | "!" | "?")
        && !bare.is_empty()
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_parted { (bare, Some(mark)) } else { (word, None) }
}

/// What was read of some memories.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The terms of all memories, one after the other, by their reader's ids.
    pub(super) terms: Vec<u32>,
    /// Those of them that the reader met for the first time, in the order of their ids.
    pub(super) new_terms: Vec<Box<str>>,
    /// The slot of each memory, and where its terms end.
    pub(super) slots: Vec<(Slot, usize)>,
    /// How many terms the text of each memory has.
    pub(crate) lengths: Vec<u32>,
    /// What is to have a vector.
    cut: Cut,
}

impl Texts {
    /// Gives away what is to have a vector.
    pub(crate) fn take_cut(&mut self) -> Cut {
        std::mem::take(&mut self.cut)
    }
}

/// Texts as an embedder's pieces.
#[derive(Debug, Default)]
pub(crate) struct Cut {
    /// The pieces of all texts, one after the other.
    pieces: Vec<u32>,
    /// The slot of each text, and where its pieces end.
    ends: Vec<(Slot, usize)>,
}

impl Cut {
    /// Returns how many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the texts: to which slot each belongs, and its pieces.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (Slot, &[u32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, end)| *end));
        starts.zip(&self.ends).map(|(start, (slot, end))| (*slot, &self.pieces[start..*end]))
    }

    fn end(&mut self, slot: Slot) {
        self.ends.push((slot, self.pieces.len()));
    }
}

impl<'e> Reader<'e> {
    /// Knows no word yet.
    pub(crate) fn new(embedder: Option<&'e dyn ByWords>) -> Self {
        Reader {
            embedder,
            terms: ReadTerms::default(),
            known: Words::default(),
            word_terms: vec![],
            word_pieces: vec![],
        }
    }

    /// Reads memories whose slots follow one another. The words of a title count once more; marks
    /// are terms that are found only by their exact name. Neither counts for a memory's length.
    pub(crate) fn read(&mut self, first: Slot, passages: &[&Passage]) -> Texts {
        let mut texts = Texts::default();
        let words = passages.iter().map(|passage| passage.text.len()).sum::<usize>() / WORD;
        texts.terms.reserve(words);
        texts.cut.pieces.reserve(words);
        for (slot, passage) in (first..).zip(passages) {
            let before = texts.terms.len();
            for_each_word(&passage.text, |word| {
                let word = self.word(word);
                extend(&mut texts.terms, &self.word_terms, word.terms);
                extend(&mut texts.cut.pieces, &self.word_pieces, word.pieces);
            });
            texts.cut.end(slot);
            texts.lengths.push((texts.terms.len() - before) as u32);
            for_each_word(passage.title.as_deref().unwrap_or_default(), |word| {
                let word = self.word(word);
                extend(&mut texts.terms, &self.word_terms, word.terms);
            });
            if let Some(summary) = &passage.summary {
                for_each_word(summary, |word| {
                    let word = self.word(word);
                    extend(&mut texts.cut.pieces, &self.word_pieces, word.pieces);
                });
                texts.cut.end(slot);
            }
            texts.terms.extend(passage.marks.iter().map(|mark| self.terms.id(mark)));
            texts.slots.push((slot, texts.terms.len()));
        }
        texts.new_terms = std::mem::take(&mut self.terms.new);
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
        let mut add = |term: &str| {
            let id = self.terms.id(term);
            self.word_terms.push(id);
        };
        for_each_term(word, &mut add);
        for_each_joined_term(word, &mut add);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knows the words of ASCII letters by their length, and every other character by itself.
    struct Lengths;

    impl ByWords for Lengths {
        fn add_pieces(&self, word: &str, pieces: &mut Vec<u32>) {
            for part in word.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
                let bare = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
                pieces.extend((!bare.is_empty()).then_some(bare.len() as u32));
                pieces.extend(part[bare.len()..].chars().map(|c| 1000 + c as u32));
            }
        }

        fn write_vector(&self, _: &[u32], _: &mut [f32]) {}
    }

    #[test]
    fn a_word_is_read_as_it_would_be_with_the_mark_behind_it() {
        for word in [
            "cache.",
            "Cache,",
            "parseFrontMatter:",
            "42;",
            "why?",
            "e.g.",
            "...",
            ".",
            "C++.",
            "café!",
            "a.b.",
            "😊.",
        ] {
            let read_of = |words: &[&str]| {
                let mut reader = Reader::new(Some(&Lengths));
                let (mut terms, mut pieces) = (vec![], vec![]);
                for word in words {
                    let known = reader.word(word);
                    extend(&mut terms, &reader.word_terms, known.terms);
                    extend(&mut pieces, &reader.word_pieces, known.pieces);
                }
                (terms, reader.terms.new, pieces)
            };
            let mut parts = vec![];
            for_each_word(word, |part| parts.push(part.to_owned()));
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            assert_eq!(read_of(&parts), read_of(&[word]), "{word}");
        }
    }
}
