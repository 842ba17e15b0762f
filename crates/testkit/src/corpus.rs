//! The conformance suite of the trait `Corpus`. The tests of an index call [`check`] with the memories
//! that were added to it.

use std::collections::{BTreeMap, BTreeSet};

use heirloom_core::day;
use heirloom_core::embedding::{
    BagOfWordsEmbedder, EmbedError, Embedder, embed_bag_of_words, normalise,
};
use heirloom_core::recall::{
    AnswerUnit, Corpus, Lexicon, Passage, Posting, Question, Slot, is_question, rank, terms,
};
use jiff::civil::Date;

/// The tolerance for similarities of quantised vectors.
const QUANTISATION_TOLERANCE: f32 = 0.03;

/// A fast embedder for tests that hashes characters: texts with common characters are similar.
#[derive(Debug, Clone, Copy)]
pub struct CharacterEmbedder;

impl CharacterEmbedder {
    const DIMENSIONS: usize = 64;
}

impl Embedder for CharacterEmbedder {
    fn name(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        Self::DIMENSIONS
    }

    fn embed(&self, texts: &[&str], take: &mut dyn FnMut(&[f32])) -> Result<(), EmbedError> {
        embed_bag_of_words(self, Self::DIMENSIONS, texts, take);
        Ok(())
    }

    fn as_bag_of_words(&self) -> Option<&dyn BagOfWordsEmbedder> {
        Some(self)
    }
}

impl BagOfWordsEmbedder for CharacterEmbedder {
    fn append_token_ids(&self, word: &str, pieces: &mut Vec<u32>) {
        pieces.extend(word.chars().map(u32::from));
    }

    fn write_vector(&self, pieces: &[u32], vector: &mut [f32]) {
        vector.fill(0.0);
        for piece in pieces {
            let hash = piece.wrapping_mul(2_654_435_761);
            let sign = if hash & 0x40 == 0 { 1.0 } else { -1.0 };
            vector[(hash >> 8) as usize % Self::DIMENSIONS] += sign;
        }
        normalise(vector);
    }
}

/// Checks an index that contains exactly these memories, all of which pass its filter and are one chunk each.
///
/// # Panics
/// If the index violates the contract of `Corpus`.
pub fn check(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    check_slots(corpus, memories);
    check_terms(corpus, memories);
    check_neighbours(corpus, memories);
    check_similarities(corpus, memories);
    check_ranking(corpus, memories);
}

fn check_slots(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    assert_eq!(corpus.size(), memories.len(), "number of memories");
    assert_eq!(corpus.passage_count(), memories.len(), "number of passages");
    for slot in 0..corpus.slot_bound() as Slot {
        let is_used = memories.contains_key(&slot);
        assert_eq!(
            (corpus.contains(slot), corpus.is_selected(slot)),
            (is_used, is_used),
            "slot {slot}"
        );
    }
    let tie_breaks: BTreeSet<u64> =
        memories.keys().map(|slot| corpus.tie_break_key(*slot)).collect();
    assert_eq!(tie_breaks.len(), memories.len(), "tie-break keys are not unique");
    for (slot, memory) in memories {
        assert!((*slot as usize) < corpus.slot_bound(), "slot {slot}");
        assert_eq!(corpus.is_question(*slot), is_question(&memory.text), "{}", memory.text);
        assert_eq!(corpus.day(*slot), memory.day.map(day::to_number), "{}", memory.name);
        let percent = corpus.confidence(*slot).map(|indexed| (indexed * 100.0).round() as i32);
        let expected = memory.confidence.map(|stated| (stated * 100.0).round() as i32);
        assert_eq!(percent, expected, "{}", memory.name);
    }
}

/// Checks posting lists and the list of terms. The terms of titles and marks count too.
fn check_terms(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let mut expected: BTreeMap<String, BTreeMap<Slot, u32>> = BTreeMap::new();
    for (slot, memory) in memories {
        let title = memory.title.as_deref().unwrap_or_default();
        let memory_terms = terms(&memory.text)
            .into_iter()
            .chain(terms(title))
            .chain(memory.filter_terms.iter().map(ToString::to_string))
            .chain(memory.instruction_terms(&memory.text, true).map(|term| term.to_string()));
        memory_terms
            .for_each(|term| *expected.entry(term).or_default().entry(*slot).or_default() += 1);
    }
    for (term, frequencies) in &expected {
        let mut found = Vec::new();
        corpus.postings(term, &mut found);
        assert!(found.is_sorted_by_key(|posting| posting.slot), "{term:?} is out of order");
        let found: BTreeMap<Slot, u32> =
            found.iter().map(|Posting { slot, count }| (*slot, *count)).collect();
        assert_eq!(found, *frequencies, "postings of {term:?}");
    }
    let mut found = Vec::new();
    corpus.postings("no text has this", &mut found);
    assert_eq!(found, [], "postings of an unknown term");
    check_term_list(corpus, expected.keys());
}

/// Checks that the terms are listed, both by their first character and all at once.
fn check_term_list<'t>(corpus: &impl Corpus, expected: impl Iterator<Item = &'t String> + Clone) {
    let initials: BTreeSet<char> =
        expected.clone().filter_map(|term| term.chars().next()).collect();
    let mut listed = BTreeSet::new();
    for initial in initials {
        corpus.for_each_term(Some(initial), &mut |term| {
            assert!(term.starts_with(initial), "{term:?} does not start with {initial:?}");
            listed.insert(term.to_owned());
        });
    }
    for term in expected {
        assert!(listed.contains(term), "{term:?} is not listed");
    }
    corpus.for_each_term(None, &mut |term| {
        listed.remove(term);
    });
    assert_eq!(listed, BTreeSet::new(), "missing from the list of all terms");
}

/// Checks that the memories of a group are linked in order, and to no other memory.
fn check_neighbours(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let mut groups: BTreeMap<&str, Vec<(i64, &str, Slot)>> = BTreeMap::new();
    for (slot, memory) in memories {
        match memory.group.as_deref() {
            None => assert_eq!((corpus.previous(*slot), corpus.next(*slot)), (None, None)),
            Some(group) => {
                let member = (memory.position, memory.name.as_str(), *slot);
                groups.entry(group).or_default().push(member);
            }
        }
    }
    for members in groups.values_mut() {
        members.sort_unstable();
        let slot_at = |index: Option<usize>| Some(members.get(index?)?.2);
        for (index, (.., slot)) in members.iter().enumerate() {
            assert_eq!(corpus.previous(*slot), slot_at(index.checked_sub(1)), "before {slot}");
            assert_eq!(corpus.next(*slot), slot_at(Some(index + 1)), "after {slot}");
        }
    }
}

fn vector_of(text: &str) -> Vec<f32> {
    CharacterEmbedder.embed_one(text).unwrap_or_default()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Checks that similarities equal the cosines of the vectors, within the tolerance of quantisation.
fn check_similarities(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let slots: Vec<Slot> = memories.keys().copied().collect();
    for (slot, memory) in memories {
        let vector = vector_of(&memory.text);
        let nearness = corpus.cosines(&slots, &vector);
        for ((other, near), other_memory) in slots.iter().zip(nearness).zip(memories.values()) {
            let texts = [Some(&other_memory.text), other_memory.summary.as_ref()];
            let vectors = texts.into_iter().flatten().map(|text| vector_of(text));
            let vectors = vectors.filter(|vector| vector.iter().any(|x| *x != 0.0));
            let expected = vectors.map(|other| cosine(&vector, &other)).reduce(f32::max);
            let expected = expected.unwrap_or_default();
            assert!(
                (near - expected).abs() < QUANTISATION_TOLERANCE,
                "{slot} and {other}: {near}, not {expected}"
            );
            let similarity = corpus.cosine(*slot, *other);
            let reverse = corpus.cosine(*other, *slot);
            let difference = (similarity - reverse).abs();
            assert!(difference < QUANTISATION_TOLERANCE, "{slot} and {other} are not symmetric");
        }
        if vector.iter().any(|x| *x != 0.0) {
            let nearest = corpus.nearest(&vector, slots.len());
            assert!(
                nearest.iter().any(|(near, _)| near == slot),
                "{slot} is not found by its own vector"
            );
            for (other, similarity) in nearest {
                assert!(memories.contains_key(&other), "slot {other} is not used");
                let exact = corpus.cosines(&[other], &vector)[0];
                assert!(
                    similarity.is_none_or(|similarity| similarity == exact),
                    "{other}: {similarity:?}, not {exact}"
                );
            }
            assert!(corpus.nearest(&vector, 2).len() <= 2, "the limit is exceeded");
        }
    }
}

/// A lexicon that contains every word.
#[derive(Debug)]
pub struct UniversalLexicon;

impl Lexicon for UniversalLexicon {
    fn contains(&self, _: &str) -> bool {
        true
    }

    fn for_each_word(&self, _: &mut dyn FnMut(&str)) {}
}

/// Checks that the text of a memory, as a query, finds that memory.
fn check_ranking(corpus: &impl Corpus, memories: &BTreeMap<Slot, Passage>) {
    let today = Date::constant(2026, 2, 22);
    for (slot, memory) in memories {
        let question =
            Question::new(&memory.text, vector_of(&memory.text), today, &UniversalLexicon);
        let answers = rank(corpus, &question, AnswerUnit::Passage, memories.len());
        assert!(answers.is_sorted_by(|a, b| a.score >= b.score), "results are not sorted by score");
        let found: BTreeSet<Slot> = answers.iter().map(|answer| answer.slot).collect();
        assert_eq!(found.len(), answers.len(), "a memory is returned twice");
        assert!(question.terms.is_empty() || found.contains(slot), "{slot} is not found");
    }
}
