//! Line breaks.

/// Returns the line break that a text uses, so that added lines use the same.
pub fn detect_newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns how many line breaks to add to a text so that an empty line separates it from what follows; an empty text needs
/// none.
pub(crate) fn breaks_to_empty_line(text: &str) -> usize {
    match text {
        "" => 0,
        text if text.ends_with("\n\n") || text.ends_with("\n\r\n") => 0,
        text if text.ends_with('\n') => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_separates_texts() {
        let texts = ["", "a\n\n", "a\r\n\r\n", "a\n", "a\r\n", "\n", "a"];
        assert_eq!(texts.map(breaks_to_empty_line), [0, 0, 0, 1, 1, 1, 2]);
    }
}
