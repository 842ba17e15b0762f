//! The text file in which proposals are reviewed in an editor. It is in the state of this machine, so that what was typed
//! is kept when it cannot be read.

use std::path::PathBuf;

use heirloom_store::state::StateFolder;

use super::proposals::FOLDER;
use crate::{Error, Session};

/// Its name.
const FILE: &str = "review.txt";

/// The name of the file with the text of one proposal.
const FILE_OF_ONE: &str = "proposal.txt";

/// The file of a review.
pub struct ReviewFile<'s> {
    folder: StateFolder<'s>,
    name: &'static str,
}

impl<'s> ReviewFile<'s> {
    /// Returns the file of a workspace.
    pub fn of(session: &'s Session) -> Self {
        ReviewFile { folder: StateFolder::in_state(session.root(), FOLDER), name: FILE }
    }

    /// Returns the file in which the text of one proposal is changed.
    pub fn of_one(session: &'s Session) -> Self {
        ReviewFile { name: FILE_OF_ONE, ..Self::of(session) }
    }

    /// Returns its path.
    pub fn path(&self) -> PathBuf {
        self.folder.text_path(self.name)
    }

    /// Reads it; `None` if there is no review to go on with.
    pub fn read(&self) -> Result<Option<String>, Error> {
        Ok(self.folder.read_text(self.name)?)
    }

    /// Writes it.
    pub fn write(&self, text: &str) -> Result<(), Error> {
        Ok(self.folder.write_text(self.name, text)?)
    }

    /// Removes it, once all of it was carried out.
    pub fn remove(&self) -> Result<(), Error> {
        Ok(self.folder.remove_text(self.name)?)
    }
}
