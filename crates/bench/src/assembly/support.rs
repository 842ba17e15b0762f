//! Support: how much of an answer stands in a context.

use std::collections::HashSet;

use heirloom_core::recall::{is_stop_word, terms};

/// What a context has to contain to support the answer to a question.
pub(crate) struct Support {
    /// The content words and numbers of the answer that the gold documents contain, stemmed.
    wanted: HashSet<String>,
    /// The sentences of the gold documents with their wanted words.
    sentences: Vec<(String, HashSet<String>)>,
}

impl Support {
    /// Prepares the measure; `None` if the gold documents contain no word of the answer.
    pub(crate) fn new(answer: Option<&str>, gold: &[&str]) -> Option<Self> {
        let in_gold: HashSet<String> = gold.iter().flat_map(|text| content_words(text)).collect();
        let mut wanted: HashSet<String> = content_words(answer?).collect();
        wanted.retain(|word| in_gold.contains(word));
        let sentences = gold.iter().flat_map(|text| sentences(text));
        let sentences = sentences.filter_map(|sentence| {
            let words: HashSet<String> =
                content_words(&sentence).filter(|word| wanted.contains(word)).collect();
            (!words.is_empty()).then_some((sentence, words))
        });
        let sentences = sentences.collect();
        (!wanted.is_empty()).then_some(Support { wanted, sentences })
    }

    /// Returns the share of the wanted words that stand in whole sentences of gold documents in a context.
    pub(crate) fn in_context(&self, context: &str) -> f64 {
        let context = one_line(context);
        let contained = self.sentences.iter().filter(|(sentence, _)| context.contains(sentence));
        let found: HashSet<&String> = contained.flat_map(|(_, words)| words).collect();
        found.len() as f64 / self.wanted.len() as f64
    }
}

/// Returns the stems of a text's words without stop words.
fn content_words(text: &str) -> impl Iterator<Item = String> {
    let is_content = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        !bare.is_empty() && !is_stop_word(&bare)
    };
    let words: Vec<String> = text.split_whitespace().filter(is_content).flat_map(terms).collect();
    words.into_iter()
}

/// Splits a text into sentences: at line breaks, and after a full stop, question or exclamation mark before a space.
fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut sentence = String::new();
        for word in line.split_whitespace() {
            if !sentence.is_empty() {
                sentence.push(' ');
            }
            sentence.push_str(word);
            if word.trim_end_matches(['"', ')', '\'', '”', '*']).ends_with(['.', '!', '?']) {
                found.push(std::mem::take(&mut sentence));
            }
        }
        found.push(sentence);
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLD: &str = "Anna: I moved to Lisbon in 2021. The flat is small.\nIt has two rooms.";

    #[test]
    fn only_whole_sentences_of_gold_documents_count() {
        let support = Support::new(Some("Lisbon, in 2021, with two rooms"), &[GOLD]).unwrap();
        assert_eq!(support.in_context("- Anna: I moved to Lisbon in 2021. [a1]"), 0.5);
        assert_eq!(
            support.in_context("x Anna: I moved to Lisbon in 2021. It has\ntwo rooms."),
            1.0
        );
        assert_eq!(support.in_context("Lisbon 2021 two rooms"), 0.0);
    }

    #[test]
    fn an_answer_without_a_word_of_the_gold_documents_is_left_out() {
        assert!(Support::new(Some("Porto"), &[GOLD]).is_none());
        assert!(Support::new(None, &[GOLD]).is_none());
    }
}
