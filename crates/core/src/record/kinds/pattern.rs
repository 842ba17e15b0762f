//! Patterns: code patterns of the project.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::body::{RecordBody, flatten, with_detail};
use crate::Value;

/// A code pattern of this project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Pattern {
    /// The situation in which it applies.
    pub trigger: String,
    /// The template, as a structure or as text.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub template: Value,
    /// The pattern in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Further explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

impl RecordBody for Pattern {
    fn text(&self) -> Cow<'_, str> {
        with_detail(&self.trigger, self.hint.as_deref().unwrap_or(&self.content))
    }

    fn title(&self) -> Option<&str> {
        Some(&self.trigger)
    }

    fn statements(&self) -> Cow<'_, str> {
        let mut lines = vec![self.text().into_owned()];
        // Without a hint, the text contains the explanation.
        lines.extend(self.hint.as_ref().map(|_| self.content.clone()));
        lines.push(flatten(&self.template));
        lines.retain(|line| !line.trim().is_empty());
        Cow::Owned(lines.join("\n"))
    }

    fn add_indexed_text<'t>(&'t self, parts: &mut Vec<Cow<'t, str>>) {
        parts.push(Cow::Borrowed(&self.content));
        parts.push(Cow::Owned(flatten(&self.template)));
    }
}
