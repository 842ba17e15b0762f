//! Tombstones: what is left of purged records.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::body::RecordBody;
use crate::record::Referent;

/// States that a record was purged. Its lines are ignored wherever a merge brings them back.
///
/// What the purged record superseded stays superseded: the tombstone names it in its own `supersedes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tombstone {
    /// The purged record.
    pub purged: Referent,
    /// The hashes of the removed lines, in hexadecimal. Only these lines are deleted from a file: a line with the same
    /// id and other content is ignored, but nobody decided to delete it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line_hashes: Vec<String>,
}

impl RecordBody for Tombstone {
    fn text(&self) -> Cow<'_, str> {
        Cow::Owned(format!("{} was purged", self.purged))
    }

    fn referents(&self) -> Vec<&Referent> {
        vec![&self.purged]
    }
}
