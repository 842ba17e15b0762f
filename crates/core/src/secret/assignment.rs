//! Values that are given to a name that speaks of a secret: `api_key: "…"`, `X_TOKEN=…`,
//! `--password …`, `Authorization: Bearer …`.

mod name;

use super::{Found, value};
use name::Kind;

/// The shortest password, by length, that is taken for one.
const SHORTEST_PASSWORD: usize = 8;

/// The shortest key or token that is taken for one.
const SHORTEST_TOKEN: usize = 16;

/// The least entropy of a key or token, in bits a character.
const LEAST_ENTROPY: f64 = 3.0;

/// The entropy that no path of ordinary length reaches.
const DENSE: f64 = 4.5;

/// Longer values are not searched again from within, which keeps the search linear.
const LONG: usize = 64;

/// Characters of passwords that names, paths, versions and prose do not hold.
const STRONG: &str = "!@#$%^&*+=?~";

/// How a value is given to its name.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Giving {
    /// By `=`, `:`, `=>`, `->` or the end of a tag.
    Sign,
    /// By the space after an option: `--token …`.
    Option,
    /// By a sentence: `the password is …`.
    Sentence,
}

/// A value as it was written.
#[derive(Debug, Clone, Copy)]
struct Given<'t> {
    text: &'t str,
    quoted: bool,
    /// Whether `Basic` stands before it, so that it is a user and a password in base64.
    basic: bool,
}

/// Finds the first value that looks like a secret and whose name says that it is one.
pub(super) fn find(line: &str) -> Option<Found<'_>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let Some((giving, length)) = giving(bytes, at) else {
            at += 1;
            continue;
        };
        let after = at + length;
        if let Some(kind) = name::kind(&line[..at]) {
            let given = given(&line[after..]);
            if let Some(what) = judge(kind, giving, given) {
                return Some((what, given.text));
            }
            let long = given.text.len() > LONG && !given.text.contains(char::is_whitespace);
            at = if long { after + given.text.len() } else { after };
        } else {
            at = after;
        }
        at = line.floor_char_boundary(at);
    }
    None
}

/// Returns how a value is given at a byte, and the length of the sign that gives it.
fn giving(bytes: &[u8], at: usize) -> Option<(Giving, usize)> {
    let is_sign = |byte: &&u8| matches!(byte, b':' | b'=' | b'>');
    match bytes[at] {
        b':' | b'=' | b'>' => {
            let length = bytes[at..].iter().take_while(is_sign).count();
            Some((Giving::Sign, length))
        }
        b' ' if bytes[..at].ends_with(b" is") => Some((Giving::Sentence, 1)),
        b' ' if is_option(&bytes[..at]) => Some((Giving::Option, 1)),
        _ => None,
    }
}

/// Tells whether a text ends in an option, `--so-named`.
fn is_option(before: &[u8]) -> bool {
    let window = &before[before.len().saturating_sub(name::REACH)..];
    let word = window.rsplit(|&byte| byte == b' ').next().unwrap_or(window);
    word.starts_with(b"--") && word.len() > 2
}

/// Reads the value that a text starts with.
fn given(text: &str) -> Given<'_> {
    let text = text.trim_start_matches([' ', '\t', '*', '\\']);
    // Bytes of Python: `b"…"`.
    let text = text.strip_prefix('b').filter(|rest| rest.starts_with(['"', '\''])).unwrap_or(text);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let text = quote.map_or(text, |_| &text[1..]);
    let (basic, text) = without_scheme(text);
    let end = match quote {
        Some(quote) => text.find(quote).unwrap_or(text.len()),
        None => unquoted_end(text),
    };
    Given { text: text[..end].trim_end_matches('\\'), quoted: quote.is_some(), basic }
}

/// Returns where a value without quotes ends.
fn unquoted_end(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || ",;)]}\"'`\\&<".contains(c);
    let text = &text[..text.find(ends).unwrap_or(text.len())];
    text.trim_end_matches(['.', ':', '*', '|']).len()
}

/// Takes the scheme of an authorization header off its value.
fn without_scheme(text: &str) -> (bool, &str) {
    let after = |scheme: &str| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| rest.trim_start())
    };
    match after("basic ") {
        Some(rest) => (true, rest),
        None => (false, after("bearer ").or_else(|| after("token ")).unwrap_or(text)),
    }
}

/// Returns what a value looks like, if it looks like a secret.
fn judge(kind: Kind, giving: Giving, given: Given<'_>) -> Option<&'static str> {
    let text = given.text;
    if text.len() < SHORTEST_PASSWORD || text.contains(char::is_whitespace) || is_code(given) {
        return None;
    }
    let (is_secret, what) = match kind {
        _ if given.basic => (is_basic(text), "an authorization header with a password"),
        Kind::Password if giving == Giving::Sentence => (is_strong(text), "a password"),
        Kind::Password => (is_password(given), "a password"),
        Kind::Token => (is_token(text), "a secret key or token"),
        Kind::Authorization => {
            (is_token(text) && !value::is_digest(text), "an authorization token")
        }
    };
    (is_secret && !value::is_stand_in(text)).then_some(what)
}

/// Tells whether a value is code or an address, and so not the secret itself.
fn is_code(given: Given<'_>) -> bool {
    let text = given.text;
    text.contains("://") || !given.quoted && (text.contains(['(', '[']) || text.contains("::"))
}

fn has(text: &str, is: fn(char) -> bool) -> bool {
    text.contains(is)
}

/// Tells whether a value is a password. People choose words as passwords, so this asks for little:
/// a digit or a mark; but names, paths, versions and dates without quotes are not passwords.
fn is_password(given: Given<'_>) -> bool {
    let text = given.text;
    let plain = !has(text, |c| STRONG.contains(c));
    let compound = has(text, |c| "-_./:".contains(c));
    let path = text.starts_with(['/', '.', '~']);
    let is_name = (plain && compound && !given.quoted || path) && value::is_wordy(text);
    let marked = has(text, char::is_lowercase) && has(text, char::is_uppercase) && !plain;
    text.chars().count() >= SHORTEST_PASSWORD
        && (has(text, |c| c.is_ascii_digit()) || marked)
        && !is_name
        && !value::is_uuid(text)
}

/// Tells whether a value is nothing but a password, even in a sentence.
fn is_strong(text: &str) -> bool {
    let classes: [fn(char) -> bool; 4] =
        [char::is_lowercase, char::is_uppercase, |c| c.is_ascii_digit(), |c| STRONG.contains(c)];
    classes.into_iter().all(|class| has(text, class))
}

fn is_token(text: &str) -> bool {
    text.len() >= SHORTEST_TOKEN
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && has(text, |c| c.is_ascii_alphabetic())
        && value::entropy(text) >= LEAST_ENTROPY
        && !value::is_uuid(text)
        && (has(text, |c| c.is_ascii_digit()) && !value::is_wordy(text) || is_dense(text))
}

/// Tells whether a value that could be a path is too random for one: a secret of AWS has slashes.
fn is_dense(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
        && has(text, |c| c.is_ascii_lowercase())
        && has(text, |c| c.is_ascii_uppercase())
        && text.len() <= LONG
        && value::entropy(text) >= DENSE
}

/// Tells whether a value is base64 and not a word.
fn is_basic(text: &str) -> bool {
    let rises = |pair: &&[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let in_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    text.bytes().all(in_base64)
        && (text.ends_with('=')
            || has(text, |c| c.is_ascii_digit())
            || text.as_bytes().windows(2).filter(rises).count() >= 2)
}
