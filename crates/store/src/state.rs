//! Small files of this machine's own state, each written whole.

use std::fs;
use std::path::PathBuf;

use crate::confined::{ConfinedDir, Missing};
use crate::files::is_missing;
use crate::{Root, StoreError};

/// A larger file is not one of ours.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Files of one sort in this machine's own state, by name.
#[derive(Debug)]
pub struct Shelf<'r> {
    place: Place<'r>,
    sort: String,
}

#[derive(Debug)]
enum Place<'r> {
    /// In the state of a workspace.
    State(&'r Root),
    /// In a folder of the person at this machine.
    Folder(PathBuf),
}

impl<'r> Shelf<'r> {
    /// Takes the files of one sort.
    pub fn of(root: &'r Root, sort: &str) -> Self {
        Shelf { place: Place::State(root), sort: sort.to_owned() }
    }

    /// Takes the files of one sort in a folder of the person at this machine.
    pub(crate) fn at(folder: PathBuf, sort: &str) -> Shelf<'static> {
        Shelf { place: Place::Folder(folder), sort: sort.to_owned() }
    }

    /// Lists the names, in order.
    pub fn names(&self) -> Vec<String> {
        let names = self.existing().ok().flatten().and_then(|dir| dir.names().ok());
        let names = names.unwrap_or_default().into_iter();
        names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect()
    }

    /// Reads a file; a missing one is `None`.
    pub fn read(&self, name: &str) -> Result<Option<String>, StoreError> {
        let Some(dir) = self.existing()? else { return Ok(None) };
        match dir.read_text(&file(name), MAX_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.failed(name, error)),
        }
    }

    /// Writes a file, in place of what was there.
    pub fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let dir = match &self.place {
            Place::State(root) => root.state()?.open_private(&self.sort, Missing::Create),
            Place::Folder(folder) => fs::create_dir_all(folder).and_then(|()| {
                ConfinedDir::open(folder)?.open_private(&self.sort, Missing::Create)
            }),
        };
        let written = dir.and_then(|dir| dir.replace(&file(name), text));
        written.map_err(|error| self.failed(name, error))
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let Some(dir) = self.existing()? else { return Ok(()) };
        dir.remove_if_there(&file(name)).map_err(|error| self.failed(name, error))
    }

    /// Returns where a file lies.
    pub fn path(&self, name: &str) -> PathBuf {
        let folder = match &self.place {
            Place::State(root) => PathBuf::from(root.state_shown()),
            Place::Folder(folder) => folder.clone(),
        };
        folder.join(&self.sort).join(file(name))
    }

    fn existing(&self) -> Result<Option<ConfinedDir>, StoreError> {
        let opened = match &self.place {
            Place::State(root) => match root.existing_state()? {
                Some(state) => state.open_private(&self.sort, Missing::Fail),
                None => return Ok(None),
            },
            Place::Folder(folder) => ConfinedDir::open(folder)
                .and_then(|dir| dir.open_private(&self.sort, Missing::Fail)),
        };
        match opened {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.failed("", error)),
        }
    }

    fn failed(&self, name: &str, error: std::io::Error) -> StoreError {
        StoreError::io(self.path(name).display().to_string(), error)
    }
}

fn file(name: &str) -> String {
    format!("{name}.json")
}
