//! The response of an operation that changes several memories.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::{MemoryItem, show_items};
use crate::view::{Role, View, span};

/// Memories that an operation changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedItems {
    /// What was done: archived, restored, active again, pinned, released, stored, done or pending again.
    pub(crate) done: &'static str,
    /// The memories.
    pub(crate) items: Vec<MemoryItem>,
    /// Remarks on memories that were skipped or need attention.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Answer for ChangedItems {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.items.is_empty() {
            view.line([span(Role::Dim, format!("nothing {}", self.done))]);
        } else {
            view.line([span(Role::Good, self.done)]);
        }
        show_items(&mut view, &self.items);
        for note in &self.notes {
            view.line([span(Role::Dim, note)]);
        }
        view
    }
}
