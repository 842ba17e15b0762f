//! Finds the pairs among many memories that are worth judging, without comparing each with each.
//!
//! Two sentences are compared if they share rare words or if their vectors are near. For each memory only the best few of
//! those that were added before it are returned, so that the number of pairs grows with the number of memories and not
//! with its square.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::circumstances::Circumstances;
use super::keys::stated_key;
use crate::embedding::Embedder;
use crate::kernels;
use crate::prose::{paragraphs, split_sentences};
use crate::recall::{is_stop_word, terms};

/// Most sentences of a memory that are compared.
const MAX_SENTENCES: usize = 6;

/// Most bytes of a sentence that are compared. What is longer is data.
const SENTENCE_MAX_BYTES: usize = 2_000;

/// A sentence with fewer words that say something is compared only if the memory has no other.
const MIN_SENTENCE_STEMS: usize = 2;

/// Most occurrences of words that are read to find the sentences that share words with one.
const MAX_POSTINGS_READ: usize = 20_000;

/// How many sentences that share words, and how many with a near vector, are compared exactly.
const MAX_NEIGHBOURS: usize = 24;

/// What the cosine counts beside the share of common words.
const COSINE_WEIGHT: f32 = 0.5;

/// The least likeness of two sentences that are worth judging.
const MIN_LIKENESS: f32 = 0.2;

/// Two memories that are worth judging, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidatePair {
    /// The earlier memory.
    pub a: u32,
    /// The later memory.
    pub b: u32,
    /// How much the most similar sentences of the two have in common, about 0 to 1.5.
    pub likeness: f32,
    /// Which of the [`compared_sentences`] of each memory these are.
    pub sentences: [u16; 2],
    /// Whether these cannot contradict each other, however similar they are: they hold for different circumstances, or state
    /// the values of different keys.
    pub is_apart: bool,
}

/// Collects memories and then finds the pairs that are worth judging.
#[derive(Debug)]
pub struct CandidateFinder {
    /// The number of each stem.
    stem_numbers: HashMap<String, u32>,
    /// The first sentence of each memory.
    first_sentences: Vec<u32>,
    /// The memory of each sentence.
    memories: Vec<u32>,
    /// The stems of all sentences, and where those of each sentence end.
    stems: Vec<u32>,
    stem_ends: Vec<u32>,
    vectors: SentenceVectors,
    circumstances: Circumstances,
    keys: KeysOfSentences,
}

/// The keys that sentences give values.
#[derive(Debug, Default)]
struct KeysOfSentences {
    numbers: HashMap<String, u32>,
    /// The number of the key of each sentence.
    of_sentences: Vec<Option<u32>>,
}

impl KeysOfSentences {
    fn add(&mut self, sentence: &str) {
        let next = self.numbers.len() as u32;
        let key = stated_key(sentence);
        self.of_sentences.push(key.map(|key| *self.numbers.entry(key).or_insert(next)));
    }

    fn differ(&self, a: usize, b: usize) -> bool {
        self.of_sentences[a].zip(self.of_sentences[b]).is_some_and(|(a, b)| a != b)
    }
}

/// The vectors of sentences: a signed byte and a sign bit for each dimension.
#[derive(Debug, Default)]
struct SentenceVectors {
    dimensions: usize,
    values: Vec<u8>,
    scales: Vec<f32>,
    signs: Vec<u8>,
}

/// Memories among which pairs are found.
#[derive(Debug)]
pub struct Candidates {
    first_sentences: Vec<u32>,
    memories: Vec<u32>,
    stems: Vec<u32>,
    stem_ends: Vec<u32>,
    vectors: SentenceVectors,
    circumstances: Circumstances,
    keys: KeysOfSentences,
    /// The weight of each stem: its IDF.
    weights: Vec<f32>,
    /// The square root of the weight of each sentence.
    norms: Vec<f32>,
    /// The sentences with each stem, and where those of each stem end.
    postings: Vec<u32>,
    posting_ends: Vec<u32>,
}

impl CandidateFinder {
    /// Starts without memories, for vectors of an embedder.
    pub fn new(embedder: &dyn Embedder) -> Self {
        CandidateFinder {
            stem_numbers: HashMap::new(),
            first_sentences: vec![],
            memories: vec![],
            stems: vec![],
            stem_ends: vec![],
            vectors: SentenceVectors {
                dimensions: embedder.dimensions(),
                ..SentenceVectors::default()
            },
            circumstances: Circumstances::default(),
            keys: KeysOfSentences::default(),
        }
    }

    /// Adds a memory, which gets the next number.
    pub fn add(&mut self, text: &str, embedder: &dyn Embedder) {
        let number = self.first_sentences.len() as u32;
        self.first_sentences.push(self.memories.len() as u32);
        for sentence in compared_sentences(text) {
            self.add_sentence(number, sentence, embedder);
        }
    }

    fn add_sentence(&mut self, memory: u32, sentence: &str, embedder: &dyn Embedder) {
        let mut seen: HashSet<u32> = HashSet::new();
        for stem in content_stems(sentence) {
            let next = self.stem_numbers.len() as u32;
            let stem_number = *self.stem_numbers.entry(stem).or_insert(next);
            if seen.insert(stem_number) {
                self.stems.push(stem_number);
            }
        }
        self.memories.push(memory);
        self.stem_ends.push(self.stems.len() as u32);
        // A failing embedder leaves words to compare.
        let vector = embedder.embed_one(sentence).unwrap_or_default();
        self.vectors.push(&vector);
        self.circumstances.add(sentence);
        self.keys.add(sentence);
    }

    /// Ends the collection.
    pub fn finish(self) -> Candidates {
        let CandidateFinder {
            first_sentences,
            memories,
            stems,
            stem_ends,
            vectors,
            mut circumstances,
            keys,
            stem_numbers: _,
        } = self;
        circumstances.finish();
        let sentences = memories.len();
        let mut counts = vec![0_u32; self.stem_numbers.len()];
        stems.iter().for_each(|stem| counts[*stem as usize] += 1);
        let weight = |count: &u32| ((sentences as f32 + 1.0) / (*count as f32 + 0.5)).ln();
        let weights: Vec<f32> = counts.iter().map(|count| weight(count).max(0.05)).collect();
        let mut posting_ends: Vec<u32> = Vec::with_capacity(counts.len());
        let mut end = 0;
        for count in &counts {
            posting_ends.push(end);
            end += count;
        }
        let mut postings = vec![0_u32; stems.len()];
        let mut norms = Vec::with_capacity(sentences);
        for sentence in 0..sentences {
            let mut sum = 0.0;
            for stem in &stems[range_before(&stem_ends, sentence)] {
                let next = &mut posting_ends[*stem as usize];
                postings[*next as usize] = sentence as u32;
                *next += 1;
                sum += weights[*stem as usize];
            }
            norms.push(sum.max(f32::EPSILON).sqrt());
        }
        Candidates {
            first_sentences,
            memories,
            stems,
            stem_ends,
            vectors,
            circumstances,
            keys,
            weights,
            norms,
            postings,
            posting_ends,
        }
    }
}

/// Returns the sentences of a memory that are compared with those of others, each up to a limit; the beginning of the text
/// if it is none.
pub fn compared_sentences(text: &str) -> Vec<&str> {
    let sentences = paragraphs(text).into_iter().flat_map(split_sentences).map(shorten);
    let says_something = |sentence: &&str| content_stems(sentence).len() >= MIN_SENTENCE_STEMS;
    let found: Vec<&str> = sentences.filter(says_something).take(MAX_SENTENCES).collect();
    if found.is_empty() { vec![shorten(text)] } else { found }
}

/// Returns the beginning of a sentence.
fn shorten(sentence: &str) -> &str {
    &sentence[..sentence.floor_char_boundary(SENTENCE_MAX_BYTES)]
}

/// Returns the stems of the words of a sentence that say something, without numbers: in these, contradictory sentences
/// differ.
fn content_stems(sentence: &str) -> Vec<String> {
    let is_number = |stem: &str| stem.bytes().all(|byte| byte.is_ascii_digit());
    let stems = terms(sentence).into_iter();
    stems.filter(|stem| !is_stop_word(stem) && !is_number(stem)).collect()
}

/// Returns the range of an item, given where the items end.
fn range_before(ends: &[u32], item: usize) -> Range<usize> {
    let start = item.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[item] as usize
}

impl SentenceVectors {
    fn push(&mut self, vector: &[f32]) {
        let zeros;
        let vector = match vector.len() == self.dimensions {
            true => vector,
            false => {
                zeros = vec![0.0; self.dimensions];
                &zeros
            }
        };
        let scale = kernels::max_abs(vector) / 127.0;
        let inverse_scale = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        kernels::quantise_i8(vector, inverse_scale, &mut self.values);
        self.scales.push(scale);
        let end = self.signs.len() + self.sign_bytes();
        kernels::append_sign_bits(vector, &mut self.signs);
        self.signs.resize(end, 0);
    }

    /// Returns how many bytes the sign bits of a vector take, padded to whole words.
    fn sign_bytes(&self) -> usize {
        self.dimensions.div_ceil(64) * 8
    }

    fn signs(&self, sentence: usize) -> &[u8] {
        &self.signs[sentence * self.sign_bytes()..][..self.sign_bytes()]
    }

    fn values(&self, sentence: usize) -> &[u8] {
        &self.values[sentence * self.dimensions..][..self.dimensions]
    }

    fn cosine(&self, a: usize, b: usize) -> f32 {
        let product = kernels::dot_product_i8(self.values(a), self.values(b)) as f32;
        product * self.scales[a] * self.scales[b]
    }
}

/// What a thread computes the likeness of sentences with.
#[derive(Default)]
struct Scratch {
    /// The weight of the stems that each sentence shares with the one that is compared.
    shared: Vec<f32>,
    /// The sentences that share any.
    touched: Vec<u32>,
    distances: Vec<u8>,
    near: Vec<u32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Candidates {
    /// Returns the number of memories.
    pub fn len(&self) -> usize {
        self.first_sentences.len()
    }

    /// Returns whether there are no memories.
    pub fn is_empty(&self) -> bool {
        self.first_sentences.is_empty()
    }

    /// Returns the best pairs of a memory and one that was added before it, the best one first.
    pub fn before(&self, memory: usize, limit: usize) -> Vec<CandidatePair> {
        let earlier = self.first_sentences[memory] as usize;
        let next = self.first_sentences.get(memory + 1);
        let own = earlier..next.map_or(self.memories.len(), |next| *next as usize);
        let mut best: HashMap<u32, CandidatePair> = HashMap::new();
        SCRATCH.with_borrow_mut(|scratch| {
            for sentence in own {
                self.compare(sentence, earlier, scratch, &mut |other, likeness| {
                    let a = self.memories[other];
                    let first = self.first_sentences[a as usize] as usize;
                    let sentences = [(other - first) as u16, (sentence - earlier) as u16];
                    let is_apart = self.are_apart(sentence, other);
                    let pair = CandidatePair { a, b: memory as u32, likeness, sentences, is_apart };
                    let of_memory = best.entry(a).or_insert(pair);
                    let is_better = match is_apart == of_memory.is_apart {
                        true => likeness > of_memory.likeness,
                        false => !is_apart,
                    };
                    if is_better {
                        *of_memory = pair;
                    }
                });
            }
        });
        let pairs = best.into_values().filter(|pair| pair.likeness >= MIN_LIKENESS);
        let mut pairs: Vec<CandidatePair> = pairs.collect();
        pairs.sort_by(|x, y| y.likeness.total_cmp(&x.likeness).then(x.a.cmp(&y.a)));
        pairs.truncate(limit);
        pairs
    }

    /// Returns whether two sentences hold for different circumstances, or state the values of different keys.
    fn are_apart(&self, a: usize, b: usize) -> bool {
        self.keys.differ(a, b) || self.circumstances.differ(a, b)
    }

    /// Passes the sentences before `earlier` that are most like a sentence to `take`, with their likeness.
    fn compare(
        &self,
        sentence: usize,
        earlier: usize,
        scratch: &mut Scratch,
        take: &mut impl FnMut(usize, f32),
    ) {
        self.find_sharing(sentence, earlier, scratch);
        let Scratch { shared, touched, near, .. } = scratch;
        let likeness_of_words = |other: u32| {
            shared[other as usize] / (self.norms[sentence] * self.norms[other as usize])
        };
        let better = |a: &u32, b: &u32| {
            likeness_of_words(*b).total_cmp(&likeness_of_words(*a)).then(a.cmp(b))
        };
        let mut compared = touched.clone();
        if compared.len() > MAX_NEIGHBOURS {
            compared.select_nth_unstable_by(MAX_NEIGHBOURS, better);
            compared.truncate(MAX_NEIGHBOURS);
        }
        compared.extend_from_slice(near);
        compared.sort_unstable();
        compared.dedup();
        for other in compared {
            let cosine = self.vectors.cosine(sentence, other as usize);
            take(other as usize, likeness_of_words(other) + COSINE_WEIGHT * cosine.max(0.0));
        }
        touched.drain(..).for_each(|other| shared[other as usize] = 0.0);
    }

    /// Finds the sentences before `earlier` that share stems with a sentence, and those with a near vector.
    fn find_sharing(&self, sentence: usize, earlier: usize, scratch: &mut Scratch) {
        let Scratch { shared, touched, distances, near } = scratch;
        shared.resize(shared.len().max(self.memories.len()), 0.0);
        touched.clear();
        near.clear();
        let before = |stem: u32| {
            let all = &self.postings[range_before(&self.posting_ends, stem as usize)];
            &all[..all.partition_point(|other| (*other as usize) < earlier)]
        };
        let mut stems: Vec<u32> = self.stems[range_before(&self.stem_ends, sentence)].to_vec();
        stems.sort_by_key(|stem| before(*stem).len());
        let mut room = MAX_POSTINGS_READ;
        for stem in stems {
            let sentences = before(stem);
            // Of a word that is everywhere, the latest occurrences are read.
            let read = &sentences[sentences.len().saturating_sub(room)..];
            room -= read.len();
            for other in read {
                let sum = &mut shared[*other as usize];
                if *sum == 0.0 {
                    touched.push(*other);
                }
                *sum += self.weights[stem as usize];
            }
        }
        let width = self.vectors.sign_bytes();
        if width == 0 || self.vectors.scales[sentence] == 0.0 {
            return;
        }
        distances.clear();
        let rows = &self.vectors.signs[..earlier * width];
        kernels::hamming_distances(rows, self.vectors.signs(sentence), distances);
        kernels::positions_at_most(distances, nearest_distance(distances), near);
        near.truncate(4 * MAX_NEIGHBOURS);
    }
}

/// Returns a distance that at least [`MAX_NEIGHBOURS`] of all are within, if there are so many.
fn nearest_distance(distances: &[u8]) -> u8 {
    let mut counts = [0_u32; 256];
    distances.iter().for_each(|distance| counts[usize::from(*distance)] += 1);
    let mut sum = 0;
    for (distance, count) in counts.iter().enumerate() {
        sum += *count as usize;
        if sum >= MAX_NEIGHBOURS {
            return distance as u8;
        }
    }
    u8::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::EmbedError;

    /// An embedder that counts letters.
    struct Letters;

    impl Embedder for Letters {
        fn name(&self) -> &str {
            "letters"
        }

        fn dimensions(&self) -> usize {
            64
        }

        fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
            for text in texts {
                let mut vector = vec![-0.1; 64];
                text.bytes().for_each(|byte| vector[usize::from(byte) % 64] += 1.0);
                crate::embedding::normalise(&mut vector);
                take(&vector);
            }
            Ok(())
        }
    }

    fn pairs(texts: &[&str], limit: usize) -> Vec<(u32, u32)> {
        let mut finder = CandidateFinder::new(&Letters);
        texts.iter().for_each(|text| finder.add(text, &Letters));
        let candidates = finder.finish();
        let before = (0..candidates.len()).flat_map(|memory| candidates.before(memory, limit));
        before.map(|pair| (pair.a, pair.b)).collect()
    }

    #[test]
    fn the_most_similar_earlier_memory_comes_first() {
        let texts = [
            "Requests to the billing service time out after 30 seconds.",
            "Images are kept in an object store.",
            "The team meets on Mondays. Requests to billing time out after 60 seconds.",
            "Images live on the local disk.",
        ];
        assert_eq!(pairs(&texts, 1), [(0, 1), (0, 2), (1, 3)]);
    }

    #[test]
    fn texts_without_words_and_empty_texts_are_no_error() {
        assert!(pairs(&[], 3).is_empty());
        pairs(&["", "!!!", "。", "1 2 3", ""], 3);
    }

    #[test]
    fn only_the_beginning_of_a_long_sentence_is_compared() {
        let words: String = (0..40_000).map(|number| format!("wörd{number} ")).collect();
        for text in [words.clone(), words.replace(' ', "")] {
            assert!(compared_sentences(&text).iter().all(|it| it.len() <= SENTENCE_MAX_BYTES));
            pairs(&[&text, &text], 1);
        }
    }

    #[test]
    fn each_memory_has_at_most_so_many_pairs() {
        let texts: Vec<String> =
            (0..60).map(|number| format!("The port of the service is {number}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = pairs(&texts, 4);
        for memory in 0..60 {
            assert_eq!(found.iter().filter(|(_, b)| *b == memory).count(), 4.min(memory as usize));
        }
    }
}
