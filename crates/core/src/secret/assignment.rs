//! Detects secrets by the name that they are assigned to: `api_key: "…"`, `X_TOKEN=…`,
//! `--password …`, `Authorization: Bearer …`.

mod name;

use super::{SecretMatch, value};
use name::SecretKind;

const MIN_PASSWORD_CHARS: usize = 8;

/// Words after which a sentence states a value.
const STATEMENT_ENDINGS: &[&str] =
    &[" is", " is now", " was", " set to", " changed to", " reset to", " ist", " ist jetzt", " es"];

/// Minimum length of a password after "the password is", which other words with digits rarely follow.
const MIN_STATED_PASSWORD_CHARS: usize = 6;

const MIN_TOKEN_BYTES: usize = 16;

/// The least entropy of a token, in bits per byte.
const MIN_TOKEN_ENTROPY: f64 = 3.0;

/// The entropy that no path of ordinary length reaches, in bits per byte.
const MIN_RANDOM_ENTROPY: f64 = 4.5;

/// Longer values are not searched for a nested assignment, which keeps the search linear.
const MAX_NESTED_SEARCH_BYTES: usize = 64;

/// A longer value may reach [`MIN_RANDOM_ENTROPY`] without being random.
const MAX_RANDOM_BYTES: usize = 64;

/// Characters that occur in passwords, but not in names, paths, versions and prose.
const PASSWORD_SYMBOLS: &str = "!@#$%^&*+=?~";

/// The syntax between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum AssignmentSyntax {
    /// `=`, `:`, `=>`, `->` or the end of a tag.
    Operator,
    /// The space after a command line option: `--token …`.
    Option,
    /// A sentence that states the value: `the password is …`.
    Statement,
    /// A sentence that names the value: `with the password …`.
    Apposition,
}

/// A value and how it is written.
#[derive(Debug, Clone, Copy)]
struct AssignedValue<'t> {
    text: &'t str,
    quoted: bool,
    /// Whether the value follows `Basic`, and is a user and a password in base64.
    is_basic_auth: bool,
}

/// Returns the first value that looks like a secret and whose name announces a secret.
pub(super) fn find(line: &str) -> Option<SecretMatch<'_>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(found) = find_uuid_after_space(line, at) {
            return Some(found);
        }
        let Some((syntax, length)) = parse_syntax(bytes, at) else {
            at += 1;
            continue;
        };
        let value_start = at + length;
        let mut next = value_start;
        let max_words = match syntax {
            AssignmentSyntax::Statement | AssignmentSyntax::Apposition => name::MAX_SENTENCE_WORDS,
            AssignmentSyntax::Operator | AssignmentSyntax::Option => name::MAX_NAME_WORDS,
        };
        if let Some(kind) = name::secret_kind(&line[..at], max_words) {
            let value = parse_value(&line[value_start..]);
            let is_uuid_secret = value::is_uuid(value.text) && name::has_uuid_secrets(&line[..at]);
            if is_uuid_secret {
                return Some(SecretMatch { what: "a secret key or token", text: value.text });
            }
            if let Some(what) = describe_secret(kind, syntax, value) {
                return Some(SecretMatch { what, text: value.text });
            }
            let is_long = value.text.len() > MAX_NESTED_SEARCH_BYTES;
            if is_long && !value.text.contains(char::is_whitespace) {
                next += value.text.len();
            }
        }
        at = line.floor_char_boundary(next);
    }
    None
}

/// Finds a secret UUID that follows its name without an operator: `heroku auth token 8f14…`.
fn find_uuid_after_space(line: &str, at: usize) -> Option<SecretMatch<'_>> {
    if line.as_bytes()[at] != b' ' {
        return None;
    }
    let value = parse_value(&line[at + 1..]);
    let is_secret = value::is_uuid(value.text)
        && name::has_uuid_secrets(&line[..at])
        && name::secret_kind(&line[..at], 1) == Some(SecretKind::Token);
    is_secret.then_some(SecretMatch { what: "a secret key or token", text: value.text })
}

/// Parses the syntax of an assignment at a byte; returns it with its length.
fn parse_syntax(bytes: &[u8], at: usize) -> Option<(AssignmentSyntax, usize)> {
    let is_operator = |byte: &&u8| matches!(byte, b':' | b'=' | b'>');
    match bytes[at] {
        b':' | b'=' | b'>' => {
            let length = bytes[at..].iter().take_while(is_operator).count();
            Some((AssignmentSyntax::Operator, length))
        }
        b' ' if ends_with_statement(&bytes[..at]) => Some((AssignmentSyntax::Statement, 1)),
        b' ' if name::ends_with_password(&bytes[..at]) => Some((AssignmentSyntax::Apposition, 1)),
        b' ' if ends_with_option(&bytes[..at]) => Some((AssignmentSyntax::Option, 1)),
        _ => None,
    }
}

/// Returns whether a text ends with words after which a sentence states a value.
fn ends_with_statement(before: &[u8]) -> bool {
    STATEMENT_ENDINGS.iter().any(|ending| before.ends_with(ending.as_bytes()))
}

/// Returns whether a text ends with a command line option, `--name`.
fn ends_with_option(before: &[u8]) -> bool {
    let window = &before[before.len().saturating_sub(name::MAX_NAME_BYTES)..];
    let word = window.rsplit(|&byte| byte == b' ').next().unwrap_or(window);
    word.starts_with(b"--") && word.len() > 2
}

/// Parses the value at the start of a text.
fn parse_value(text: &str) -> AssignedValue<'_> {
    let text = text.trim_start_matches([' ', '\t', '*', '\\']);
    // A Python bytes literal: `b"…"`.
    let text = text.strip_prefix('b').filter(|rest| rest.starts_with(['"', '\''])).unwrap_or(text);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let text = quote.map_or(text, |_| &text[1..]);
    let (is_basic_auth, text) = strip_auth_scheme(text);
    let end = match quote {
        Some(quote) => text.find(quote).unwrap_or(text.len()),
        None => unquoted_length(text),
    };
    let text = text[..end].trim_end_matches('\\');
    AssignedValue { text, quoted: quote.is_some(), is_basic_auth }
}

/// Returns the length of the unquoted value at the start of a text.
fn unquoted_length(text: &str) -> usize {
    let ends_value = |c: char| c.is_whitespace() || ",;)]}\"'`\\&<".contains(c);
    let text = &text[..text.find(ends_value).unwrap_or(text.len())];
    text.trim_end_matches(['.', ':', '*', '|']).len()
}

/// Removes the scheme of an authorization header; returns whether it was `Basic`, and the rest.
fn strip_auth_scheme(text: &str) -> (bool, &str) {
    let strip = |scheme: &str| {
        let (start, rest) = text.split_at_checked(scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| rest.trim_start())
    };
    match strip("basic ") {
        Some(rest) => (true, rest),
        None => (false, strip("bearer ").or_else(|| strip("token ")).unwrap_or(text)),
    }
}

/// Describes a value if it looks like a secret.
fn describe_secret(
    kind: SecretKind,
    syntax: AssignmentSyntax,
    value: AssignedValue<'_>,
) -> Option<&'static str> {
    let text = value.text;
    if text.len() < MIN_STATED_PASSWORD_CHARS
        || text.contains(char::is_whitespace)
        || is_code(value)
    {
        return None;
    }
    let (is_secret, what) = match kind {
        _ if value.is_basic_auth => {
            (is_basic_credentials(text), "an authorization header with a password")
        }
        SecretKind::Password if syntax == AssignmentSyntax::Statement => {
            (is_password_in_prose(value, MIN_STATED_PASSWORD_CHARS), "a password")
        }
        SecretKind::Password if syntax == AssignmentSyntax::Apposition => {
            let min_chars =
                if value.quoted { MIN_STATED_PASSWORD_CHARS } else { MIN_PASSWORD_CHARS };
            (is_password_in_prose(value, min_chars), "a password")
        }
        SecretKind::Password => {
            let is_stated = is_password_in_prose(value, MIN_STATED_PASSWORD_CHARS);
            (is_stated || is_password(value), "a password")
        }
        SecretKind::Token => (is_token(text), "a secret key or token"),
        SecretKind::Authorization => {
            (is_token(text) && !value::is_digest(text), "an authorization token")
        }
    };
    (is_secret && !value::is_placeholder(text)).then_some(what)
}

/// Returns whether a value is code or a URL, and so not the secret itself.
fn is_code(value: AssignedValue<'_>) -> bool {
    let text = value.text;
    text.contains("://") || !value.quoted && (text.contains(['(', '[']) || text.contains("::"))
}

/// Returns whether a value is a password.
///
/// People choose words as passwords, so a digit or a symbol is enough. Unquoted names, paths,
/// versions and dates are not passwords.
fn is_password(value: AssignedValue<'_>) -> bool {
    value.text.chars().count() >= MIN_PASSWORD_CHARS && has_password_form(value)
}

/// Returns whether a value has the characters of a password, whatever its length.
fn has_password_form(value: AssignedValue<'_>) -> bool {
    let text = value.text;
    let has_symbol = has_char(text, |c| PASSWORD_SYMBOLS.contains(c));
    let is_compound = has_char(text, |c| "-_./:".contains(c));
    let is_path = text.starts_with(['/', '.', '~']);
    let is_name =
        (!has_symbol && is_compound && !value.quoted || is_path) && value::is_made_of_words(text);
    let is_mixed_with_symbol =
        has_char(text, char::is_lowercase) && has_char(text, char::is_uppercase) && has_symbol;
    (has_char(text, |c| c.is_ascii_digit()) || is_mixed_with_symbol)
        && !is_name
        && !value::is_uuid(text)
}

/// Returns whether a value is a password even in prose, where dates, sizes and compound words follow the name too: it
/// has letters and digits, and is not made of words.
fn is_password_in_prose(value: AssignedValue<'_>, min_chars: usize) -> bool {
    let has_both =
        has_char(value.text, |c| c.is_ascii_digit()) && has_char(value.text, char::is_alphabetic);
    has_both && value.text.chars().count() >= min_chars && has_password_form(value)
}

fn is_token(text: &str) -> bool {
    text.len() >= MIN_TOKEN_BYTES
        && text.bytes().all(|byte| byte.is_ascii_graphic())
        && has_char(text, |c| c.is_ascii_alphabetic())
        && value::entropy(text) >= MIN_TOKEN_ENTROPY
        && !value::is_uuid(text)
        && (has_char(text, |c| c.is_ascii_digit()) && !value::is_made_of_words(text)
            || is_random(text)
            || is_random_with_dashes(text))
}

/// Returns whether a value with dashes or underscores is too random for a name: the parts of a token in URL-safe base64
/// are so short that they look like words.
fn is_random_with_dashes(text: &str) -> bool {
    let is_url_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.bytes().all(is_url_safe)
        && has_char(text, |c| c.is_ascii_digit())
        && has_char(text, |c| c.is_ascii_lowercase())
        && has_char(text, |c| c.is_ascii_uppercase())
        && text.len() <= MAX_RANDOM_BYTES
        && value::entropy(text) >= MIN_RANDOM_ENTROPY
        && !value::is_made_of_plain_words(text)
}

/// Returns whether a value that may be a path is too random for one: AWS secrets contain slashes.
fn is_random(text: &str) -> bool {
    is_base64(text)
        && has_char(text, |c| c.is_ascii_lowercase())
        && has_char(text, |c| c.is_ascii_uppercase())
        && text.len() <= MAX_RANDOM_BYTES
        && value::entropy(text) >= MIN_RANDOM_ENTROPY
}

/// Returns whether a value is base64 and not a word.
fn is_basic_credentials(text: &str) -> bool {
    let is_hump = |pair: &&[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    is_base64(text)
        && (text.ends_with('=')
            || has_char(text, |c| c.is_ascii_digit())
            || text.as_bytes().windows(2).filter(is_hump).count() >= 2)
}

fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
}

fn has_char(text: &str, is_class: fn(char) -> bool) -> bool {
    text.contains(is_class)
}
