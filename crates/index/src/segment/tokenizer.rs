//! Splitting passages into index terms, and into the pieces of which an embedder makes vectors.

use heirloom_core::embedding::BagOfWordsEmbedder;
use heirloom_core::recall::{Passage, Slot, for_each_joined_term, for_each_term};
use heirloom_core::word_map::WordMap;
use rustc_hash::FxHashMap;

/// How many words the tokenizer caches before it starts over.
const MAX_CACHED_WORDS: usize = 200_000;

/// The average size of a word and the space behind it, for reserving memory.
const AVERAGE_WORD_BYTES: usize = 5;

/// The ids of terms, which are consecutive numbers from zero.
pub(super) type TermIds = FxHashMap<Box<str>, u32>;

/// Gives ids to terms, and keeps a list of new ones.
#[derive(Default)]
struct TermInterner {
    ids: TermIds,
    /// The terms that were added since the list was last taken, in the order of their ids.
    new: Vec<Box<str>>,
}

impl TermInterner {
    /// Returns the id of a term, and adds the term if it is new.
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

/// Tokenises passages, and caches the result of each word.
pub(crate) struct Tokenizer<'e> {
    /// The embedder, if it builds vectors from words.
    embedder: Option<&'e dyn BagOfWordsEmbedder>,
    terms: TermInterner,
    cache: WordMap<CachedWord>,
    /// The terms of all cached words, concatenated.
    word_terms: Vec<u32>,
    /// The embedder's pieces of all cached words, concatenated.
    word_pieces: Vec<u32>,
}

/// Where the terms and the pieces of a word start and end.
#[derive(Debug, Clone, Copy)]
struct CachedWord {
    terms: (u32, u32),
    pieces: (u32, u32),
}

/// Appends a range of numbers. A loop, since most ranges are empty or hold one number, which
/// `extend_from_slice` is slower for.
#[inline]
fn push_range(to: &mut Vec<u32>, from: &[u32], (start, end): (u32, u32)) {
    for index in start..end {
        to.push(from[index as usize]);
    }
}

/// Calls `take` with each word of a text, and with trailing punctuation apart from its word. This
/// gives the same terms and pieces, but more hits in the cache of words.
#[inline]
fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    for word in text.split_whitespace() {
        let (word, punctuation) = split_punctuation(word);
        take(word);
        punctuation.into_iter().for_each(&mut take);
    }
}

#[inline]
fn split_punctuation(word: &str) -> (&str, Option<&str>) {
    let split = word.len().checked_sub(1).and_then(|index| word.split_at_checked(index));
    let Some((bare, punctuation)) = split else { return (word, None) };
    let is_separate = matches!(punctuation, "." | "," | ";" | ":" | "!" | "?")
        && !bare.is_empty()
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_separate { (bare, Some(punctuation)) } else { (word, None) }
}

/// A chunk of the text of a passage.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'p> {
    /// The text of the chunk.
    pub(crate) text: &'p str,
    /// The passage, whose title and filter terms all its chunks have.
    pub(crate) passage: &'p Passage,
    /// Whether it is the first one, which has the vector of the summary, too.
    pub(crate) is_first: bool,
}

impl Chunk<'_> {
    /// Returns the summary if the chunk has its vector.
    pub(crate) fn summary(&self) -> Option<&str> {
        self.passage.summary.as_deref().filter(|_| self.is_first)
    }
}

/// The terms and pieces of a batch of chunks.
#[derive(Debug, Default)]
pub(crate) struct TokenizedChunks {
    /// The terms of all chunks, concatenated, as ids of the tokenizer.
    pub(super) terms: Vec<u32>,
    /// The terms that are new to the tokenizer, in the order of their ids.
    pub(super) new_terms: Vec<Box<str>>,
    /// The slot of each chunk, and where its terms end.
    pub(super) term_ends: Vec<(Slot, usize)>,
    /// How many terms the text of each chunk has.
    pub(crate) lengths: Vec<u32>,
    pieces: EmbedderPieces,
}

impl TokenizedChunks {
    /// Takes out the pieces for the embedder.
    pub(crate) fn take_pieces(&mut self) -> EmbedderPieces {
        std::mem::take(&mut self.pieces)
    }
}

/// Texts as pieces of the embedder's vocabulary: one text for each vector.
#[derive(Debug, Default)]
pub(crate) struct EmbedderPieces {
    /// The pieces of all texts, concatenated.
    pieces: Vec<u32>,
    /// The slot of each text, and where its pieces end.
    ends: Vec<(Slot, usize)>,
}

impl EmbedderPieces {
    /// Returns how many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the slot and the pieces of each text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (Slot, &[u32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(_, end)| *end));
        starts.zip(&self.ends).map(|(start, (slot, end))| (*slot, &self.pieces[start..*end]))
    }

    fn end_text(&mut self, slot: Slot) {
        self.ends.push((slot, self.pieces.len()));
    }
}

impl<'e> Tokenizer<'e> {
    /// Creates a tokenizer with an empty cache.
    pub(crate) fn new(embedder: Option<&'e dyn BagOfWordsEmbedder>) -> Self {
        Tokenizer {
            embedder,
            terms: TermInterner::default(),
            cache: WordMap::default(),
            word_terms: vec![],
            word_pieces: vec![],
        }
    }

    /// Tokenises chunks of consecutive slots. The words of a title count as further occurrences; filter terms are
    /// indexed as they are. Neither adds to the length of a chunk.
    pub(crate) fn tokenize(&mut self, first: Slot, chunks: &[Chunk<'_>]) -> TokenizedChunks {
        let mut tokenized = TokenizedChunks::default();
        let bytes: usize = chunks.iter().map(|chunk| chunk.text.len()).sum();
        tokenized.terms.reserve(bytes / AVERAGE_WORD_BYTES);
        tokenized.pieces.pieces.reserve(bytes / AVERAGE_WORD_BYTES);
        for (slot, chunk) in (first..).zip(chunks) {
            self.tokenize_chunk(slot, chunk, &mut tokenized);
        }
        tokenized.new_terms = std::mem::take(&mut self.terms.new);
        tokenized
    }

    /// Tokenises plain texts of consecutive slots.
    pub(crate) fn tokenize_texts<'t>(
        &mut self,
        first: Slot,
        texts: impl Iterator<Item = &'t str>,
    ) -> TokenizedChunks {
        let mut tokenized = TokenizedChunks::default();
        for (slot, text) in (first..).zip(texts) {
            self.tokenize_text(slot, text, &mut tokenized);
            tokenized.term_ends.push((slot, tokenized.terms.len()));
        }
        tokenized.new_terms = std::mem::take(&mut self.terms.new);
        tokenized
    }

    fn tokenize_text(&mut self, slot: Slot, text: &str, to: &mut TokenizedChunks) {
        let start = to.terms.len();
        for_each_word(text, |word| {
            let word = self.word(word);
            push_range(&mut to.terms, &self.word_terms, word.terms);
            push_range(&mut to.pieces.pieces, &self.word_pieces, word.pieces);
        });
        to.pieces.end_text(slot);
        to.lengths.push((to.terms.len() - start) as u32);
    }

    fn tokenize_chunk(&mut self, slot: Slot, chunk: &Chunk<'_>, to: &mut TokenizedChunks) {
        self.tokenize_text(slot, chunk.text, to);
        for_each_word(chunk.passage.title.as_deref().unwrap_or_default(), |word| {
            let word = self.word(word);
            push_range(&mut to.terms, &self.word_terms, word.terms);
        });
        if let Some(summary) = chunk.summary() {
            for_each_word(summary, |word| {
                let word = self.word(word);
                push_range(&mut to.pieces.pieces, &self.word_pieces, word.pieces);
            });
            to.pieces.end_text(slot);
        }
        let instructions = chunk.passage.instruction_terms(chunk.text, chunk.is_first);
        to.terms.extend(instructions.map(|term| self.terms.id(&term)));
        to.terms.extend(chunk.passage.filter_terms.iter().map(|term| self.terms.id(term)));
        to.term_ends.push((slot, to.terms.len()));
    }

    /// Returns the terms and pieces of a word, from the cache if it is there.
    fn word(&mut self, word: &str) -> CachedWord {
        if let Some(cached) = self.cache.get(word) {
            return cached;
        }
        if self.cache.len() >= MAX_CACHED_WORDS {
            self.cache = WordMap::default();
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
            embedder.append_token_ids(word, &mut self.word_pieces);
        }
        let cached = CachedWord {
            terms: (first_term as u32, self.word_terms.len() as u32),
            pieces: (first_piece as u32, self.word_pieces.len() as u32),
        };
        self.cache.insert(word, cached);
        cached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes an ASCII word as its length, and any other character as its code point.
    struct LengthPieces;

    impl BagOfWordsEmbedder for LengthPieces {
        fn append_token_ids(&self, word: &str, pieces: &mut Vec<u32>) {
            for part in word.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
                let bare = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
                pieces.extend((!bare.is_empty()).then_some(bare.len() as u32));
                pieces.extend(part[bare.len()..].chars().map(|c| 1000 + c as u32));
            }
        }

        fn write_vector(&self, _: &[u32], _: &mut [f32]) {}
    }

    #[test]
    fn splitting_punctuation_changes_neither_terms_nor_pieces() {
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
            let tokenize = |words: &[&str]| {
                let mut tokenizer = Tokenizer::new(Some(&LengthPieces));
                let (mut terms, mut pieces) = (vec![], vec![]);
                for word in words {
                    let cached = tokenizer.word(word);
                    push_range(&mut terms, &tokenizer.word_terms, cached.terms);
                    push_range(&mut pieces, &tokenizer.word_pieces, cached.pieces);
                }
                (terms, tokenizer.terms.new, pieces)
            };
            let mut parts = vec![];
            for_each_word(word, |part| parts.push(part.to_owned()));
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            assert_eq!(tokenize(&parts), tokenize(&[word]), "{word}");
        }
    }
}
