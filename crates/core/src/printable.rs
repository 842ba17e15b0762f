//! Escapes characters that must not reach a terminal or a file that people read.

/// Escapes characters that could control a terminal or deceive a reader: control characters, line
/// breaks and the characters of `is_deceptive`. It uses JSON escapes, so that JSON text keeps its
/// value.
pub fn escape_unprintable(text: &str) -> String {
    let is_escaped = |c: char| (c.is_control() && c != '\t') || is_deceptive(c);
    if !text.contains(is_escaped) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if is_escaped(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns whether a character makes text look different from what it is: bidirectional controls
/// reorder it, line and paragraph separators break lines, and tag characters are invisible but read by
/// language models.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_deceptive_characters_are_escaped() {
        for (text, shown) in [
            ("plain\ttext é 日本 👩‍👩‍👧", "plain\ttext é 日本 👩‍👩‍👧"),
            ("\u{1b}[2J\u{9b}31m\u{7}", "\\u001b[2J\\u009b31m\\u0007"),
            ("a\u{202e}b\u{2066}c", "a\\u202eb\\u2066c"),
            ("hi\u{e0041}", "hi\\udb40\\udc41"),
            ("one\ntwo\u{2028}", "one\\ntwo\\u2028"),
        ] {
            assert_eq!(escape_unprintable(text), shown);
        }
    }
}
