//! What counts as a reference to another document.

use serde::{Deserialize, Serialize};

use crate::path::percent_decoded;
use crate::{adr, name};

/// A place where one document names another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// What it names, as it is written: an id, a name or a relative path.
    pub target: String,
    /// The line.
    pub line: usize,
    /// The way in which it is named.
    pub how: How,
}

/// The ways in which a document names another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// A key of the front matter.
    Field(LinkField),
    /// A markdown link to a file.
    Link,
    /// A wiki link (`[[0043-auth]]`) to a document by its name or path.
    Wiki,
    /// An ADR's id in the text.
    Mention,
    /// A word that is a reference if there is a document of that name: a plan's folder name in the
    /// text, or such a name or an ADR's id as inline code.
    Word,
}

/// A key of the front matter that names other documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkField {
    /// What has to be there first.
    DependsOn,
    /// What this document replaces.
    Supersedes,
    /// What replaces this document.
    SupersededBy,
}

impl LinkField {
    /// Every key.
    pub const ALL: [LinkField; 3] =
        [LinkField::DependsOn, LinkField::Supersedes, LinkField::SupersededBy];

    /// Returns the key as it is written.
    pub fn key(self) -> &'static str {
        match self {
            LinkField::DependsOn => "depends_on",
            LinkField::Supersedes => "supersedes",
            LinkField::SupersededBy => "superseded_by",
        }
    }
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

/// Returns what a wiki link leads to, without its heading or block; a link within the document leads
/// to nothing.
pub(super) fn wiki_target(destination: &str) -> Option<String> {
    let target = destination.split(['#', '^', '|']).next()?.trim();
    (!target.is_empty() && !target.contains("://")).then(|| target.to_owned())
}

/// Returns a wiki link's target without the ending of a document.
pub(crate) fn without_ending(target: &str) -> &str {
    let ending = DOCUMENT_ENDINGS.iter().find(|ending| {
        let at = target.len().saturating_sub(ending.len());
        target.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    });
    ending.map_or(target, |ending| &target[..target.len() - ending.len()])
}

/// Returns the words of a text that could be the folder name of a plan: a number, a dash and words
/// (`0043-auth`). A date is none.
pub(super) fn numbered_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'))
        .map(|word| word.trim_end_matches(['-', '_']))
        .filter(|word| is_numbered_name(word))
}

fn is_numbered_name(word: &str) -> bool {
    name::leading_number(word).is_some_and(|digits| {
        digits.len() <= 6 && word[digits.len()..].contains(char::is_alphabetic)
    })
}

/// Returns the name that inline code consists of, if it is that of a plan or an ADR.
pub(super) fn name_in_code(code: &str) -> Option<&str> {
    let code = code.trim();
    let is_whole = numbered_names(code).next() == Some(code)
        || adr_mentions(code).first().is_some_and(|id| id == code);
    is_whole.then_some(code)
}

/// Returns whether a wiki link that leads nowhere was surely meant for a plan or an ADR, and not for
/// a note that is kept elsewhere.
pub(crate) fn names_plan_or_adr(target: &str) -> bool {
    let name = without_ending(target.rsplit('/').next().unwrap_or(target));
    let after_number = name::leading_number(name).filter(|digits| (3..=6).contains(&digits.len()));
    let is_plan = after_number.is_some_and(|digits| {
        name[digits.len()..].trim_start_matches(['-', '_']).starts_with(char::is_alphabetic)
    });
    is_plan || name.to_uppercase().starts_with("ADR") && adr::id_of(name).1.is_some()
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
    fn numbered_names_are_words_with_a_number_in_front() {
        let text =
            "see 0043-auth, (0044_b-c). Not 2026-02-22, v1-x, 42 or 1234567-x; plans/0045-d/";
        assert_eq!(numbered_names(text).collect::<Vec<_>>(), ["0043-auth", "0044_b-c", "0045-d"]);
        assert_eq!(name_in_code(" 0043-auth "), Some("0043-auth"));
        assert_eq!(name_in_code("ADR-0007"), Some("ADR-0007"));
        for other in ["heir adr show ADR-0007", "cd 0043-auth", "x"] {
            assert_eq!(name_in_code(other), None, "{other}");
        }
    }

    #[test]
    fn wiki_links_lose_their_heading_and_block() {
        assert_eq!(wiki_target("0043-auth#Goals").as_deref(), Some("0043-auth"));
        assert_eq!(wiki_target("a/b^block").as_deref(), Some("a/b"));
        assert_eq!((wiki_target("#Goals"), wiki_target("https://x.org")), (None, None));
        for meant in ["0043-auth", "plans/0043-auth.md", "ADR-0007", "adr-7-use-sqlite"] {
            assert!(names_plan_or_adr(meant), "{meant}");
        }
        for note in ["Meeting notes", "2026-02-22 standup", "01-intro", "Adrian", "2026-02-22"] {
            assert!(!names_plan_or_adr(note), "{note}");
        }
    }

    #[test]
    fn links_to_documents_only() {
        assert_eq!(link_target("a/b%20c.md#x").as_deref(), Some("a/b c.md"));
        for elsewhere in ["https://x.org/a.md", "/a.md", "#top", "a.png", "mailto:a@b.md"] {
            assert_eq!(link_target(elsewhere), None, "{elsewhere}");
        }
    }
}
