//! Workflows: procedures of the project.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::body::{RecordBody, flatten, with_detail};
use crate::Value;

/// A procedure of this project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Workflow {
    /// The situation in which it applies.
    pub trigger: String,
    /// The steps, in order.
    pub steps: Vec<String>,
    /// Details of the steps, by step.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The steps in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Further explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

impl RecordBody for Workflow {
    fn text(&self) -> Cow<'_, str> {
        match &self.hint {
            Some(hint) => with_detail(&self.trigger, hint),
            None => Cow::Owned(format!("{}: {}", self.trigger, self.steps.join(" → "))),
        }
    }

    fn title(&self) -> Option<&str> {
        Some(&self.trigger)
    }

    fn statements(&self) -> Cow<'_, str> {
        let mut lines = vec![self.text().into_owned()];
        // Without a hint, the text contains the steps.
        lines.extend(self.hint.as_ref().map(|_| self.steps.join(" → ")));
        lines.push(self.content.clone());
        lines.extend(
            self.details.iter().map(|(step, detail)| format!("{step}: {}", flatten(detail))),
        );
        lines.retain(|line| !line.trim().is_empty());
        Cow::Owned(lines.join("\n"))
    }

    fn add_indexed_text<'t>(&'t self, parts: &mut Vec<Cow<'t, str>>) {
        parts.push(Cow::Borrowed(&self.content));
        parts.push(Cow::Owned(self.steps.join(" ")));
        parts.extend(self.details.values().map(|value| Cow::Owned(flatten(value))));
    }
}
