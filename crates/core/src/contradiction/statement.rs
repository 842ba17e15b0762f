//! A statement, read for comparison with others.

use super::cues::{CueSet, cues_of};
use super::groups::{MEMBER_MAX_WORDS, Member, members};
use super::modality::{Modality, Quantifier, modality, quantifier};
use super::polarity::Polarity;
use super::quantity::{Quantity, quantities};
use super::token::{Token, tokens};
use crate::word_list::WordList;

/// The most words of a statement that are read.
pub(super) const STATEMENT_MAX_WORDS: usize = 96;

/// Words that end the subject of a statement, sorted.
pub(super) static VERBS: WordList = WordList::new(&[
    "accept", "add", "allow", "answer", "appear", "apply", "are", "aren't", "ask", "be", "begin",
    "belong", "break", "bring", "build", "call", "can", "can't", "cannot", "carry", "change",
    "check", "choose", "come", "contain", "cost", "could", "count", "cover", "create", "cut",
    "decide", "define", "delete", "deliver", "deploy", "did", "didn't", "do", "does", "doesn't",
    "don't", "drop", "end", "enter", "expire", "fail", "fetch", "find", "follow", "get", "give",
    "go", "had", "has", "hasn't", "have", "haven't", "hold", "include", "is", "isn't", "join",
    "keep", "know", "last", "leave", "let", "lie", "list", "listen", "live", "load", "log", "make",
    "may", "meet", "merge", "mount", "move", "must", "mustn't", "need", "open", "own", "pass",
    "pay", "point", "poll", "print", "produce", "publish", "pull", "push", "put", "raise", "reach",
    "read", "receive", "refuse", "reject", "release", "remove", "render", "replace", "report",
    "request", "require", "restart", "return", "run", "say", "see", "send", "serve", "set",
    "shall", "share", "should", "show", "shut", "sign", "sit", "skip", "speak", "spend", "start",
    "stay", "stop", "store", "support", "take", "tell", "travel", "treat", "trigger", "try",
    "turn", "update", "use", "wait", "was", "wasn't", "went", "were", "weren't", "will", "won't",
    "work", "would", "write",
]);

/// A key with its value: `timeout = 30`, or `the timeout is 30`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyValue {
    /// The word of the key.
    pub(super) key: usize,
    /// The word of the value.
    pub(super) value: usize,
    /// Whether it is written with `=` or `:`.
    pub(super) is_explicit: bool,
}

/// A statement, read for comparison with others.
#[derive(Debug)]
pub(super) struct Statement<'t> {
    /// The statement as it is written.
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Token<'t>>,
    /// The words that say something and belong to no amount.
    pub(super) content: Vec<usize>,
    /// The first word after the subject.
    pub(super) subject_end: usize,
    pub(super) quantities: Vec<Quantity>,
    pub(super) polarity: Polarity,
    pub(super) modality: Modality,
    pub(super) quantifier: Quantifier,
    /// The members of groups with the first word of each.
    pub(super) members: Vec<(Member, usize)>,
    pub(super) key_values: Vec<KeyValue>,
    pub(super) cues: CueSet,
}

impl<'t> Statement<'t> {
    /// Reads a statement.
    pub(super) fn new(text: &'t str) -> Self {
        let mut tokens = tokens(text);
        tokens.truncate(STATEMENT_MAX_WORDS);
        let quantities = quantities(&tokens);
        let is_of_amount = |at: usize| {
            quantities.iter().any(|quantity| (quantity.first..=quantity.last).contains(&at))
        };
        let content = (0..tokens.len()).filter(|at| tokens[*at].is_content() && !is_of_amount(*at));
        Statement {
            text,
            content: content.collect(),
            subject_end: subject_end(&tokens),
            polarity: Polarity::of(&tokens),
            modality: modality(&tokens),
            quantifier: quantifier(&tokens),
            members: find_members(&tokens),
            key_values: find_key_values(text, &tokens),
            cues: cues_of(&tokens),
            quantities,
            tokens,
        }
    }

    /// Returns the stem of a word.
    pub(super) fn stem(&self, at: usize) -> &str {
        &self.tokens[at].stem
    }

    /// Returns the stems of the words that say something.
    pub(super) fn stems(&self) -> impl Iterator<Item = &str> {
        self.content.iter().map(|at| self.stem(*at))
    }

    /// Returns the words that belong to no amount, in lower case.
    pub(super) fn words_without_amounts(&self) -> impl Iterator<Item = &str> {
        let is_of_amount =
            |at: usize| self.quantities.iter().any(|it| (it.first..=it.last).contains(&at));
        let words = self.tokens.iter().enumerate();
        words.filter(move |(at, _)| !is_of_amount(*at)).map(|(_, token)| token.lower.as_str())
    }

    /// Returns whether the statement has a word with a stem.
    pub(super) fn has_stem(&self, stem: &str) -> bool {
        self.tokens.iter().any(|token| token.stem == stem)
    }
}

/// Returns the first word that is probably a verb.
fn subject_end(tokens: &[Token<'_>]) -> usize {
    let is_verb = |at: usize| {
        let token = &tokens[at];
        if !token.is_content() {
            return VERBS.contains(&token.lower) && at > 0;
        }
        if at == 0 || !VERBS.contains(&token.stem) && !VERBS.contains(&token.lower) {
            return false;
        }
        let before = &tokens[at - 1];
        let is_after_pronoun = ["i", "it", "they", "we", "who", "you"].contains(&&*before.lower);
        let is_after_plural = before.is_content() && before.lower.ends_with('s');
        let is_third_person = token.lower.ends_with('s') && !token.lower.ends_with("ss");
        is_after_pronoun
            || is_after_plural && !is_third_person
            || is_third_person && before.is_content() && !is_after_plural
    };
    (0..tokens.len()).find(|at| is_verb(*at)).unwrap_or(0)
}

/// Finds the words and phrases that are members of groups, the longest first.
fn find_members(tokens: &[Token<'_>]) -> Vec<(Member, usize)> {
    let mut found = Vec::new();
    let mut phrase = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let longest = (1..=MEMBER_MAX_WORDS.min(tokens.len() - at)).rev();
        let of_length = longest.map(|length| {
            phrase.clear();
            for token in &tokens[at..at + length] {
                if !phrase.is_empty() {
                    phrase.push(' ');
                }
                phrase.push_str(&token.lower);
            }
            (length, members(&phrase))
        });
        let (length, members) =
            of_length.into_iter().find(|(_, members)| !members.is_empty()).unwrap_or((1, &[]));
        found.extend(members.iter().map(|member| (*member, at)));
        at += length;
    }
    found
}

/// Finds keys with their values.
fn find_key_values(text: &str, tokens: &[Token<'_>]) -> Vec<KeyValue> {
    let mut found = Vec::new();
    for at in 1..tokens.len() {
        let (key, word) = (&tokens[at - 1], &tokens[at]);
        let between = &text[key.end()..word.start];
        let is_sign = between.contains(['=', ':'])
            && between.chars().all(|c| c.is_whitespace() || "=:`\"'".contains(c));
        if is_sign && key.is_content() {
            found.push(KeyValue { key: at - 1, value: at, is_explicit: true });
        } else if matches!(word.lower.as_str(), "=" | "is" | "are") && key.is_content() {
            let is_skipped = |token: &Token<'_>| {
                matches!(
                    token.lower.as_str(),
                    "a" | "an" | "the" | "set" | "to" | "at" | "on" | "in"
                )
            };
            let value = (at + 1..tokens.len().min(at + 4)).find(|next| !is_skipped(&tokens[*next]));
            let value = value.filter(|value| tokens[*value].is_content());
            let is_explicit = word.lower == "=";
            found.extend(value.map(|value| KeyValue { key: at - 1, value, is_explicit }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_found() {
        let pairs = |text: &str| -> Vec<(String, String)> {
            let read = Statement::new(text);
            let word = |at: usize| read.tokens[at].lower.clone();
            read.key_values.iter().map(|pair| (word(pair.key), word(pair.value))).collect()
        };
        let expected = [("timeout".to_owned(), "30".to_owned())];
        for text in ["`timeout = 30`", "timeout: 30", "timeout=30", "The timeout is 30"] {
            assert_eq!(pairs(text), expected, "{text}");
        }
    }

    #[test]
    fn the_subject_ends_before_the_verb() {
        let subject = |text: &str| {
            let read = Statement::new(text);
            read.tokens[..read.subject_end].iter().map(|it| it.lower.clone()).collect::<Vec<_>>()
        };
        assert_eq!(subject("The billing service retries"), [""; 0]);
        assert_eq!(subject("The billing service uses Redis"), ["the", "billing", "service"]);
        assert_eq!(subject("Messages are kept"), ["messages"]);
        assert_eq!(subject("We use Redis"), ["we"]);
    }

    #[test]
    fn phrases_are_members_of_groups() {
        let groups = |text: &str| Statement::new(text).members.len();
        assert_eq!(groups("CI runs on GitHub Actions"), 2);
        assert_eq!(groups("Nothing special"), 0);
    }
}
