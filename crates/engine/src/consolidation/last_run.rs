//! What the last consolidation did, as it is stored on this machine.

use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Error, Session};

/// Folder in the state of this machine.
const FOLDER: &str = "consolidation";

/// Its file with the counts.
const FILE: &str = "last";

/// The counts of the last consolidation, and of the last plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LastConsolidation {
    /// When a consolidation ran last.
    pub(crate) ran_at: Option<Timestamp>,
    /// When a plan was made last.
    pub(crate) planned_at: Option<Timestamp>,
    /// How many facts the last plan would merge away, and has not.
    pub(crate) duplicates: usize,
    /// How many episodes it would shorten.
    pub(crate) episodes: usize,
    /// How many memories it would archive.
    pub(crate) forgotten: usize,
}

impl LastConsolidation {
    /// Reads the counts; a damaged file counts as empty.
    pub(crate) fn read(session: &Session) -> Self {
        let bytes = folder(session).read_bytes(FILE).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Stores the counts.
    pub(crate) fn write(&self, session: &Session) -> Result<(), Error> {
        let text = serde_json::to_string(self).map_err(|error| Error::system(error.to_string()))?;
        Ok(folder(session).write(FILE, &text)?)
    }
}

fn folder(session: &Session) -> StateFolder<'_> {
    StateFolder::in_state(session.root(), FOLDER)
}
