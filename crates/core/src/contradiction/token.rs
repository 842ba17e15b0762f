//! Splits a statement into words that can be compared.

use crate::compression::is_negation;
use crate::recall::{is_stop_word, part_terms, terms};
use crate::word_list::WordList;

/// Words that end what a negation before them applies to, sorted.
static CLAUSE_STARTS: WordList = WordList::new(&[
    "although", "because", "but", "so", "then", "though", "whereas", "which", "while", "who",
]);

/// A word of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'t> {
    /// The word as it is written, without punctuation around it.
    pub(super) text: &'t str,
    /// The word in lower case.
    pub(super) lower: String,
    /// Its stem; empty for words of grammar.
    pub(super) stem: String,
    /// The stems of its parts if it is a name of several words: `invite_ttl`.
    pub(super) parts: Vec<String>,
    /// Whether it is written like the name of a person, a product or something in code.
    pub(super) is_name: bool,
    /// The number of the clause that it is in.
    pub(super) clause: usize,
    /// Where it starts in the statement.
    pub(super) start: usize,
}

impl Token<'_> {
    /// Returns whether the word says something by itself.
    pub(super) fn is_content(&self) -> bool {
        !self.stem.is_empty()
    }

    /// Returns the end of the word in the statement.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Splits a statement into words.
pub(super) fn tokens(statement: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut clause = 0;
    for piece in statement.split_whitespace() {
        let start = piece.as_ptr() as usize - statement.as_ptr() as usize;
        if piece.starts_with(['(', '—', '–']) || piece == "-" || piece == "--" {
            clause += 1;
        }
        for (offset, word) in words_of(piece) {
            let lower = lower_case(word);
            if CLAUSE_STARTS.contains(&lower) {
                clause += 1;
            }
            let is_first = tokens.is_empty();
            tokens.push(token(word, lower, clause, start + offset, is_first));
        }
        let end = piece.trim_end_matches(['`', '"', '\'', '”', '*']);
        if end.ends_with([',', ';', ':', ')', '.', '!', '?', '—', '–']) {
            clause += 1;
        }
    }
    tokens
}

fn token(text: &str, lower: String, clause: usize, start: usize, is_first: bool) -> Token<'_> {
    let plain = lower.strip_suffix("'s").unwrap_or(&lower);
    let is_grammar =
        is_stop_word(plain) || is_negation(plain) || plain.contains('\'') || is_sign(plain);
    let stem = match is_grammar {
        true => String::new(),
        false => stem_of(plain),
    };
    let is_name = !stem.is_empty() && is_name(text, is_first);
    let has_parts = is_name && !plain.bytes().all(|byte| byte.is_ascii_alphanumeric())
        || text.chars().skip(1).any(char::is_uppercase);
    let parts = if has_parts && !stem.is_empty() { part_terms(text) } else { vec![] };
    Token { text, stem, parts, is_name, clause, start, lower }
}

/// Returns the stem of a word in lower case.
pub(super) fn stem_of(word: &str) -> String {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    match is_plain {
        true => terms(word).into_iter().next().unwrap_or_default(),
        false => word.to_owned(),
    }
}

fn is_sign(word: &str) -> bool {
    !word.contains(char::is_alphanumeric)
}

/// Returns whether a word is written like a name: with a capital, unless it begins the statement, or like something in code.
fn is_name(word: &str, is_first: bool) -> bool {
    let mut chars = word.chars();
    let is_capital = chars.next().is_some_and(char::is_uppercase);
    let has_capital_inside = chars.any(char::is_uppercase);
    let has_letter = word.contains(char::is_alphabetic);
    let inner = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    let has_mark = inner.contains(['_', '/', '.', ':', '@', '='])
        || word.starts_with(['_', '$', '@', '/', '-', '.'])
        || word.ends_with(['+', '#', '/']);
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    has_letter
        && (has_capital_inside
            || has_mark
            || (is_capital && !is_first)
            || (has_digit && word.starts_with(char::is_alphabetic)))
}

/// Returns a word in lower case, with straight apostrophes.
fn lower_case(word: &str) -> String {
    word.to_lowercase().replace('’', "'")
}

/// Splits a piece without spaces into words with their offsets: at hyphens between words, at slashes between plain words,
/// and around `=`.
fn words_of(piece: &str) -> Vec<(usize, &str)> {
    let bare = bare(piece);
    if bare.is_empty() {
        return vec![];
    }
    let offset = bare.as_ptr() as usize - piece.as_ptr() as usize;
    let is_split = |separator: char| {
        bare.contains(separator)
            && bare.split(separator).all(|part| {
                part.chars().all(char::is_alphanumeric) && part.chars().any(char::is_alphabetic)
                    || is_plain_number(part)
            })
            && bare.contains(|c: char| c.is_alphabetic())
    };
    let separators: &[char] = match bare {
        _ if !bare.contains(char::is_alphanumeric) => &[],
        _ if bare.contains('=') && !bare.contains("==") => &['=', '"', '\'', '`'],
        _ if bare.contains(':')
            && !bare.contains("::")
            && !bare.contains("//")
            && is_pair(bare) =>
        {
            &[':', '"', '\'', '`']
        }
        _ if is_split('-') => &['-'],
        _ if is_split('/') && bare.len() > 4 && !bare.contains(|c: char| c.is_ascii_digit()) => {
            &['/']
        }
        _ => &[],
    };
    if separators.is_empty() {
        return if bare.is_empty() { vec![] } else { vec![(offset, bare)] };
    }
    let parts = bare.split(separators).filter(|part| part.contains(char::is_alphanumeric));
    parts.map(|part| (part.as_ptr() as usize - piece.as_ptr() as usize, part)).collect()
}

/// Returns whether a piece is a key with its value: `ttl:30s`, but not `10:30`.
fn is_pair(piece: &str) -> bool {
    piece.split(':').next().is_some_and(|key| key.contains(char::is_alphabetic))
}

fn is_plain_number(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Returns a word without the punctuation around it. Signs that belong to numbers and names stay.
fn bare(piece: &str) -> &str {
    if matches!(piece, "=" | "<" | ">" | "<=" | ">=" | "≥" | "≤" | "%" | "€" | "$" | "£") {
        return piece;
    }
    let word =
        piece.trim_start_matches(|c: char| !c.is_alphanumeric() && !"$€£_@/-+.<>=≥≤%".contains(c));
    let word = word.trim_end_matches(|c: char| !c.is_alphanumeric() && !"%+#_€£$".contains(c));
    if !word.contains(char::is_alphanumeric) {
        return "";
    }
    // A sign before a word is punctuation unless a name follows.
    let rest = word.trim_start_matches(['-', '+', '.']);
    let is_signed_number = rest.starts_with(|c: char| c.is_ascii_digit());
    let is_option = word.starts_with("--") || (word.starts_with('.') && !word.starts_with(".."));
    if is_signed_number || is_option { word } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn pairs_and_joined_words_are_split() {
        assert_eq!(
            words("`timeout=30s`, read/write (24-bit)."),
            ["timeout", "30s", "read", "write", "24", "bit"]
        );
        assert_eq!(
            words("src/auth/login.ts at 10:30 - 5 m/s"),
            ["src/auth/login.ts", "at", "10:30", "5", "m/s"]
        );
        assert_eq!(words("ttl: 24h; --force on .env"), ["ttl", "24h", "--force", "on", ".env"]);
        assert_eq!(words("… — `` \u{1f980}"), [""; 0]);
        assert_eq!(words("a = 5 %"), ["a", "=", "5", "%"]);
    }

    #[test]
    fn words_know_their_place_and_clause() {
        let text = "Use Redis, not the `cache`";
        let tokens = tokens(text);
        let clauses: Vec<usize> = tokens.iter().map(|token| token.clause).collect();
        assert_eq!(clauses, [0, 0, 1, 1, 1]);
        assert!(tokens.iter().all(|token| &text[token.start..token.end()] == token.text));
        assert!(tokens[1].is_name && !tokens[0].is_name && !tokens[2].is_content());
    }
}
