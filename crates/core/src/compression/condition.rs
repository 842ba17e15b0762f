//! Recognises conditions, without which a statement would say more than its author meant.

use super::essential::{bare_word, lower_case};
use crate::word_list::WordList;

/// Words that begin a condition, sorted.
static CONDITIONS: WordList = WordList::new(&[
    "after",
    "assuming",
    "before",
    "despite",
    "during",
    "except",
    "excluding",
    "if",
    "once",
    "only",
    "otherwise",
    "provided",
    "till",
    "unless",
    "until",
    "when",
    "whenever",
    "where",
    "wherever",
    "while",
    "without",
]);

/// Words that begin a sentence which limits the one before it, sorted.
static EXCEPTIONS: WordList = WordList::new(&[
    "but",
    "except",
    "exception",
    "exceptions",
    "however",
    "only",
    "otherwise",
    "unless",
    "until",
]);

/// Returns where the first condition of a sentence begins, as a byte offset.
pub(super) fn find_condition(sentence: &str) -> Option<usize> {
    let offset = |word: &str| word.as_ptr() as usize - sentence.as_ptr() as usize;
    let condition = sentence.split_whitespace().find(|word| is_among(word, &CONDITIONS));
    condition.map(offset)
}

/// Returns whether a sentence limits the one before it.
pub(super) fn begins_with_exception(sentence: &str) -> bool {
    sentence.split_whitespace().next().is_some_and(|word| is_among(word, &EXCEPTIONS))
}

fn is_among(word: &str, words: &WordList) -> bool {
    words.contains(&lower_case(bare_word(word)))
}
