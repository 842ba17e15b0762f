//! What a context shows of a section of a document.

use heirloom_core::assembly::readable_parts;
use heirloom_core::prose;
use heirloom_core::record::Referent;

use crate::recall::{Hit, without_cut_marks};

/// A section of a document with fewer words says nothing by itself.
const MIN_SECTION_WORDS: usize = 6;

/// What is shown of a section of a document.
pub(super) struct SectionText {
    pub(super) title: String,
    pub(super) heading: String,
    pub(super) body: String,
}

impl SectionText {
    /// Splits the text of a section, which begins with the title of its document and its heading: `title › heading: text`.
    /// `None` for other memories, and for sections without a heading.
    pub(super) fn of(hit: &Hit) -> Option<Self> {
        Self::of_parts(&[hit])
    }

    /// Returns what is shown of each section that some parts of a document belong to, in order.
    pub(super) fn of_each(parts: &[&Hit]) -> Vec<Self> {
        let sections = parts.chunk_by(|a, b| a.item.text == b.item.text);
        sections.filter_map(Self::of_parts).collect()
    }

    /// Returns what is shown of some parts of a section.
    fn of_parts(parts: &[&Hit]) -> Option<Self> {
        let hit = parts.first()?;
        let Referent::Document(id) = &hit.item.referent else { return None };
        let (title, rest) = hit.item.text.split_once(" › ")?;
        let (heading, body) = rest.split_once(": ")?;
        let start = hit.item.text.len() - body.len();
        let shown = shown_parts(parts);
        let prefix = one_line(&hit.item.text[..start]);
        let title = title.strip_prefix(document_pointer(id)).unwrap_or(title);
        let title = title.trim_start_matches([':', ' ']);
        let is_not_in_force = |status: &&String| !status.eq_ignore_ascii_case("accepted");
        let title = match hit.item.status.as_ref().filter(is_not_in_force) {
            Some(status) if !title.is_empty() => format!("{title} ({status})"),
            _ => title.to_owned(),
        };
        Some(SectionText {
            title,
            heading: heading.to_owned(),
            body: shown.strip_prefix(&prefix).unwrap_or(&shown).trim_start().to_owned(),
        })
    }

    /// Returns what its lines begin with.
    pub(super) fn label(&self, with_title: bool) -> String {
        let title = if with_title { self.title_label() } else { String::new() };
        format!("{title}{}: ", self.heading)
    }

    /// Returns the title, as lines begin with it.
    pub(super) fn title_label(&self) -> String {
        match self.title.is_empty() {
            true => String::new(),
            false => format!("{} › ", self.title),
        }
    }
}

/// Joins sections of a document, each with its heading.
pub(super) fn merged_sections(sections: &[SectionText]) -> String {
    let text = |section: &SectionText| format!("{}: {}", section.heading, section.body);
    sections.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// An episode with more words is shown in part.
const MAX_EPISODE_WORDS: usize = 120;

fn is_short(episode: &str) -> bool {
    episode.split_whitespace().count() <= MAX_EPISODE_WORDS
}

/// Returns what is shown of a memory: all of a short text, and of a long one the sentences of the passage that matches.
pub(super) fn shown_text(hit: &Hit) -> String {
    let statements = hit.item.statements.as_deref().filter(|all| is_short(all));
    if let Some(statements) = statements {
        return statements.lines().map(one_line).collect::<Vec<_>>().join(" · ");
    }
    let text = hit.item.text.as_str();
    let passage = hit.passage.as_deref().map(without_cut_marks);
    if hit.is_section() {
        return shown_parts(&[hit]);
    }
    let sentences = passage.map(|passage| prose::whole_sentences(text, passage).join(" "));
    match sentences.filter(|sentences| !sentences.is_empty()) {
        Some(sentences) => one_line(&sentences),
        // The passage is not a part of the text: the excerpt of an episode.
        None => one_line(passage.unwrap_or(text)),
    }
}

/// Returns what is shown of parts of a section.
fn shown_parts(parts: &[&Hit]) -> String {
    let Some(hit) = parts.first() else { return String::new() };
    let text = hit.item.text.as_str();
    let passages: Vec<&str> =
        parts.iter().map(|hit| hit.passage.as_deref().map_or(text, without_cut_marks)).collect();
    readable_parts(text, &passages).unwrap_or_else(|| one_line(passages[0]))
}

/// Returns the name under which a document can be read: the number of a decision record, or the id of another document.
pub(super) fn document_pointer(id: &str) -> &str {
    id.strip_prefix("adr/").unwrap_or(id)
}

/// Joins the lines of a text.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a section of a document says nothing by itself: a date, a status, the definition of a link.
pub(super) fn says_nothing(hit: &Hit) -> bool {
    if !hit.is_section() {
        return false;
    }
    let (heading, body) = match SectionText::of(hit) {
        Some(section) => (section.heading, section.body),
        None => (String::new(), shown_text(hit)),
    };
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let words = body.split_whitespace().filter(|word| !word.contains("://"));
    ["status", "date"].iter().any(|name| heading.eq_ignore_ascii_case(name))
        || words.filter(is_word).count() < MIN_SECTION_WORDS
}
