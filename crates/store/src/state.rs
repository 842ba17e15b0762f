//! Small files of this machine's own state, each written whole.

use std::fs;
use std::path::PathBuf;

use crate::files::{is_missing, sync_folder};
use crate::{Root, StoreError};

/// Files of one sort in this machine's own state, by name.
#[derive(Debug)]
pub struct Shelf {
    folder: PathBuf,
}

impl Shelf {
    /// Takes the files of one sort.
    pub fn of(root: &Root, sort: &str) -> Self {
        Shelf { folder: root.state_folder().join(sort) }
    }

    /// Takes the files of a folder.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Shelf { folder }
    }

    /// Lists the names, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
            .collect();
        names.sort();
        names
    }

    /// Reads a file; a missing one is `None`.
    pub fn read(&self, name: &str) -> Result<Option<String>, StoreError> {
        match fs::read_to_string(self.path(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.failed(name, error)),
        }
    }

    /// Writes a file, in place of what was there.
    pub fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let path = self.path(name);
        let draft = path.with_extension("draft");
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&draft, text))
            .and_then(|()| fs::File::open(&draft)?.sync_all())
            .and_then(|()| fs::rename(&draft, &path));
        written.map_err(|error| self.failed(name, error))?;
        sync_folder(&path);
        Ok(())
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        match fs::remove_file(self.path(name)) {
            Ok(()) => Ok(()),
            Err(error) if is_missing(&error) => Ok(()),
            Err(error) => Err(self.failed(name, error)),
        }
    }

    /// Returns where a file lies.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    fn failed(&self, name: &str, error: std::io::Error) -> StoreError {
        StoreError::io(self.path(name).display().to_string(), error)
    }
}
