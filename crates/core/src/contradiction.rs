//! Recognises two texts that may contradict each other.
//!
//! [`judge_pair`] compares two statements by rules and says how likely they contradict each other, why, and how certain that
//! is. [`ReadText::may_contradict`] excludes pairs without judging them. [`find_contradiction`] is a quick search for two sentences of
//! which one is negated, or that state different numbers. [`CandidateFinder`] finds the pairs among many memories that are worth
//! judging, [`NamedThings`] learns from them which words name different things, and [`shorten_common_name`] prepares a pair for
//! a model.

mod alignment;
mod antonyms;
mod candidates;
mod circumstances;
mod common_name;
mod compare_quantities;
mod comparison;
mod cues;
mod differences;
mod features;
mod find;
mod finding;
mod groups;
mod judge;
mod keys;
mod modality;
mod model;
mod named_things;
mod number;
mod number_words;
mod phrases;
mod polarity;
mod quantity;
mod sentences;
mod statement;
#[cfg(test)]
mod tests;
mod thresholds;
mod token;
mod unit;
mod verdict;

pub use candidates::{CandidateFinder, CandidatePair, Candidates, compared_sentences};
pub use common_name::shorten_common_name;
pub use find::{Contradiction, find_contradiction};
pub use judge::{ReadText, judge_pair, judge_texts, named_features, rules_version};
pub use model::log_odds_of;
pub use named_things::{NamedThings, NamesOfSentence};
pub use thresholds::{Thresholds, handicap};
pub use verdict::{Certainty, FindingKind, Verdict};
