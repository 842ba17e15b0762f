//! Words of texts: normalises texts for comparison and measures their similarity.

use std::collections::HashSet;

/// Normalises a text for comparison: lower case, one space between words, no punctuation at the end.
pub fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    if has_normal_spacing(text) {
        out.push_str(text);
        out.make_ascii_lowercase();
    } else if text.is_ascii() {
        for word in text.split_ascii_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
        out.make_ascii_lowercase();
    } else {
        for word in text.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.extend(word.chars().flat_map(char::to_lowercase));
        }
    }
    let end = out.trim_end_matches(['.', '!', ';', ',']).len();
    if end > 0 {
        out.truncate(end);
    }
    out
}

/// Returns whether a text is ASCII with one space between words and none around them. It does not return early, so that
/// the compiler vectorises the loops.
fn has_normal_spacing(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_excluded = |byte: u8| !byte.is_ascii() || byte < b' ';
    let any_excluded = bytes.iter().fold(false, |any, byte| any | is_excluded(*byte));
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let double_space = pairs.fold(false, |any, pair| any | ((*pair.0 == b' ') & (*pair.1 == b' ')));
    !any_excluded && !double_space && !bytes.starts_with(b" ") && !bytes.ends_with(b" ")
}

/// Returns the words of a text in lower case. A name with punctuation (`schema.ts`, `C++`, `what's`) is returned both
/// whole and in parts.
pub fn split_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in text.split_whitespace() {
        let lower = piece.to_lowercase();
        let trimmed = lower
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '_' | '$'));
        let parts: Vec<&str> =
            trimmed.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            [one] if *one == trimmed => found.push(trimmed.to_owned()),
            parts => {
                found.extend(parts.iter().map(|part| (*part).to_owned()));
                if !trimmed.is_empty() {
                    found.push(trimmed.to_owned());
                }
            }
        }
    }
    found
}

/// Splits a name in camel case into words: `parseHTTPHeader` is `parse`, `HTTP` and `Header`.
pub fn split_camel_case(part: &str) -> impl Iterator<Item = &str> {
    let has_both = part.bytes().any(|c| c.is_ascii_lowercase())
        && part.bytes().skip(1).any(|c| c.is_ascii_uppercase());
    let mut rest = Some(part);
    std::iter::from_fn(move || {
        let (hump, after) =
            match rest?.split_at(if has_both { hump_end(rest?) } else { rest?.len() }) {
                (hump, "") => (hump, None),
                (hump, after) => (hump, Some(after)),
            };
        rest = after;
        Some(hump)
    })
}

/// Returns the offset at which the first word of a name in camel case ends.
fn hump_end(name: &str) -> usize {
    let mut before = None;
    let mut chars = name.char_indices().peekable();
    while let Some((offset, here)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        let is_start = before.is_some_and(|before: char| {
            here.is_uppercase() && (!before.is_uppercase() || after.is_some_and(char::is_lowercase))
        });
        if is_start {
            return offset;
        }
        before = Some(here);
    }
    name.len()
}

/// Returns a short hash of a text, in 12 hexadecimal digits.
pub fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..12].to_owned()
}

/// Returns the Jaccard similarity of two sets of words, 0 to 1.
pub fn jaccard_similarity(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// Returns whether a text has a name as a whole word.
pub fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(start, _)| {
        !text[..start].ends_with(is_part) && !text[start + name.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_case_and_final_punctuation_are_normalised() {
        assert_eq!(normalise("  Use\n SQLite. "), normalise("use sqlite"));
        for variant in
            ["use  sqlite", "use\tSQLITE", "use sqlite ", " use sqlite", "use\u{a0}sqlite!"]
        {
            assert_eq!(normalise(variant), "use sqlite", "{variant:?}");
        }
        assert_ne!(normalise("use sqlite"), normalise("use sqlite3"));
        assert_eq!(normalise("..."), "...");
    }

    #[test]
    fn names_are_split_and_kept_whole() {
        assert_eq!(
            split_words("Fix `schema.ts`, what's C++?"),
            ["fix", "schema", "ts", "schema.ts", "what", "s", "what's", "c", "c++"]
        );
        assert_eq!(split_words("\" — …"), Vec::<String>::new());
    }

    #[test]
    fn likeness_is_the_jaccard_similarity() {
        let set = |text: &str| split_words(text).into_iter().collect::<HashSet<_>>();
        assert_eq!(jaccard_similarity(&set("a b c"), &set("a b d")), 0.5);
        assert_eq!(jaccard_similarity(&set(""), &set("")), 0.0);
    }

    #[test]
    fn a_name_is_found_as_a_whole_word() {
        assert!(has_word("call `parse_line` first", "parse_line"));
        assert!(has_word("my_parse_line, then parse_line()", "parse_line"));
        assert!(!has_word("parse_lines and my_parse_line", "parse_line"));
    }
}
