//! The byte order mark that some editors write at the start of a text in UTF-8.

const MARK: &str = "\u{feff}";

/// Returns a text without the byte order mark at its start.
pub fn strip(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Splits a text into the byte order mark at its start, if there is one, and the rest.
pub fn split(text: &str) -> (&str, &str) {
    text.split_at(text.len() - strip(text).len())
}

/// Returns bytes without the byte order mark at their start.
pub fn strip_bytes(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK.as_bytes()).unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mark_at_the_start_is_stripped() {
        assert_eq!(split("\u{feff}a\u{feff}"), ("\u{feff}", "a\u{feff}"));
        assert_eq!(split("a"), ("", "a"));
        assert_eq!(strip(""), "");
        assert_eq!(strip_bytes(b"\xef\xbb\xbf{}"), b"{}");
        assert_eq!(strip_bytes(b"\xef\xbb"), b"\xef\xbb");
    }
}
