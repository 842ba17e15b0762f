//! Finds the earlier statements that a later message withdraws, lifts or revises.

use std::collections::{HashMap, HashSet};

use super::conversation::Message;
use super::statement::term_set;
use crate::phrase::FoldedSentence;

/// Phrases after which a rule or a decision is named that no longer holds.
const WITHDRAWALS: &[&str] = &[
    "forget the",
    "forget about the",
    "forget about",
    "forget what i said about",
    "forget my",
    "scrap the",
    "scrap",
    "drop the",
    "lift the",
    "ignore the",
    "ignore what i said about",
    "ignore my",
    "never mind the",
    "never mind about",
    "not the",
    "no longer need",
    "no need for the",
    "undo the",
    "revert the",
    "back out the",
    "take back",
    "without the",
    "get rid of the",
    "throw out the",
    "skip the",
    "don't need the",
    "let's not do the",
    "let's not use",
    "not doing the",
    "instead of the",
    "rather than the",
    "kill the",
    "strike the",
    "cancel the",
    "drop",
    "forget",
    "leave the",
    "give up the",
    "give up",
    "ditch the",
    "ditch",
    "remove the",
    "undo",
    "no more",
];

/// Phrases that withdraw what was said last.
const WITHDRAWALS_OF_LAST: &[&str] = &[
    "scrap that",
    "forget that",
    "forget it",
    "strike that",
    "scratch that",
    "never mind that",
    "ignore that",
    "take that back",
];

/// Phrases of a statement that changes an earlier one on the same subject.
const REVISIONS: &[&str] = &[
    "actually",
    "after all",
    "anymore",
    "any more",
    "back to",
    "change of plan",
    "changed my mind",
    "instead",
    "no longer",
    "on second thought",
    "other way",
    "so not",
    "was wrong",
];

/// Phrases of a statement that lifts or narrows an instruction on the same subject.
const PERMISSIONS: &[&str] = &[
    "allowed",
    "are fine",
    "are ok",
    "except",
    "feel free",
    "is fine",
    "is free",
    "is ok",
    "it's fine to",
    "it's ok to",
    "no need to",
    "unless",
    "whenever you",
    "without asking",
    "you can",
    "you may",
    "open for changes",
];

/// Phrases of a new rule, which may be a new version of an earlier one.
const NEW_RULES: &[&str] = &["from here on", "from now", "from now on", "going forward"];

/// Phrases that change what was decided last.
const CHANGES_OF_PLAN: &[&str] =
    &["change of plan", "change of plans", "on second thought", "plans changed", "scratch that"];

/// Phrases with which a message announces that it changes what was said before.
const ANNOUNCED_REVISIONS: &[&str] = &[
    "change of plan",
    "change of plans",
    "changed my mind",
    "correction",
    "have to correct",
    "on second thought",
    "plans changed",
    "scratch that",
    "what i said about",
    "what we said about",
    "what i told you",
];

/// Phrases before which something is named that no longer holds: "adaptive is out".
const ENDINGS: &[&str] =
    &["are gone", "are out", "is dead", "is gone", "is off the table", "is out", "is over"];

/// Words that name a statement without saying what it is about.
const PLACEHOLDERS: &[&str] =
    &["thing", "rule", "idea", "stuff", "part", "bit", "one", "whole", "plan", "approach", "way"];

/// Number of words after a withdrawal that name what is withdrawn.
const WITHDRAWAL_OBJECT_WORDS: usize = 5;

/// Terms of conversation, which say nothing about a subject however rare they are.
const CHAT_TERMS: &[&str] = &[
    "again", "all", "also", "alwai", "anyth", "ask", "back", "befor", "chang", "els", "everyth",
    "fine", "from", "get", "give", "go", "good", "know", "let", "like", "look", "make", "mayb",
    "mean", "more", "need", "never", "new", "now", "ok", "okai", "one", "onli", "pleas", "pls",
    "put", "right", "said", "sai", "someth", "start", "still", "take", "tell", "thing", "think",
    "time", "todai", "us", "use", "user", "wai", "want", "without", "work", "ye", "yes",
];

/// Similarity from which a revision concerns an earlier statement.
const MIN_REVISION_SIMILARITY: f64 = 0.12;

/// Similarity from which a new rule is a version of an earlier one.
const MIN_NEW_RULE_SIMILARITY: f64 = 0.3;

/// Weight of the common terms from which two statements have the same subject: one rare term or two that are less rare.
const MIN_SUBJECT_WEIGHT: f64 = 2.5;

/// Number of messages that a conversation is taken to have at least, so that the terms of a short one have weight.
const MIN_MESSAGES: usize = 40;

/// How much a term says about a statement's subject: the logarithm of its inverse frequency among the messages.
pub(in crate::transcript) struct TermWeights {
    message_count: usize,
    /// The number of messages that contain a term.
    frequencies: HashMap<String, usize>,
}

impl TermWeights {
    /// Counts the terms of messages.
    pub(in crate::transcript) fn of<'t>(messages: impl Iterator<Item = &'t str>) -> Self {
        let mut weights = TermWeights { message_count: 0, frequencies: HashMap::new() };
        for message in messages {
            weights.message_count += 1;
            for term in term_set(message) {
                *weights.frequencies.entry(term).or_default() += 1;
            }
        }
        weights
    }

    fn weight(&self, term: &str) -> f64 {
        if CHAT_TERMS.contains(&term) {
            return 0.0;
        }
        let frequency = self.frequencies.get(term).copied().unwrap_or(1).max(1);
        ((1 + self.message_count.max(MIN_MESSAGES)) as f64 / frequency as f64).ln()
    }

    fn sum<'t>(&self, terms: impl Iterator<Item = &'t String>) -> f64 {
        terms.map(|term| self.weight(term)).sum()
    }

    /// Returns the share of weight that two texts have in common, of the lighter one.
    pub(in crate::transcript) fn similarity(&self, a: &str, b: &str) -> f64 {
        let (a, b) = (term_set(a), term_set(b));
        let smaller = self.sum(a.iter()).min(self.sum(b.iter()));
        if smaller > 0.0 { self.sum(a.intersection(&b)) / smaller } else { 0.0 }
    }

    /// Returns the indexes of the earlier statements that a message takes back: those that its sentences take back, and,
    /// if it announces a change, the one that is most similar to the message.
    pub(in crate::transcript) fn taken_back_by(
        &self,
        message: &Message<'_>,
        earlier: &[&str],
        change: Change,
    ) -> Vec<usize> {
        let sentences: Vec<&str> = message.sentences().collect();
        let named =
            sentences.iter().flat_map(|sentence| self.taken_back(sentence, earlier, change));
        let mut dropped: Vec<usize> = named.collect();
        let is_announced = sentences
            .iter()
            .any(|sentence| FoldedSentence::new(sentence).contains_any(ANNOUNCED_REVISIONS));
        if is_announced && dropped.is_empty() {
            let text = sentences.join(" ");
            let last = earlier.len().checked_sub(1);
            let is_of_last = FoldedSentence::new(&text).contains_any(CHANGES_OF_PLAN)
                && change == Change::OfDecision;
            let last =
                last.filter(|last| is_of_last && self.similarity(&text, earlier[*last]) > 0.0);
            dropped = match last {
                Some(last) => vec![last],
                None => self.most_similar(&text, earlier, MIN_REVISION_SIMILARITY),
            };
        }
        dropped
    }

    /// Returns the indexes of the earlier statements that a sentence takes back: those that it names, else the one that
    /// is most similar if the sentence says that something has changed.
    pub(in crate::transcript) fn taken_back(
        &self,
        sentence: &str,
        earlier: &[&str],
        change: Change,
    ) -> Vec<usize> {
        let folded = FoldedSentence::new(sentence);
        let withdrawn = WITHDRAWALS.iter().filter_map(|phrase| object_of(&folded, phrase));
        let ended = ENDINGS.iter().filter_map(|phrase| subject_of(&folded, phrase));
        let objects: Vec<HashSet<String>> =
            withdrawn.chain(ended).map(|object| term_set(&object)).collect();
        let is_named = |text: &str| {
            let terms = term_set(text);
            objects.iter().any(|object| !object.is_empty() && object.is_subset(&terms))
        };
        let named: Vec<usize> = (0..earlier.len()).filter(|at| is_named(earlier[*at])).collect();
        if !named.is_empty() {
            return named;
        }
        let is_permission =
            || folded.contains_any(PERMISSIONS) || folded.words().skip(1).any(|word| word == "ok");
        let is_change =
            folded.contains_any(REVISIONS) || change == Change::OfInstruction && is_permission();
        if is_change {
            self.most_similar(sentence, earlier, MIN_REVISION_SIMILARITY)
        } else if change == Change::OfInstruction && folded.contains_any(NEW_RULES) {
            self.most_similar(sentence, earlier, MIN_NEW_RULE_SIMILARITY)
        } else {
            vec![]
        }
    }

    /// Returns the index of the statement that is most similar to a text, and those that are as similar.
    fn most_similar(&self, text: &str, statements: &[&str], min_similarity: f64) -> Vec<usize> {
        let words = specific_words(text);
        let score = |statement: &str| {
            let names_same = words.intersection(&specific_words(statement)).next().is_some();
            let shared = self.sum(term_set(text).intersection(&term_set(statement)));
            match (names_same, shared >= MIN_SUBJECT_WEIGHT) {
                (true, _) => 1.0 + self.similarity(text, statement),
                (false, true) => self.similarity(text, statement),
                (false, false) => 0.0,
            }
        };
        let scores: Vec<f64> = statements.iter().map(|statement| score(statement)).collect();
        let best = scores.iter().copied().fold(min_similarity, f64::max);
        (0..statements.len()).filter(|at| scores[*at] >= best).collect()
    }
}

/// What a sentence may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transcript) enum Change {
    OfInstruction,
    OfDecision,
}

/// Returns whether a sentence withdraws what was said last, without naming it.
pub(in crate::transcript) fn withdraws_last(sentence: &str) -> bool {
    let folded = FoldedSentence::new(sentence);
    WITHDRAWALS_OF_LAST.iter().any(|phrase| folded.strip_prefix(phrase).is_some())
}

/// Returns the word before a phrase.
fn subject_of(sentence: &FoldedSentence<'_>, phrase: &str) -> Option<String> {
    let words: Vec<&str> = sentence.words().collect();
    let at = position_of(&words, phrase)?;
    let subject = at.checked_sub(1).map(|before| words[before])?;
    (!matches!(subject, "it" | "that" | "this" | "which")).then(|| subject.to_owned())
}

/// Returns the words after a phrase, up to the end of the clause.
fn object_of(sentence: &FoldedSentence<'_>, phrase: &str) -> Option<String> {
    let words: Vec<&str> = sentence.words().collect();
    let after = &words[position_of(&words, phrase)? + phrase.split(' ').count()..];
    if phrase == "leave the"
        && !after.iter().take(WITHDRAWAL_OBJECT_WORDS).any(|word| *word == "out")
    {
        return None;
    }
    let object = after.iter().take(WITHDRAWAL_OBJECT_WORDS);
    let object = object.take_while(|word| {
        !matches!(**word, "," | "and" | "but" | "because" | "so" | "for" | "in" | "out")
    });
    Some(object.filter(|word| !PLACEHOLDERS.contains(word)).copied().collect::<Vec<_>>().join(" "))
}

/// Returns the position of the first word of a phrase.
fn position_of(words: &[&str], phrase: &str) -> Option<usize> {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).position(|window| window == phrase)
}

/// Returns the flags, paths and identifiers of a text: one of them in common means the same thing.
fn specific_words(text: &str) -> HashSet<String> {
    let is_edge = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '/' | '_' | '#');
    let words = text
        .split_whitespace()
        .map(|word| word.trim_matches(is_edge).trim_end_matches('-').to_lowercase());
    let is_specific = |word: &String| {
        word.len() > 2 && (word.starts_with('-') || word.contains(['_', '/', '#', '.']))
    };
    words.filter(is_specific).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EARLIER: &[&str] = &["Never touch the billing schema.", "We keep the retry queue."];

    pub(in crate::transcript) fn taken_back(sentence: &str, change: Change) -> Vec<usize> {
        let messages = EARLIER.iter().copied().chain([sentence]);
        TermWeights::of(messages).taken_back(sentence, EARLIER, change)
    }

    #[test]
    fn a_sentence_takes_back_what_it_names_or_permits() {
        assert_eq!(taken_back("Scrap the retry queue.", Change::OfDecision), [1]);
        assert_eq!(taken_back("The billing schema is fine now.", Change::OfInstruction), [0]);
        assert!(taken_back("The billing schema is fine now.", Change::OfDecision).is_empty());
        assert!(taken_back("The queue is slow.", Change::OfDecision).is_empty());
    }
}
