//! Names in code: paths, flags, constants, types. They are rarely used by chance.
//!
//! Names are compared without case and punctuation, so that `SHA-256` is `sha256`.

use std::collections::{BTreeMap, HashSet};

/// Shorter names say nothing, in bytes.
const MIN_NAME_BYTES: usize = 3;

/// Shorter code between backticks says nothing, in bytes.
const MIN_QUOTED_BYTES: usize = 4;

/// What separates names, besides spaces.
const SEPARATORS: &str = "`'\"()[]{},;=|&*!?#$\\…";

/// What separates the parts of a name.
const PART_SEPARATORS: [char; 5] = ['/', ':', '.', '<', '>'];

/// Returns the pieces of a text between spaces and separators.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || SEPARATORS.contains(c))
        .map(|piece| piece.trim_matches(['.', ':', '~', '/']).trim_end_matches('-'))
        .filter(|piece| !piece.is_empty())
}

/// Returns the names in code that a memory states, in the form for comparison and as written.
pub(super) fn names_in_code(text: &str) -> BTreeMap<String, String> {
    let in_text = pieces(text).flat_map(whole_and_parts).filter(|part| is_code(part));
    let quoted = text.split('`').skip(1).step_by(2).map(str::trim);
    let quoted = quoted.filter(|code| code.len() >= MIN_QUOTED_BYTES);
    let names = quoted.chain(in_text).map(|name| (normalise(name), name.to_owned()));
    let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    names.filter(|(name, _)| name.len() >= MIN_NAME_BYTES && !is_number(name)).collect()
}

/// Returns everything in a text that may be a name, and the parts of names.
pub(super) fn all_names(text: &str) -> HashSet<String> {
    pieces(text).flat_map(whole_and_parts).map(normalise).collect()
}

/// Returns a name, the file at the end of a path, and the parts of both.
fn whole_and_parts(piece: &str) -> impl Iterator<Item = &str> {
    let file = piece.rsplit_once('/').map(|(_, file)| file);
    let parts = piece.split(PART_SEPARATORS).filter(|part| part.len() >= MIN_NAME_BYTES);
    std::iter::once(piece).chain(file).chain(parts)
}

/// Returns whether a piece of text is a name in code.
pub(super) fn is_code(piece: &str) -> bool {
    let bytes = piece.as_bytes();
    let pairs = || bytes.iter().zip(bytes.iter().skip(1));
    let has_hump = pairs().any(|(a, b)| a.is_ascii_lowercase() && b.is_ascii_uppercase());
    let has_underscore = piece.trim_matches('_').contains('_');
    let has_path = piece.matches('/').count() > 1 || piece.contains("::");
    // `stg_<source>`, `Result<T>`
    let has_angle_brackets = piece.contains('<') && piece.contains('>');
    piece.len() >= MIN_NAME_BYTES
        && piece.contains(|c: char| c.is_alphabetic())
        && (has_hump
            || has_underscore
            || has_path
            || has_angle_brackets
            || piece.starts_with("--")
            || has_extension(piece)
            || mixes_letters_and_digits(bytes))
}

/// Returns whether a full stop stands within a name: `main.rs`, `db.t4g.medium`, and not `e.g`.
fn has_extension(piece: &str) -> bool {
    let mut parts = piece.split('.');
    let first = parts.next().unwrap_or_default();
    let is_word = |part: &str| part.len() > 1 && part.starts_with(|c: char| c.is_alphanumeric());
    !first.is_empty() && parts.any(is_word)
}

/// Returns whether digits follow a letter, or several letters follow digits: `int64`, `SHA-256`, `128kbit`.
fn mixes_letters_and_digits(bytes: &[u8]) -> bool {
    let is_at = |index: usize, is: fn(&u8) -> bool| bytes.get(index).is_some_and(is);
    (0..bytes.len()).any(|at| {
        let hyphen = usize::from(is_at(at + 1, |byte| *byte == b'-'));
        let letter_then_digit =
            is_at(at, u8::is_ascii_alphabetic) && is_at(at + 1 + hyphen, u8::is_ascii_digit);
        let digit_then_letters = is_at(at, u8::is_ascii_digit)
            && is_at(at + 1, u8::is_ascii_alphabetic)
            && is_at(at + 2, u8::is_ascii_alphabetic);
        letter_then_digit || digit_then_letters
    })
}

/// Returns the letters and digits of a name in lower case.
fn normalise(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        names_in_code(text).into_keys().collect()
    }

    #[test]
    fn names_in_code_are_found() {
        assert_eq!(found("see `src/auth/login.ts`."), ["logints", "srcauthlogints"]);
        assert_eq!(found("set WORKER_PREFETCH or maxRetries"), ["maxretries", "workerprefetch"]);
        assert_eq!(found("SHA-256 sums as int64, ADR-0031"), ["adr0031", "int64", "sha256"]);
        assert_eq!(found("Postgres and the half-even rule, e.g. here"), Vec::<String>::new());
        assert_eq!(found("on db.t4g.medium. Then"), ["dbt4gmedium", "t4g"]);
        assert_eq!(found("serde_json::to_writer"), ["serdejson", "serdejsontowriter", "towriter"]);
    }

    #[test]
    fn a_text_has_the_parts_of_its_names() {
        let names = all_names("edit src/auth/login.ts with sha256");
        for name in ["srcauthlogints", "auth", "login", "sha256", "edit"] {
            assert!(names.contains(name), "{name} of {names:?}");
        }
    }
}
