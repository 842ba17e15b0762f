//! An entry that was written into a memory document.

use heirloom_core::memory::EntryKind;
use heirloom_core::record::short;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::view::{Role, View, span};

/// An entry of a memory document, and what was done with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Kept {
    /// What was done: added, already there, resolved, promoted.
    pub(crate) done: &'static str,
    /// What it is.
    #[serde(rename = "type")]
    pub(crate) kind: EntryKind,
    /// Its ordinal name.
    pub(crate) name: String,
    /// Its id.
    pub(crate) id: String,
    /// What it says.
    pub(crate) text: String,
    /// Its file.
    pub(crate) source: String,
    /// The fact that was made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fact: Option<String>,
    /// What it was promoted from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
}

impl Answer for Kept {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("{} ", self.done)),
            span(Role::Key, &self.name),
            span(Role::Dim, format!(" {}  ", short(&self.id))),
            self.text.replace('\n', " ").into(),
            "  ".into(),
            span(Role::Source, &self.source),
        ]);
        if let Some(from) = &self.from {
            view.line([span(Role::Dim, format!("   from {from}"))]);
        }
        if let Some(fact) = &self.fact {
            view.line([span(Role::Dim, format!("   also stored as the fact {}", short(fact)))]);
        }
        view
    }
}
