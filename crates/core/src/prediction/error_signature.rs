//! What distinguishes an error message: its codes, names and words, without what differs from run to run.

use std::collections::{BTreeMap, BTreeSet};

use super::identifiers::has_several_words;
use crate::recall::terms;
use crate::words::has_word;

/// The part of a message that is read, from its beginning.
const MAX_ERROR_BYTES: usize = 20_000;

/// Maximum number of names and of words that are kept: a stack trace has more than are needed.
const MAX_NAMES: usize = 40;
const MAX_WORDS: usize = 60;

/// The least number of shared words, and the least share of all words, if no code or name is shared.
const MIN_SHARED_WORDS: usize = 2;
const MIN_WORD_SHARE: f64 = 0.4;

/// How much more a code or a name counts than a word.
const NAME_WEIGHT: f64 = 2.0;

/// Words of most error messages, which distinguish none.
const GENERIC_WORDS: [&str; 60] = [
    "error",
    "errors",
    "fail",
    "failed",
    "fails",
    "failure",
    "failing",
    "cannot",
    "can",
    "could",
    "unable",
    "exception",
    "panic",
    "panicked",
    "thread",
    "main",
    "line",
    "file",
    "column",
    "expected",
    "unexpected",
    "found",
    "invalid",
    "undefined",
    "null",
    "none",
    "nil",
    "traceback",
    "most",
    "recent",
    "call",
    "last",
    "warning",
    "fatal",
    "caused",
    "cause",
    "reason",
    "backtrace",
    "stack",
    "trace",
    "note",
    "help",
    "run",
    "running",
    "process",
    "exit",
    "exited",
    "code",
    "status",
    "module",
    "function",
    "object",
    "type",
    "value",
    "got",
    "has",
    "was",
    "while",
    "when",
    "try",
];

/// Names of errors that any program may report.
const GENERIC_NAMES: [&str; 18] = [
    "TypeError",
    "ValueError",
    "RuntimeError",
    "AssertionError",
    "KeyError",
    "AttributeError",
    "IndexError",
    "ImportError",
    "ModuleNotFoundError",
    "FileNotFoundError",
    "SyntaxError",
    "ReferenceError",
    "RangeError",
    "NullPointerException",
    "IllegalArgumentException",
    "IllegalStateException",
    "RuntimeException",
    "RUST_BACKTRACE",
];

/// What distinguishes an error message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorSignature {
    /// Codes and names, as they are written.
    names: Vec<String>,
    /// Its other words by their stems, without generic ones.
    words: BTreeMap<String, String>,
    /// The paths that it names, without line numbers.
    paths: Vec<String>,
}

/// What a text has in common with an error message.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedSignature {
    /// The codes and names that both have.
    pub names: Vec<String>,
    /// The words that both have, as the message has them.
    pub words: Vec<String>,
    /// How much of the message that is, 0 to 1.
    pub share: f64,
}

impl ErrorSignature {
    /// Reads an error message. Paths, line numbers, addresses, numbers, ids and times are left out.
    pub fn of(message: &str) -> Self {
        let message = &message[..message.floor_char_boundary(MAX_ERROR_BYTES)];
        let mut signature = ErrorSignature::default();
        for token in message.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;=|".contains(c)) {
            signature.add_token(token.trim_matches(['.', ':', '!', '?', '*', '-']));
        }
        signature
    }

    /// Returns the paths that it names, without line numbers.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Returns its names and words as a text to search for.
    pub fn query(&self) -> String {
        let all = self.names.iter().chain(self.words.values());
        all.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Returns what a text has in common with it; `None` if that is too little: no code or name, and no two words.
    pub fn shared_with(&self, text: &str) -> Option<SharedSignature> {
        let names: Vec<String> =
            self.names.iter().filter(|name| has_word(text, name)).cloned().collect();
        let terms: BTreeSet<String> = terms(text).into_iter().collect();
        let shared = self.words.iter().filter(|(stem, _)| terms.contains(*stem));
        let words: Vec<String> = shared.map(|(_, word)| word.clone()).collect();
        let word_share = words.len() as f64 / self.words.len().max(1) as f64;
        if names.is_empty() && (words.len() < MIN_SHARED_WORDS || word_share < MIN_WORD_SHARE) {
            return None;
        }
        let weight = |names: usize, words: usize| NAME_WEIGHT * names as f64 + words as f64;
        let share =
            weight(names.len(), words.len()) / weight(self.names.len(), self.words.len()).max(1.0);
        Some(SharedSignature { names, words, share })
    }

    fn add_token(&mut self, token: &str) {
        let token = strip_position(token);
        if token.contains("://") || is_variable(token) {
            return;
        }
        if is_path(token) {
            let path = token.replace('\\', "/");
            if self.paths.len() < MAX_NAMES && !self.paths.contains(&path) {
                self.paths.push(path);
            }
            return;
        }
        for part in token.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))) {
            self.add_part(part.trim_matches(['-', '_']));
        }
    }

    fn add_part(&mut self, part: &str) {
        if part.len() < 3 || is_variable(part) {
            return;
        }
        let is_generic = GENERIC_NAMES.contains(&part);
        if !is_generic && (is_code(part) || is_name(part)) {
            if self.names.len() < MAX_NAMES && !self.names.iter().any(|name| name == part) {
                self.names.push(part.to_owned());
            }
            return;
        }
        for word in part.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase) {
            if word.len() >= 3 && !GENERIC_WORDS.contains(&word.as_str()) && !is_generic {
                let room = MAX_WORDS.saturating_sub(self.words.len());
                for stem in terms(&word).into_iter().take(room) {
                    self.words.entry(stem).or_insert_with(|| word.clone());
                }
            }
        }
    }
}

/// Removes the line and the column after a path: `a.rs:12:5`.
fn strip_position(mut token: &str) -> &str {
    while let Some((start, digits)) = token.rsplit_once(':')
        && !start.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        token = start;
    }
    token
}

/// Returns whether a token is a number, an address, a hash, an id or a time, which differ from run to run.
fn is_variable(token: &str) -> bool {
    let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
    let is_hexadecimal = |byte: u8| byte.is_ascii_hexdigit() || b":.-+_TZxX/%".contains(&byte);
    has_digit && !is_code(token) && token.bytes().all(is_hexadecimal)
}

/// Returns whether a token is a code such as `E0382`, `TS2345` or `ORA-00942`.
fn is_code(token: &str) -> bool {
    let letters = token.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = &token[letters..];
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    (1..=6).contains(&letters)
        && (3..=6).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a token is a name that people would search for: several words in one, or capitals such as
/// `ECONNREFUSED`.
fn is_name(token: &str) -> bool {
    let is_capital = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    has_several_words(token) && !token.contains('-')
        || token.len() >= 6 && token.bytes().all(is_capital)
}

/// Returns whether a token is a path of a file: it has a folder and a name, or a name with an extension of letters.
fn is_path(token: &str) -> bool {
    let last = token.rsplit(['/', '\\']).next().unwrap_or(token);
    let has_extension = last.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    let is_plain = |c: char| c.is_alphanumeric() || "/\\._-@+:~$".contains(c);
    has_extension && token.chars().all(is_plain) && !token.contains("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_left_out() {
        let signature = |time: &str, address: &str, line: &str| {
            ErrorSignature::of(&format!(
                "{time} thread 'main' panicked at /build/src/cart.rs:{line}: error[E0382]: borrow of moved value `order_total` at {address}"
            ))
        };
        let one = signature("2026-01-02T10:11:12.345Z", "0x7ffe12ab", "12:5");
        assert_eq!(one, signature("2025-11-30T01:02:03Z", "0x55d0ff00", "340:17"));
        assert_eq!(one.names, ["E0382", "order_total"]);
        assert_eq!(one.paths(), ["/build/src/cart.rs"]);
    }

    #[test]
    fn a_code_or_a_name_is_enough_and_a_word_is_not() {
        let signature = ErrorSignature::of("error[E0382]: borrow of moved value");
        assert!(signature.shared_with("Fix E0382 in the cart").is_some());
        assert!(signature.shared_with("Fix E03821 in the cart").is_none());
        let signature = ErrorSignature::of("Error: failed to hydrate");
        assert!(signature.shared_with("Hydrate the page: error failed").is_none());
        let signature = ErrorSignature::of("failed to hydrate the checkout page");
        assert!(signature.shared_with("Hydrates the page without scripts").is_some());
        assert!(signature.shared_with("The build failed with an error").is_none());
        let signature = ErrorSignature::of("connect ECONNREFUSED 127.0.0.1:5432");
        let shared = signature.shared_with("Retry on ECONNREFUSED").unwrap();
        assert_eq!(shared.names, ["ECONNREFUSED"]);
    }

    #[test]
    fn generic_names_of_errors_say_nothing() {
        let signature = ErrorSignature::of("TypeError: undefined is not a function");
        assert!(signature.shared_with("TypeError: null is not an object").is_none());
    }

    #[test]
    fn frames_of_stack_traces_name_files() {
        let python = "Traceback (most recent call last):\n  File \"/srv/app/shop/cart.py\", line 3, in total\n";
        assert_eq!(ErrorSignature::of(python).paths(), ["/srv/app/shop/cart.py"]);
        let java = "at org.shop.Cart.total(Cart.java:42)";
        assert!(ErrorSignature::of(java).paths().contains(&"Cart.java".to_owned()));
        let node = "    at total (file:///srv/src/cart.ts:3:14)\n    at C:\\app\\src\\a.ts:1:2";
        assert!(ErrorSignature::of(node).paths().contains(&"C:/app/src/a.ts".to_owned()));
    }
}
