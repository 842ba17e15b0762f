//! Recognises the words that a shorter form of a text must keep: names, numbers, negations and identifiers.

use std::borrow::Cow;

use crate::recall::is_stop_word;
use crate::word_list::WordList;

/// Words that negate or limit a statement, sorted.
static NEGATIONS: WordList = WordList::new(&[
    "avoid",
    "cannot",
    "except",
    "false",
    "forbidden",
    "instead",
    "neither",
    "never",
    "no",
    "nobody",
    "none",
    "nor",
    "not",
    "nothing",
    "nowhere",
    "only",
    "prohibited",
    "rather",
    "unless",
    "until",
    "without",
]);

/// Returns a key of a word that must be kept, equal for equal words; `None` for any other word.
pub(super) fn essential_key(word: &str) -> Option<String> {
    let bare = bare_word(word);
    // Most words are in small letters, and only a negation among them is essential.
    if bare.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return NEGATIONS.contains(bare).then(|| bare.to_owned());
    }
    let is_essential = is_negation(word) || is_number(bare) || is_identifier(bare) || is_name(bare);
    (is_essential && !bare.is_empty()).then(|| bare.to_lowercase())
}

/// Returns a word without the punctuation around it.
pub(super) fn bare_word(word: &str) -> &str {
    word.trim_matches(|c: char| {
        !c.is_alphanumeric() && !matches!(c, '_' | '$' | '+' | '#' | '/' | '@' | '%')
    })
    .trim_end_matches('/')
}

/// Returns whether a word negates or limits a statement.
pub(crate) fn is_negation(word: &str) -> bool {
    let lower = lower_case(bare_word(word));
    NEGATIONS.contains(&lower) || lower.ends_with("n't") || lower.ends_with("n’t")
}

/// Returns a word in lower case. Most words are so already, and need no new text.
pub(super) fn lower_case(word: &str) -> Cow<'_, str> {
    match word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(word.to_lowercase()),
    }
}

fn is_number(word: &str) -> bool {
    word.contains(|c: char| c.is_numeric())
}

/// Returns whether a word is the name of something in code: it has a mark inside, or capitals after small letters.
fn is_identifier(word: &str) -> bool {
    let inner = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    let has_mark = inner.contains(['_', '/', '.', ':', '@', '=', '(', '#', '\\'])
        || word.starts_with(['_', '$', '@', '/', '#']);
    let has_inner_capital = word.chars().skip(1).any(char::is_uppercase);
    has_mark || has_inner_capital || word.ends_with(['+', '#', '%'])
}

/// Returns whether a word is written like a name. The first word of a sentence is one, too, unless it is a word of grammar.
fn is_name(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase) && !is_stop_word(&lower_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negations_are_recognised() {
        assert!(is_negation("Never") && is_negation("without"));
        assert!(is_negation("Don’t") && is_negation("won't,") && !is_negation("note"));
    }

    #[test]
    fn names_numbers_negations_and_identifiers_are_essential() {
        for word in [
            "PostgreSQL,",
            "(8080)",
            "v1.2",
            "not",
            "Don’t",
            "`schema.ts`",
            "fold_case",
            "C++",
            "50%",
            "src/auth/",
            "Redis",
        ] {
            assert!(essential_key(word).is_some(), "{word}");
        }
        for word in ["The", "database", "is", "—", "", "we", "strongly."] {
            assert!(essential_key(word).is_none(), "{word}");
        }
        assert_eq!(essential_key("(Redis)."), essential_key("redis:").or(Some("redis".into())));
    }
}
