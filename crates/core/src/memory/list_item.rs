//! Recognises the items of markdown lists.

use crate::name;

/// Splits a bullet into its marker, with the spaces around it, and its content.
pub(super) fn split_bullet(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    if indent > 3 {
        return None;
    }
    let digits = name::split_leading_digits(text).0.len();
    let marker = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = &text[marker..];
    let content = rest.trim_start_matches([' ', '\t']);
    let is_break = digits == 0 && is_thematic_break(text);
    ((rest.is_empty() || content.len() < rest.len()) && !is_break)
        .then(|| line.split_at(line.len() - content.len()))
}

fn is_thematic_break(text: &str) -> bool {
    let marks = text.chars().filter(|c| !c.is_whitespace()).count();
    let first = text.chars().next();
    marks >= 3 && text.chars().all(|c| c.is_whitespace() || Some(c) == first)
}
