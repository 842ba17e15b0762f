//! Edges: relations between records and entries.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::body::RecordBody;
use crate::record::{Referent, Relation};

/// A relation between two records or entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationRecord {
    /// The source.
    pub from: Referent,
    /// The target.
    pub to: Referent,
    /// The relation.
    pub relation: Relation,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

impl RecordBody for RelationRecord {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(format!("{} {} {}", self.from, self.relation.as_str(), self.to))
    }

    fn text_only_scanned_for_secrets(&self) -> Vec<String> {
        vec![self.content.clone()]
    }

    fn referents(&self) -> Vec<&Referent> {
        vec![&self.from, &self.to]
    }
}
