//! Line breaks.

/// Returns the line break that a text uses, so that added lines use the same.
pub fn detect_newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns the line break for lines that are added after a text. After a carriage return at the end of the text, `\n` would
/// make one line break with it, and taking the added lines back would take the carriage return too.
pub(crate) fn newline_after(text: &str) -> &'static str {
    if text.ends_with('\r') { "\r\n" } else { detect_newline(text) }
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
