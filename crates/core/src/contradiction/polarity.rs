//! Reads what a statement denies.

use super::token::Token;
use crate::word_list::WordList;

/// Words that deny, sorted.
static NEGATORS: WordList = WordList::new(&[
    "cannot", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "nowhere",
    "without",
]);

/// Words that say of the words around them that these are not so, sorted.
static DENYING_WORDS: WordList = WordList::new(&[
    "abandoned",
    "absent",
    "avoid",
    "avoided",
    "avoids",
    "ban",
    "banned",
    "barred",
    "blocked",
    "denied",
    "disabled",
    "disallowed",
    "dropped",
    "excluded",
    "fails",
    "forbid",
    "forbidden",
    "forbids",
    "gone",
    "ignored",
    "impossible",
    "lack",
    "lacks",
    "missing",
    "off",
    "omitted",
    "prohibited",
    "refuse",
    "refused",
    "refuses",
    "reject",
    "rejected",
    "rejects",
    "removed",
    "retired",
    "skip",
    "skipped",
    "skips",
    "stopped",
    "unsupported",
    "unused",
]);

/// How many words that say something a denial covers at most.
const DENIED_MAX_WORDS: usize = 4;

/// What a statement denies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Polarity {
    /// Whether each word is denied: it follows a negation closely.
    pub(super) is_denied: Vec<bool>,
    /// Whether each word is in a clause that is denied as a whole.
    pub(super) is_in_denied_clause: Vec<bool>,
    /// How many words deny.
    pub(super) negators: usize,
    /// How many other words say that something is not so: `disabled`, `forbidden`.
    pub(super) denying_words: usize,
}

impl Polarity {
    /// Reads the denials of a statement.
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut is_denied = vec![false; tokens.len()];
        let mut clause_denials = vec![0usize; tokens.last().map_or(0, |last| last.clause + 1)];
        let (mut negators, mut denying_words) = (0, 0);
        for (at, token) in tokens.iter().enumerate() {
            if is_negator(tokens, at) {
                negators += 1;
                clause_denials[token.clause] += 1;
                let after = tokens.iter().enumerate().skip(at + 1);
                let in_clause = after.take_while(|(_, word)| word.clause == token.clause);
                let denied = in_clause.filter(|(_, word)| word.is_content());
                for (index, _) in denied.take(DENIED_MAX_WORDS) {
                    is_denied[index] = !is_denied[index];
                }
            } else if DENYING_WORDS.contains(&token.lower) {
                denying_words += 1;
                clause_denials[token.clause] += 1;
            }
        }
        let is_in_denied_clause =
            tokens.iter().map(|token| clause_denials[token.clause] % 2 == 1).collect();
        Polarity { is_denied, is_in_denied_clause, negators, denying_words }
    }

    /// Returns whether the statement as a whole is denied.
    pub(super) fn is_odd(&self) -> bool {
        (self.negators + self.denying_words) % 2 == 1
    }
}

/// Returns whether a word denies. `no more than`, `not only` and `no later than` limit instead.
pub(super) fn is_negator(tokens: &[Token<'_>], at: usize) -> bool {
    let word = tokens[at].lower.as_str();
    let next = tokens.get(at + 1).map_or("", |token| token.lower.as_str());
    let is_limit = matches!(word, "no" | "not" | "never")
        && matches!(
            next,
            "more" | "fewer" | "less" | "later" | "longer" | "only" | "older" | "matter"
        )
        && (next == "only"
            || next == "matter"
            || tokens.get(at + 2).is_some_and(|token| token.lower == "than"));
    (NEGATORS.contains(word) || word.ends_with("n't")) && !is_limit
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn denied(text: &str) -> Vec<String> {
        let tokens = tokens(text);
        let polarity = Polarity::of(&tokens);
        let words = tokens.iter().zip(&polarity.is_denied).filter(|(_, is_denied)| **is_denied);
        words.map(|(token, _)| token.lower.clone()).collect()
    }

    #[test]
    fn a_negation_covers_the_words_after_it() {
        assert_eq!(denied("Do not cache builds, cache tests"), ["cache", "builds"]);
        assert_eq!(denied("No more than five users"), [""; 0]);
        assert_eq!(denied("The cache isn't used in CI"), ["used", "ci"]);
        assert!(Polarity::of(&tokens("The cache is disabled")).is_odd());
    }
}
