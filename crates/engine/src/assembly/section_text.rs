//! What a context shows of a section of a document.

use heirloom_core::prose;
use heirloom_core::record::Referent;

use crate::recall::{Hit, without_cut_marks};

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
        let Referent::Document(id) = &hit.item.referent else { return None };
        let (title, rest) = hit.item.text.split_once(" › ")?;
        let (heading, body) = rest.split_once(": ")?;
        let start = hit.item.text.len() - body.len();
        let shown = shown_text(hit);
        let prefix = one_line(&hit.item.text[..start]);
        let title = title.strip_prefix(document_pointer(id)).unwrap_or(title);
        Some(SectionText {
            title: title.trim_start_matches([':', ' ']).to_owned(),
            heading: heading.to_owned(),
            body: shown.strip_prefix(&prefix).unwrap_or(&shown).trim_start().to_owned(),
        })
    }

    /// Returns what its lines begin with.
    pub(super) fn label(&self, with_title: bool) -> String {
        match with_title && !self.title.is_empty() {
            true => format!("{} › {}: ", self.title, self.heading),
            false => format!("{}: ", self.heading),
        }
    }
}

/// Returns what is shown of a memory: all of a short text, and of a long one the sentences of the passage that matches.
pub(super) fn shown_text(hit: &Hit) -> String {
    let Some(passage) = &hit.passage else { return one_line(&hit.item.text) };
    let passage = without_cut_marks(passage);
    match prose::whole_sentences(&hit.item.text, passage).as_slice() {
        // The passage is not a part of the text: the excerpt of an episode, or the instructions of a message.
        [] if !hit.item.text.contains(passage) => one_line(passage),
        sentences => one_line(&sentences.join(" ")),
    }
}

/// Returns the name under which a document can be read: the number of a decision record, or the id of another document.
pub(super) fn document_pointer(id: &str) -> &str {
    id.strip_prefix("adr/").unwrap_or(id)
}

/// Joins the lines of a text.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
