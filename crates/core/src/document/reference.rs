//! References from one document to another.

use serde::{Deserialize, Serialize};

use super::adr_id;
use crate::name::{self, MAX_NUMBER_DIGITS};
use crate::path::percent_decode;

/// A place where one document names another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The target as written: an id, a name or a relative path.
    pub target: String,
    /// The line, from 1.
    pub line: usize,
    /// How the target is written.
    pub kind: ReferenceKind,
}

/// How a reference is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// A key of the front matter.
    Field(LinkField),
    /// A markdown link to a file.
    Link,
    /// A wiki link (`[[0043-auth]]`) by name or path.
    Wiki,
    /// The id of an ADR in the text.
    Mention,
    /// A word that is a reference only if a document has that name: the folder name of a plan in the
    /// text, or such a name or the id of an ADR as inline code.
    Word,
}

/// A key of the front matter that names other documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkField {
    /// The documents that this one depends on.
    DependsOn,
    /// The documents that this one replaces.
    Supersedes,
    /// The documents that replace this one.
    SupersededBy,
}

impl LinkField {
    /// Every key.
    pub const ALL: [LinkField; 3] =
        [LinkField::DependsOn, LinkField::Supersedes, LinkField::SupersededBy];

    /// Returns the key in the front matter.
    pub fn key(self) -> &'static str {
        match self {
            LinkField::DependsOn => "depends_on",
            LinkField::Supersedes => "supersedes",
            LinkField::SupersededBy => "superseded_by",
        }
    }
}

/// Fewer digits in front of a wiki link's target may number the notes of an outline.
const MIN_PLAN_DIGITS: usize = 3;

const DOCUMENT_EXTENSIONS: &[&str] = &[".md", ".mdc", ".mdx", ".markdown", ".rst"];

/// Returns the relative path that a link leads to, if it leads to a document of the workspace.
pub(super) fn link_target(destination: &str) -> Option<String> {
    let path = destination.split(['#', '?']).next()?.trim();
    let is_external = path.is_empty()
        || path.starts_with('/')
        || path.contains("://")
        || path.starts_with("mailto:");
    let decoded = percent_decode(path);
    let lower = decoded.to_lowercase();
    let is_document = DOCUMENT_EXTENSIONS.iter().any(|extension| lower.ends_with(extension));
    (!is_external && is_document).then_some(decoded)
}

/// Returns the target of a wiki link without its heading or block; `None` for a link within the
/// document or to a URL.
pub(super) fn wiki_target(destination: &str) -> Option<String> {
    let target = destination.split(['#', '^', '|']).next()?.trim();
    (!target.is_empty() && !target.contains("://")).then(|| target.to_owned())
}

/// Returns a target without the extension of a document.
pub(crate) fn strip_extension(target: &str) -> &str {
    let extension = DOCUMENT_EXTENSIONS.iter().find(|extension| {
        let start = target.len().saturating_sub(extension.len());
        target.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(extension))
    });
    extension.map_or(target, |extension| &target[..target.len() - extension.len()])
}

/// Returns the words of a text that could be the folder name of a plan: a number, a dash and words
/// (`0043-auth`), but not a date.
pub(super) fn numbered_names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'))
        .map(|word| word.trim_end_matches(['-', '_']))
        .filter(|word| is_numbered_name(word))
}

fn is_numbered_name(word: &str) -> bool {
    name::leading_number(word).is_some_and(|digits| {
        digits.len() <= MAX_NUMBER_DIGITS && word[digits.len()..].contains(char::is_alphabetic)
    })
}

/// Returns inline code if it is the name of a plan or the id of an ADR and nothing else.
pub(super) fn name_in_code(code: &str) -> Option<&str> {
    let code = code.trim();
    let is_name = numbered_names(code).next() == Some(code)
        || adr_mentions(code).first().is_some_and(|id| id == code);
    is_name.then_some(code)
}

/// Returns whether the target of a wiki link has the form of a plan or an ADR. Any other target may
/// be a note outside the workspace.
pub(crate) fn is_plan_or_adr_name(target: &str) -> bool {
    let name = strip_extension(target.rsplit('/').next().unwrap_or(target));
    let number = name::leading_number(name)
        .filter(|digits| (MIN_PLAN_DIGITS..=MAX_NUMBER_DIGITS).contains(&digits.len()));
    let is_plan = number.is_some_and(|digits| {
        name[digits.len()..].trim_start_matches(['-', '_']).starts_with(char::is_alphabetic)
    });
    is_plan || name.to_uppercase().starts_with("ADR") && adr_id::derive_id(name).1.is_some()
}

/// Returns the ids of ADRs in a text, normalised to `ADR-` and the digits as written.
pub(super) fn adr_mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (start, prefix) in text.match_indices("ADR") {
        let starts_word =
            !text[..start].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'));
        let rest = &text[start + prefix.len()..];
        let rest = rest.strip_prefix(['-', ' ']).unwrap_or(rest);
        let (digits, after) = name::split_leading_digits(rest);
        let ends_word = !after.starts_with(char::is_alphanumeric);
        if starts_word && ends_word && (1..=adr_id::MAX_NUMBER_DIGITS).contains(&digits.len()) {
            found.push(format!("ADR-{digits}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adr_mentions_are_whole_words() {
        assert_eq!(
            adr_mentions("ADR-0003, (ADR 12) ADR7 XADR-1 ADR-1x ADR-123456 ADRs"),
            ["ADR-0003", "ADR-12", "ADR-7"]
        );
    }

    #[test]
    fn numbered_names_start_with_a_number() {
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
    fn wiki_targets_have_no_heading_and_no_block() {
        assert_eq!(wiki_target("0043-auth#Goals").as_deref(), Some("0043-auth"));
        assert_eq!(wiki_target("a/b^block").as_deref(), Some("a/b"));
        assert_eq!((wiki_target("#Goals"), wiki_target("https://x.org")), (None, None));
    }

    #[test]
    fn plans_and_adrs_are_told_from_notes() {
        for name in ["0043-auth", "plans/0043-auth.md", "ADR-0007", "adr-7-use-sqlite"] {
            assert!(is_plan_or_adr_name(name), "{name}");
        }
        for note in ["Meeting notes", "2026-02-22 standup", "01-intro", "Adrian", "2026-02-22"] {
            assert!(!is_plan_or_adr_name(note), "{note}");
        }
    }

    #[test]
    fn only_links_to_documents_are_references() {
        assert_eq!(link_target("a/b%20c.md#x").as_deref(), Some("a/b c.md"));
        for other in ["https://x.org/a.md", "/a.md", "#top", "a.png", "mailto:a@b.md"] {
            assert_eq!(link_target(other), None, "{other}");
        }
    }
}
