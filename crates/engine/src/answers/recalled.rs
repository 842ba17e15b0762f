//! Things that are remembered, as an answer.

use heirloom_core::Problem;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::{Thing, show_things};
use crate::present;
use crate::recall::Found;
use crate::view::{Role, View, span};

/// Things that are remembered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Recalled {
    /// The things.
    pub(crate) items: Vec<Thing>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) more: usize,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<Problem>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Recalled {
    /// Takes what was found.
    pub(crate) fn of(found: Found) -> Self {
        let items = found.hits.into_iter().map(|hit| hit.thing).collect();
        Recalled { items, more: 0, problems: found.problems }
    }

    /// Takes the first of some things.
    pub(crate) fn first(mut items: Vec<Thing>, limit: usize, problems: Vec<Problem>) -> Self {
        let more = items.len().saturating_sub(limit);
        items.truncate(limit);
        Recalled { items, more, problems }
    }
}

impl Answer for Recalled {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.items.is_empty() {
            view.line([span(Role::Dim, "none")]);
        }
        show_things(&mut view, &self.items);
        if self.more > 0 {
            view.line([span(Role::Dim, format!("and {} more; raise --limit", self.more))]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
