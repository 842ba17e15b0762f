//! The memories that were looked at, as hashes of what they said.

use std::collections::HashSet;

use heirloom_store::state::StateFolder;

use super::stored::FOLDER;
use crate::{Error, Session};

/// The file with a hash a line.
const FILE: &str = "seen";

/// Hashes of the memories that were looked at. A damaged file costs another look at some of them, and nothing else.
#[derive(Debug, Default)]
pub(super) struct SeenMemories(HashSet<String>);

impl SeenMemories {
    pub(super) fn read(session: &Session) -> Result<Self, Error> {
        let bytes = StateFolder::in_state(session.root(), FOLDER).read_bytes(FILE)?;
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let hashes = text.iter().flat_map(|text| text.lines().map(str::to_owned));
        Ok(SeenMemories(hashes.collect()))
    }

    pub(super) fn contains(&self, hash: &str) -> bool {
        self.0.contains(hash)
    }

    /// Stores the hashes that were looked at; those of memories that no longer exist are left out.
    pub(super) fn replace(session: &Session, mut hashes: Vec<String>) -> Result<(), Error> {
        hashes.sort_unstable();
        hashes.dedup();
        let mut text = hashes.join("\n");
        text.push('\n');
        Ok(StateFolder::in_state(session.root(), FOLDER).write(FILE, &text)?)
    }
}
