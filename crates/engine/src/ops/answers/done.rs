//! Something that was done to several things.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::{MemoryItem, show_items};
use crate::view::{Role, View, span};

/// Something that was done to several things.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// What was done.
    pub(crate) done: &'static str,
    /// What it was done to.
    pub(crate) items: Vec<MemoryItem>,
    /// What to know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Answer for Done {
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
