//! Escapes texts for a line of markdown. Characters that would change the structure of the line become character
//! references, which markdown renders as the character; so any text round-trips.

/// Escapes a text for one line.
pub(super) fn encode(text: &str) -> String {
    encode_with(text, &[])
}

/// Escapes a text for a cell of a table.
pub(super) fn encode_cell(text: &str) -> String {
    encode(text).replace('|', "\\|")
}

/// Escapes a text for a field at the end of a bullet.
pub(super) fn encode_field(text: &str) -> String {
    encode_with(text, &['·', '(', ')'])
}

fn encode_with(text: &str, extra: &[char]) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(text.len());
    for (offset, c) in text.char_indices() {
        let rest = &text[offset..];
        let is_first = offset == 0;
        match c {
            '\n' => out.push_str("<br>"),
            '&' if is_reference(rest) => out.push_str("&amp;"),
            '<' if starts_with_any(rest, &["<br>", "<br/>", "<br />", "<!--"]) => {
                out.push_str("&lt;");
            }
            '-' if rest.starts_with("-->") => out.push_str("&#45;"),
            '~' if rest.starts_with("~~") => out.push_str("&#126;"),
            '#' | '-' | '*' | '+' | '>' | '[' | '|' | '`' | '~' | '='
                if is_first && is_structure(rest) =>
            {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            '.' | ')' if is_number(&text[..offset]) => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            c if extra.contains(&c) || (c.is_control() && c != '\t') => {
                out.push_str(&format!("&#{};", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// Unescapes a text.
pub(super) fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(offset) = rest.find(['&', '<']) {
        out.push_str(&rest[..offset]);
        rest = &rest[offset..];
        match decode_first(rest) {
            Some((c, length)) => {
                out.push(c);
                rest = &rest[length..];
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Decodes the escape at the start of a text and returns its length.
fn decode_first(rest: &str) -> Option<(char, usize)> {
    for (escape, c) in
        [("&amp;", '&'), ("&lt;", '<'), ("<br>", '\n'), ("<br/>", '\n'), ("<br />", '\n')]
    {
        if rest.starts_with(escape) {
            return Some((c, escape.len()));
        }
    }
    let digits = rest.strip_prefix("&#")?;
    let end = digits.find(';').filter(|end| (1..=7).contains(end))?;
    let c = digits[..end].parse().ok().and_then(char::from_u32)?;
    Some((c, end + 3))
}

fn is_reference(rest: &str) -> bool {
    decode_first(rest).is_some()
}

fn starts_with_any(rest: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| rest.starts_with(prefix))
}

/// Returns whether the first character would make the bullet something other than text.
fn is_structure(rest: &str) -> bool {
    let mut chars = rest.chars();
    match chars.next() {
        Some('-' | '*' | '+') => {
            chars.next().is_none_or(|next| matches!(next, ' ' | '-' | '*' | '+'))
        }
        Some('#') => {
            rest.trim_start_matches('#').starts_with(' ') || rest.trim_start_matches('#').is_empty()
        }
        Some('`') => rest.starts_with("```"),
        Some('~') => true,
        Some('[') => starts_with_any(rest, &["[ ]", "[x]", "[X]"]),
        Some('>' | '|' | '=') => true,
        _ => false,
    }
}

fn is_number(before: &str) -> bool {
    !before.is_empty() && before.len() <= 9 && before.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_text_is_not_escaped() {
        for text in
            ["a & b < c — d's `x.rs` [link](y) (see #3)", "-1 is *bold*", "C++ | D", "3.5 GB"]
        {
            let written = encode(text);
            assert_eq!(decode(&written), text);
        }
        assert_eq!(encode("a & b < c, x|y"), "a & b < c, x|y");
    }

    #[test]
    fn characters_with_structural_meaning_are_escaped() {
        assert_eq!(encode("a\nb"), "a<br>b");
        assert_eq!(encode("# a"), "&#35; a");
        assert_eq!(encode("[ ] a"), "&#91; ] a");
        assert_eq!(encode("x <!-- id:1 -->"), "x &lt;!-- id:1 &#45;->");
        assert_eq!(encode("a &amp; b"), "a &amp;amp; b");
        assert_eq!(encode("1. a"), "1&#46; a");
    }

    proptest! {
        #[test]
        fn any_text_round_trips(text in "[-a#*\\[\\] |<>!br&;0-9~=—\\n().]{0,24}|\\PC{0,24}") {
            prop_assert_eq!(decode(&encode(&text)), text.clone());
            prop_assert!(!encode(&text).contains('\n'));
            prop_assert_eq!(decode(&encode_field(&text)), text);
        }
    }
}
