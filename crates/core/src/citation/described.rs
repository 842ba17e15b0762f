//! What of a memory is looked for in the work of an agent.

use std::collections::BTreeMap;

use super::InjectedText;
use super::code_names::{is_code, names_in_code, pieces};
use super::common_words::is_function_term;
use super::values::Value;
use crate::recall::{is_stop_word, terms};

/// Shorter terms are not looked for, in bytes.
const MIN_TERM_BYTES: usize = 3;

/// What of a memory is looked for.
#[derive(Debug)]
pub(super) struct Described {
    /// The names in code that it states, in the form for comparison and as written.
    pub(super) names: BTreeMap<String, String>,
    pub(super) values: Vec<Value>,
    /// The terms of its words, each once, without those of names.
    pub(super) words: Vec<String>,
}

impl Described {
    pub(super) fn new(memory: &InjectedText<'_>) -> Self {
        let text = memory.without_id();
        let mut words: Vec<String> = Vec::new();
        for term in pieces(text).filter(|piece| !is_code(piece)).flat_map(terms) {
            let is_word = term.len() >= MIN_TERM_BYTES && term.chars().all(char::is_alphabetic);
            let is_function_word = is_stop_word(&term) || is_function_term(&term);
            if is_word && !is_function_word && !words.contains(&term) {
                words.push(term);
            }
        }
        Described { names: names_in_code(text), values: Value::all_in(text), words }
    }
}
