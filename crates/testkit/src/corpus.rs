//! What every index promises of the memories that it holds. Whoever writes another one calls
//! [`check`] with what it was given.

use std::collections::{BTreeMap, BTreeSet};

use heirloom_core::day;
use heirloom_core::embedding::{ByWords, EmbedError, Embedder, embed_by_words, normalise};
use heirloom_core::recall::{Corpus, Lexicon, Passage, Posting, Question, Slot, asks, rank, terms};
use jiff::civil::Date;

/// How far two numbers may be from each other that are kept in few bytes.
const COARSE: f32 = 0.03;

/// An embedder that is quick and knows nothing: what two texts share makes them near.
#[derive(Debug, Clone, Copy)]
pub struct Letters;

impl Letters {
    const DIMENSIONS: usize = 64;
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        Self::DIMENSIONS
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        embed_by_words(self, Self::DIMENSIONS, texts, take);
        Ok(())
    }

    fn by_words(&self) -> Option<&dyn ByWords> {
        Some(self)
    }
}

impl ByWords for Letters {
    fn add_pieces(&self, word: &str, pieces: &mut Vec<u32>) {
        pieces.extend(word.chars().map(u32::from));
    }

    fn write_vector(&self, pieces: &[u32], vector: &mut [f32]) {
        vector.fill(0.0);
        for piece in pieces {
            let mixed = piece.wrapping_mul(2_654_435_761);
            let sign = if mixed & 0x40 == 0 { 1.0 } else { -1.0 };
            vector[(mixed >> 8) as usize % Self::DIMENSIONS] += sign;
        }
        normalise(vector);
    }
}

/// Checks what an index says of memories that are all there and all wanted.
///
/// # Panics
/// Where a promise is broken.
pub fn check(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    check_slots(corpus, memories);
    check_terms(corpus, memories);
    check_neighbours(corpus, memories);
    check_meanings(corpus, memories);
    check_answers(corpus, memories);
}

fn check_slots(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    assert_eq!(corpus.size(), memories.len(), "how many there are");
    for slot in 0..corpus.slots() as Slot {
        let is_there = memories.contains_key(&slot);
        assert_eq!(
            (corpus.holds(slot), corpus.is_wanted(slot)),
            (is_there, is_there),
            "slot {slot}"
        );
    }
    let ties: BTreeSet<u64> = memories.keys().map(|slot| corpus.tie(*slot)).collect();
    assert_eq!(ties.len(), memories.len(), "nothing decides between some");
    for (slot, memory) in memories {
        assert!((*slot as usize) < corpus.slots(), "slot {slot}");
        assert_eq!(corpus.asks(*slot), asks(&memory.text), "{}", memory.text);
        assert_eq!(corpus.day(*slot), memory.day.map(day::number), "{}", memory.name);
        let sure = corpus.confidence(*slot).map(|sure| (sure * 100.0).round() as i32);
        assert_eq!(sure, memory.confidence.map(|sure| (sure * 100.0).round() as i32));
    }
}

/// Who holds which term, and how often: title and marks count too.
fn check_terms(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let mut held: BTreeMap<String, BTreeMap<Slot, u32>> = BTreeMap::new();
    for (slot, memory) in memories {
        let title = memory.title.as_deref().unwrap_or_default();
        let own = terms(&memory.text)
            .into_iter()
            .chain(terms(title))
            .chain(memory.marks.iter().map(ToString::to_string));
        own.for_each(|term| *held.entry(term).or_default().entry(*slot).or_default() += 1);
    }
    for (term, holders) in &held {
        let mut found = Vec::new();
        corpus.postings(term, &mut found);
        assert!(found.is_sorted_by_key(|posting| posting.slot), "{term:?} is out of order");
        let found: BTreeMap<Slot, u32> =
            found.iter().map(|Posting { slot, count }| (*slot, *count)).collect();
        assert_eq!(found, *holders, "who holds {term:?}");
    }
    let mut nobody = Vec::new();
    corpus.postings("no text has this", &mut nobody);
    assert_eq!(nobody, [], "a term that nobody holds");
    let firsts: BTreeSet<char> = held.keys().filter_map(|term| term.chars().next()).collect();
    let mut given = BTreeSet::new();
    for first in firsts {
        corpus.each_term(Some(first), &mut |term| {
            assert!(term.starts_with(first), "{term:?} does not start with {first:?}");
            given.insert(term.to_owned());
        });
    }
    for term in held.keys() {
        assert!(given.contains(term), "{term:?} is not given");
    }
    corpus.each_term(None, &mut |term| {
        given.remove(term);
    });
    assert_eq!(given, BTreeSet::new(), "not among all");
}

/// Those of one group follow each other, and nothing else does.
fn check_neighbours(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let mut groups: BTreeMap<&str, Vec<(i64, &str, Slot)>> = BTreeMap::new();
    for (slot, memory) in memories {
        match memory.group.as_deref() {
            None => assert_eq!((corpus.before(*slot), corpus.after(*slot)), (None, None)),
            Some(group) => {
                let member = (memory.position, memory.name.as_str(), *slot);
                groups.entry(group).or_default().push(member);
            }
        }
    }
    for members in groups.values_mut() {
        members.sort_unstable();
        let slot = |at: Option<usize>| at.and_then(|at| members.get(at)).map(|member| member.2);
        for (at, (.., own)) in members.iter().enumerate() {
            assert_eq!(corpus.before(*own), slot(at.checked_sub(1)), "before {own}");
            assert_eq!(corpus.after(*own), slot(Some(at + 1)), "after {own}");
        }
    }
}

fn vector_of(text: &str) -> Vec<f32> {
    Letters.embed_one(text).unwrap_or_default()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Meanings are as near as those of the texts, within what few bytes can tell.
fn check_meanings(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let slots: Vec<Slot> = memories.keys().copied().collect();
    for (slot, memory) in memories {
        let vector = vector_of(&memory.text);
        let nearness = corpus.nearness(&slots, &vector);
        for ((other, near), other_memory) in slots.iter().zip(nearness).zip(memories.values()) {
            let texts = [Some(&other_memory.text), other_memory.summary.as_ref()];
            let vectors = texts.into_iter().flatten().map(|text| vector_of(text));
            let vectors = vectors.filter(|vector| vector.iter().any(|x| *x != 0.0));
            let expected = vectors.map(|other| cosine(&vector, &other)).reduce(f32::max);
            let expected = expected.unwrap_or_default();
            assert!((near - expected).abs() < COARSE, "{slot} and {other}: {near}, not {expected}");
            let (there, back) = (corpus.likeness(*slot, *other), corpus.likeness(*other, *slot));
            assert!((there - back).abs() < COARSE, "{slot} and {other} are alike in one way only");
        }
        if vector.iter().any(|x| *x != 0.0) {
            let nearest = corpus.nearest(&vector, slots.len());
            assert!(nearest.iter().any(|(near, _)| near == slot), "{slot} is not near itself");
            for (other, told) in nearest {
                assert!(memories.contains_key(&other), "what is not there");
                let near = corpus.nearness(&[other], &vector)[0];
                assert!(told.is_none_or(|told| told == near), "{other}: {told:?}, not {near}");
            }
            let few = corpus.nearest(&vector, 2);
            assert!(few.len() <= 2, "more than were asked for");
        }
    }
}

/// One to whom everything is a word.
#[derive(Debug)]
pub struct Anything;

impl Lexicon for Anything {
    fn knows(&self, _: &str) -> bool {
        true
    }

    fn each_word(&self, _: &mut dyn FnMut(&str)) {}
}

/// A memory that says what is asked is among those that answer.
fn check_answers(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let today = Date::constant(2026, 2, 22);
    for (slot, memory) in memories {
        let question = Question::new(&memory.text, vector_of(&memory.text), today, &Anything);
        let answers = rank(corpus, &question, memories.len());
        assert!(answers.is_sorted_by(|a, b| a.score >= b.score), "the best is not first");
        let found: BTreeSet<Slot> = answers.iter().map(|answer| answer.slot).collect();
        assert_eq!(found.len(), answers.len(), "one memory answers twice");
        assert!(question.terms.is_empty() || found.contains(slot), "{slot} does not answer");
    }
}
