//! What counts as a reference to another document.

use crate::path::percent_decoded;

/// A place where one document names another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// What it names, as it is written: an id, a name or a relative path.
    pub target: String,
    /// The line.
    pub line: usize,
    /// The way in which it is named.
    pub how: How,
}

/// The ways in which a document names another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A key of the front matter.
    Field(&'static str),
    /// A markdown link to a file.
    Link,
    /// An ADR's id in the text.
    Mention,
}

const DOCUMENT_ENDINGS: &[&str] = &[".md", ".mdc", ".mdx", ".markdown", ".rst"];

/// Returns the file that a link leads to, if it leads to a document of this workspace.
pub(super) fn link_target(destination: &str) -> Option<String> {
    let path = destination.split(['#', '?']).next()?.trim();
    let elsewhere = path.is_empty()
        || path.starts_with('/')
        || path.contains("://")
        || path.starts_with("mailto:");
    let decoded = percent_decoded(path);
    (!elsewhere && DOCUMENT_ENDINGS.iter().any(|ending| decoded.to_lowercase().ends_with(ending)))
        .then_some(decoded)
}

/// Returns the ADR ids in a text, as `ADR-` and the digits that are written.
pub fn adr_mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("ADR") {
        let starts_word =
            !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'));
        let rest = &text[at + 3..];
        let rest = rest.strip_prefix(['-', ' ']).unwrap_or(rest);
        let digits =
            &rest[..rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
        let ends_word = !rest[digits.len()..].starts_with(|c: char| c.is_alphanumeric());
        if starts_word && ends_word && (1..=5).contains(&digits.len()) {
            found.push(format!("ADR-{digits}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_whole_words() {
        assert_eq!(
            adr_mentions("ADR-0003, (ADR 12) ADR7 XADR-1 ADR-1x ADR-123456 ADRs"),
            ["ADR-0003", "ADR-12", "ADR-7"]
        );
    }

    #[test]
    fn links_to_documents_only() {
        assert_eq!(link_target("a/b%20c.md#x").as_deref(), Some("a/b c.md"));
        for elsewhere in ["https://x.org/a.md", "/a.md", "#top", "a.png", "mailto:a@b.md"] {
            assert_eq!(link_target(elsewhere), None, "{elsewhere}");
        }
    }
}
