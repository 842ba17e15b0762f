//! Events: actions on other records.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::body::RecordBody;
use crate::record::{EventAction, Referent, Resolution};

/// An action on other records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The action.
    pub action: EventAction,
    /// The records and entries that it applies to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Referent>,
    /// The events that it undoes: dates do not decide, since clocks differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undoes: Vec<Referent>,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How it resolves a contradiction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<Resolution>,
}

impl Event {
    /// Creates an action without a reason.
    pub fn new(action: EventAction, targets: Vec<Referent>) -> Self {
        Event { action, targets, undoes: vec![], reason: String::new(), resolution: None }
    }
}

impl RecordBody for Event {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.action.as_str())
    }

    fn text_only_scanned_for_secrets(&self) -> Vec<String> {
        vec![self.reason.clone()]
    }

    fn referents(&self) -> Vec<&Referent> {
        self.targets.iter().chain(&self.undoes).collect()
    }
}
