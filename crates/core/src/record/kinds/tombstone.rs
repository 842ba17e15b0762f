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
    /// The hashes of the removed lines, in hexadecimal. Only lines with these hashes are deleted from files. Readers
    /// ignore every line with the id, but a line with other content stays in its file until it is purged, too.
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
