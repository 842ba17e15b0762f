//! Small JSON files in the local state of this machine, each replaced atomically.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::confined::{ConfinedDir, IfMissing};
use crate::files::is_missing;
use crate::{Root, StoreError};

/// A larger file is not read.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A collection of named JSON files: one folder of the local state.
#[derive(Debug)]
pub struct StateFolder<'r> {
    parent: ParentFolder<'r>,
    collection: String,
    /// The folder, once it was opened.
    opened: OnceLock<ConfinedDir>,
}

/// An exclusive lock on a file of a collection; dropping it releases the lock.
#[derive(Debug)]
pub struct StateLock {
    _file: File,
}

/// How many damaged versions of a file are kept.
const MAX_DAMAGED_FILES: usize = 9;

/// The folder that contains the folder of a collection.
#[derive(Debug)]
enum ParentFolder<'r> {
    /// The local state of a workspace.
    State(&'r Root),
    /// A folder of the user, independent of any workspace.
    User(PathBuf),
}

impl<'r> StateFolder<'r> {
    /// Returns a collection in the local state of a workspace.
    pub fn in_state(root: &'r Root, collection: &str) -> Self {
        StateFolder::new(ParentFolder::State(root), collection)
    }

    /// Returns a collection in a folder of the user.
    pub(crate) fn in_folder(folder: PathBuf, collection: &str) -> StateFolder<'static> {
        StateFolder::new(ParentFolder::User(folder), collection)
    }

    fn new(parent: ParentFolder<'r>, collection: &str) -> Self {
        StateFolder { parent, collection: collection.to_owned(), opened: OnceLock::new() }
    }

    /// Returns whether the folder exists, which is cheaper than listing it.
    pub fn exists(&self) -> bool {
        self.folder_path().is_dir()
    }

    /// Lists the names in alphabetical order.
    pub fn names(&self) -> Vec<String> {
        let names = self.open_existing().ok().flatten().and_then(|dir| dir.names().ok());
        let names = names.unwrap_or_default().into_iter();
        names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect()
    }

    /// Reads a file; `None` if it does not exist.
    pub fn read(&self, name: &str) -> Result<Option<String>, StoreError> {
        let Some(dir) = self.open_existing()? else { return Ok(None) };
        match dir.read_text(&file_name(name), MAX_FILE_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.io_error(name, error)),
        }
    }

    /// Reads the bytes of a file; `None` if it does not exist.
    pub fn read_bytes(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(dir) = self.open_existing()? else { return Ok(None) };
        match dir.read(&file_name(name), MAX_FILE_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.io_error(name, error)),
        }
    }

    /// Returns the size of a file in bytes; 0 if it does not exist.
    pub fn size(&self, name: &str) -> u64 {
        let dir = self.open_existing().ok().flatten();
        let metadata = dir.and_then(|dir| dir.metadata(&file_name(name)).ok());
        metadata.map_or(0, |metadata| metadata.len())
    }

    /// Waits for the lock on a file, which is another file beside it, since replacing a file releases its own lock.
    pub fn lock(&self, name: &str) -> Result<StateLock, StoreError> {
        let io = |error| self.io_error(name, error);
        let file = self.open_or_create()?.open_to_write(&format!("{name}.lock")).map_err(io)?;
        file.lock().map_err(io)?;
        Ok(StateLock { _file: file })
    }

    /// Renames a damaged file, so that a new one can begin and nothing is lost. Returns its new path.
    pub fn set_aside(&self, name: &str) -> Result<PathBuf, StoreError> {
        let dir = self.open_or_create()?;
        let numbered = |number: usize| format!("{name}.damaged-{number}");
        let free = (1..MAX_DAMAGED_FILES).map(numbered).find(|name| !dir.exists(name));
        let kept = free.unwrap_or_else(|| numbered(MAX_DAMAGED_FILES));
        dir.rename(&file_name(name), &kept).map_err(|error| self.io_error(name, error))?;
        Ok(self.folder_path().join(kept))
    }

    /// Creates or replaces a file.
    pub fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let written = self.open_or_create()?.replace(&file_name(name), text);
        written.map_err(|error| self.io_error(name, error))
    }

    /// Creates or replaces a file that a crash of the system may damage or lose.
    pub fn write_unsynced(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let written = self.open_or_create()?.replace_unsynced(&file_name(name), text);
        written.map_err(|error| self.io_error(name, error))
    }

    /// Appends a line to a file, which is created if it does not exist, and returns the size of the file in bytes. Lines
    /// of concurrent processes do not mix. The line is not synced to disk.
    pub fn append(&self, name: &str, line: &str) -> Result<u64, StoreError> {
        let appended = self.open_or_create()?.append(&file_name(name), &format!("{line}\n"));
        appended.map_err(|error| self.io_error(name, error))
    }

    /// Removes a file if it exists.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let Some(dir) = self.open_existing()? else { return Ok(()) };
        dir.remove_if_exists(&file_name(name)).map_err(|error| self.io_error(name, error))
    }

    /// Reads a text file; `None` if it does not exist. Its name has an extension.
    pub fn read_text(&self, file: &str) -> Result<Option<String>, StoreError> {
        let Some(dir) = self.open_existing()? else { return Ok(None) };
        match dir.read_text(file, MAX_FILE_BYTES) {
            Ok(text) => Ok(Some(text)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.text_error(file, error)),
        }
    }

    /// Creates or replaces a text file.
    pub fn write_text(&self, file: &str, text: &str) -> Result<(), StoreError> {
        let written = self.open_or_create()?.replace(file, text);
        written.map_err(|error| self.text_error(file, error))
    }

    /// Removes a text file if it exists.
    pub fn remove_text(&self, file: &str) -> Result<(), StoreError> {
        let Some(dir) = self.open_existing()? else { return Ok(()) };
        dir.remove_if_exists(file).map_err(|error| self.text_error(file, error))
    }

    /// Returns the absolute path of a text file.
    pub fn text_path(&self, file: &str) -> PathBuf {
        self.folder_path().join(file)
    }

    fn text_error(&self, file: &str, error: std::io::Error) -> StoreError {
        StoreError::io(self.text_path(file).display().to_string(), error)
    }

    /// Returns the absolute path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder_path().join(file_name(name))
    }

    fn folder_path(&self) -> PathBuf {
        let folder = match &self.parent {
            ParentFolder::State(root) => PathBuf::from(root.state_path()),
            ParentFolder::User(folder) => folder.clone(),
        };
        folder.join(&self.collection)
    }

    fn open_or_create(&self) -> Result<&ConfinedDir, StoreError> {
        if let Some(dir) = self.opened.get() {
            return Ok(dir);
        }
        let dir = match &self.parent {
            ParentFolder::State(root) => {
                root.state()?.open_private(&self.collection, IfMissing::Create)
            }
            ParentFolder::User(folder) => fs::create_dir_all(folder).and_then(|()| {
                ConfinedDir::open(folder)?.open_private(&self.collection, IfMissing::Create)
            }),
        };
        let dir = dir.map_err(|error| self.io_error("", error))?;
        Ok(self.opened.get_or_init(|| dir))
    }

    fn open_existing(&self) -> Result<Option<&ConfinedDir>, StoreError> {
        if let Some(dir) = self.opened.get() {
            return Ok(Some(dir));
        }
        let opened = match &self.parent {
            ParentFolder::State(root) => match root.existing_state()? {
                Some(state) => state.open_private(&self.collection, IfMissing::Fail),
                None => return Ok(None),
            },
            ParentFolder::User(folder) => ConfinedDir::open(folder)
                .and_then(|dir| dir.open_private(&self.collection, IfMissing::Fail)),
        };
        match opened {
            Ok(dir) => Ok(Some(self.opened.get_or_init(|| dir))),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.io_error("", error)),
        }
    }

    fn io_error(&self, name: &str, error: std::io::Error) -> StoreError {
        StoreError::io(self.path(name).display().to_string(), error)
    }
}

fn file_name(name: &str) -> String {
    format!("{name}.json")
}
