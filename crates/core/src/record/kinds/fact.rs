//! Facts: pieces of knowledge.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::body::RecordBody;
use crate::record::FactSection;

/// A piece of knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The section that it belongs to.
    pub section: FactSection,
    /// The text; may be empty if there are a key and a value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// The key, for a fact in the form of key and value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The value of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The part of the project for which it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

impl RecordBody for Fact {
    fn text(&self) -> Cow<'_, str> {
        match (&self.key, &self.value) {
            (Some(key), Some(value)) if self.content.is_empty() => {
                Cow::Owned(format!("{key}: {value}"))
            }
            _ => Cow::Borrowed(&self.content),
        }
    }

    fn title(&self) -> Option<&str> {
        self.key.as_deref()
    }

    fn add_indexed_text<'t>(&'t self, parts: &mut Vec<Cow<'t, str>>) {
        let optional = [&self.key, &self.value, &self.scope];
        parts.extend(optional.into_iter().flatten().map(|text| Cow::Borrowed(text.as_str())));
    }

    fn text_only_scanned_for_secrets(&self) -> Vec<String> {
        match (&self.key, &self.value) {
            (Some(key), Some(value)) => vec![format!("{key} = {value}")],
            _ => vec![],
        }
    }
}
