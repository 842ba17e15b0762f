//! Excerpts of a text: some of its sentences, whole and in order, with the share of its content that they keep.

use std::collections::{HashMap, HashSet};

use crate::compression::essential_words;
use crate::prose::split_sentences;
use crate::recall::{is_stop_word, terms};

/// What a term adds to the weight of a sentence that states it.
const TERM_WEIGHT: f64 = 1.0;

/// What a name, a number, a negation or an identifier adds besides.
const ESSENTIAL_WEIGHT: f64 = 1.0;

/// What all terms of the question together add.
const QUESTION_WEIGHT: f64 = 6.0;

/// The words that an excerpt costs besides its sentences: the name of a speaker, the source.
const WORDS_AROUND_EXCERPT: f64 = 8.0;

/// The most words of the name before a message.
const MAX_NAME_WORDS: usize = 3;

/// The most excerpts of a text.
const MAX_EXCERPTS: usize = 4;

/// Some sentences of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Excerpt {
    /// The sentences, with a mark where others were left out.
    pub text: String,
    /// The share of the text's content that it keeps, 0 to 1.
    pub share: f64,
}

/// Returns excerpts of a text of several sentences: the best sentence, the best two, and so on. A sentence is better the
/// more it says for its length. `question_terms` are the terms of the question that the text answers, with their weights.
pub fn excerpts(text: &str, question_terms: &HashMap<String, f64>) -> Vec<Excerpt> {
    let (speaker, said) = split_name(text);
    let sentences: Vec<&str> = said.lines().flat_map(split_sentences).collect();
    if sentences.len() < 2 {
        return vec![];
    }
    let weights = sentence_weights(&sentences, question_terms);
    let total: f64 = weights.iter().sum();
    let density = |at: usize| {
        weights[at] / (WORDS_AROUND_EXCERPT + sentences[at].split_whitespace().count() as f64)
    };
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by(|a, b| density(*b).total_cmp(&density(*a)).then_with(|| a.cmp(b)));
    let counts = 1..sentences.len().min(MAX_EXCERPTS + 1);
    counts
        .map(|count| {
            let mut kept = order[..count].to_vec();
            kept.sort_unstable();
            let share = kept.iter().map(|at| weights[*at]).sum::<f64>() / total.max(f64::EPSILON);
            Excerpt { text: join(speaker, &sentences, &kept), share }
        })
        .collect()
}

/// Returns the weight of each sentence. What an earlier sentence states already adds nothing.
fn sentence_weights(sentences: &[&str], question_terms: &HashMap<String, f64>) -> Vec<f64> {
    let all: f64 = question_terms.values().sum();
    let mut seen: HashSet<String> = HashSet::new();
    let mut weight = |sentence: &&str| {
        let mut weight = 0.0;
        for term in terms(sentence) {
            if !is_stop_word(&term) && !seen.contains(&term) {
                let asked = question_terms.get(&term).copied().unwrap_or_default();
                weight += TERM_WEIGHT + QUESTION_WEIGHT * asked / all.max(f64::EPSILON);
                seen.insert(term);
            }
        }
        // The first word has a capital in any case.
        let (_, rest) = sentence.split_once(' ').unwrap_or_default();
        let essential: HashSet<String> = essential_words(rest).collect();
        weight + ESSENTIAL_WEIGHT * essential.len() as f64
    };
    sentences.iter().map(&mut weight).collect()
}

/// Splits off the name that a message begins with, such as `user:` or `Anna Lee:`, which every excerpt keeps.
fn split_name(text: &str) -> (Option<&str>, &str) {
    let is_name = |name: &str| {
        let words = name.split(' ').count();
        words <= MAX_NAME_WORDS && name.chars().all(|c| c.is_alphanumeric() || " -_.'".contains(c))
    };
    match text.split_once(": ") {
        Some((name, said)) if !name.is_empty() && is_name(name) => (Some(name), said),
        _ => (None, text),
    }
}

/// Joins sentences, with a mark where others were left out.
fn join(speaker: Option<&str>, sentences: &[&str], kept: &[usize]) -> String {
    let mut text = speaker.map(|speaker| format!("{speaker}:")).unwrap_or_default();
    let mut previous: Option<usize> = None;
    for &at in kept {
        let is_gap = previous.is_some_and(|previous| previous + 1 < at);
        if !text.is_empty() {
            text.push_str(if is_gap { " … " } else { " " });
        }
        text.push_str(sentences[at]);
        previous = Some(at);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_whole_sentences_in_order_with_the_name_of_the_speaker() {
        let text = "Caroline: Hey Mel! I went to the Lakeside support group on Monday. That was nice. It helped me a lot with the adoption papers.";
        let found = excerpts(text, &HashMap::new());
        let texts: Vec<&str> = found.iter().map(|excerpt| excerpt.text.as_str()).collect();
        assert_eq!(texts[0], "Caroline: I went to the Lakeside support group on Monday.");
        assert!(found.windows(2).all(|pair| pair[0].share < pair[1].share), "{found:?}");
        assert!(found.iter().all(|excerpt| excerpt.share < 1.0));
        for excerpt in &found {
            let (_, said) = split_name(&excerpt.text);
            assert!(said.split(" … ").all(|part| text.contains(part)), "{said}");
        }
    }

    #[test]
    fn the_terms_of_the_question_decide_between_sentences() {
        let text = "The ledger rounds half to even. The queue is drained at night.";
        let asked = |word: &str| HashMap::from([(terms(word).remove(0), 1.0)]);
        assert_eq!(excerpts(text, &asked("queue"))[0].text, "The queue is drained at night.");
        assert_eq!(excerpts(text, &asked("ledger"))[0].text, "The ledger rounds half to even.");
    }

    #[test]
    fn a_text_of_one_sentence_has_no_excerpt() {
        assert!(excerpts("Only one sentence.", &HashMap::new()).is_empty());
        assert!(excerpts("", &HashMap::new()).is_empty());
    }
}
