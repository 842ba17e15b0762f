//! The response of an operation that writes a record to the log.

use heirloom_core::Hint;
use heirloom_core::record::{Record, Referent, short_id};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::contradictions::{ContradictedMemory, show_contradicted};
use crate::memory::{SimilarMemory, show_similar};
use crate::view::{Role, View, present, span};

/// A record of the log, and what was done to it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoredRecord {
    /// What was done: stored, reinforced, superseded (an older one), promoted to.
    pub(crate) done: &'static str,
    /// Id; commands accept its last 8 characters.
    pub(crate) id: String,
    /// Kind of record.
    pub(crate) kind: &'static str,
    /// Text of the record.
    pub(crate) text: String,
    /// Ids of the records that it replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaced: Vec<Referent>,
    /// Memories that it contradicts. They were not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) contradictions: Vec<ContradictedMemory>,
    /// Memories with nearly the same text. They were not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) near: Vec<SimilarMemory>,
    /// Whether it is kept on this machine, out of git.
    pub(crate) private: bool,
    /// Remarks and warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<Hint>,
}

impl StoredRecord {
    /// Describes a record that was written.
    pub(crate) fn of(done: &'static str, record: &Record) -> Self {
        StoredRecord {
            done,
            id: record.id.to_string(),
            kind: record.kind().as_str(),
            text: record.text().into_owned(),
            replaced: record.supersedes.clone(),
            contradictions: vec![],
            near: vec![],
            private: record.is_private(),
            notes: vec![],
        }
    }
}

impl Answer for StoredRecord {
    fn view(&self) -> View {
        let mut view = View::new();
        // The record shown is the new one; "superseded" before it would read as if it were the old one.
        let verb = if self.done == "superseded" { "stored" } else { self.done };
        view.line([
            span(Role::Good, format!("{verb} {} ", self.kind)),
            span(Role::Key, short_id(&self.id)),
            "  ".into(),
            present::opening(&self.text).into(),
            span(Role::Dim, if self.private { "  (private)" } else { "" }),
        ]);
        for note in &self.notes {
            view.line([span(Role::Warning, Hint::text("   ").then_hint(note))]);
        }
        for replaced in &self.replaced {
            view.line([span(Role::Dim, format!("   replaces {}", replaced.short()))]);
        }
        show_contradicted(&mut view, &self.contradictions);
        show_similar(&mut view, &self.near);
        view
    }
}
