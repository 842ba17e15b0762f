//! Escapes characters that must not reach a terminal or a file that people read.

/// Escapes characters that could control a terminal or deceive a reader: control characters, line
/// breaks and the characters of `is_deceptive`. It uses JSON escapes, so that JSON text keeps its
/// value.
pub fn escape_unprintable(text: &str) -> String {
    if is_printable(text) {
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

/// Returns whether [`escape_unprintable`] leaves a text as it is.
pub fn is_printable(text: &str) -> bool {
    !(text.bytes().any(may_start_escaped) && text.contains(is_escaped))
}

/// Returns whether [`escape_unprintable`] certainly leaves each line of a text as it is, in less time than it takes to
/// look at them one by one.
pub fn has_only_plain_lines(text: &str) -> bool {
    // Without an exit in the middle, many bytes are compared at once.
    let is_plain = |chunk: &[u8]| {
        !chunk
            .iter()
            .fold(false, |found, byte| found | (may_start_escaped(*byte) & (*byte != b'\n')))
    };
    text.as_bytes().chunks(CHUNK_BYTES).all(is_plain)
}

/// How many bytes are compared between two exits.
const CHUNK_BYTES: usize = 256;

/// Returns whether a byte is the first one of a character that is escaped, or of others that begin like it. Most texts
/// have none, and need not be decoded.
fn may_start_escaped(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0a..=0x1f | 0x7f | 0xc2 | 0xe2 | 0xf3)
}

fn is_escaped(c: char) -> bool {
    (c.is_control() && c != '\t') || is_deceptive(c)
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
    fn every_escaped_character_is_found_by_its_first_byte() {
        for c in ('\0'..=char::MAX).filter(|c| is_escaped(*c)) {
            assert!(may_start_escaped(c.to_string().as_bytes()[0]), "{c:?}");
            assert!(!is_printable(&format!("a{c}")), "{c:?}");
            assert_eq!(has_only_plain_lines(&format!("a\n{c}")), c == '\n', "{c:?}");
        }
        assert!(is_printable("plain\ttext é 日本 – “quoted”"));
        assert!(has_only_plain_lines(&"plain\ttext é 日本\n".repeat(CHUNK_BYTES)));
    }

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
