//! Line breaks.

/// Returns the line break that a text uses, so that added lines use the same.
pub fn detect_newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
