//! The response of an operation that writes an entry of a memory document.

use heirloom_core::memory::EntryKind;
use heirloom_core::record::short_id;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::contradictions::{ContradictedMemory, show_contradicted};
use crate::view::{Role, View, present, span};

/// An entry of a memory document, and what was done to it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WrittenEntry {
    /// What was done: added, already there, resolved, noted, promoted or moved.
    pub(crate) done: &'static str,
    /// Kind of entry.
    #[serde(rename = "type")]
    pub(crate) kind: EntryKind,
    /// Kind and number within the document: finding-3.
    pub(crate) name: String,
    /// Stable id.
    pub(crate) id: String,
    /// Text of the entry.
    pub(crate) text: String,
    /// Path of the memory document.
    pub(crate) source: String,
    /// Id of the fact that was also stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fact: Option<String>,
    /// The agent's entry that it was promoted from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    /// Memories that it contradicts. They were not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) contradictions: Vec<ContradictedMemory>,
    /// What is unusual about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notices: Vec<String>,
}

impl Answer for WrittenEntry {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("{} ", self.done)),
            span(Role::Key, &self.name),
            span(Role::Dim, format!(" {}  ", short_id(&self.id))),
            present::opening(&self.text).into(),
            "  ".into(),
            span(Role::Source, &self.source),
        ]);
        if let Some(from) = &self.from {
            view.line([span(Role::Dim, format!("   from {from}"))]);
        }
        if let Some(fact) = &self.fact {
            view.line([span(Role::Dim, format!("   also stored as fact {}", short_id(fact)))]);
        }
        show_contradicted(&mut view, &self.contradictions);
        for notice in &self.notices {
            view.line([span(Role::Warning, format!("   ⚠️ {notice}"))]);
        }
        view
    }
}
