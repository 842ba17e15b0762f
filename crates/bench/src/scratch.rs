//! The folders of generated workspaces.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use tempfile::TempDir;

use crate::failure::Failure;

/// The folder of one run, which is removed afterwards unless the user keeps it.
pub(crate) struct ScratchFolder {
    pub(crate) path: PathBuf,
    _temporary: Option<TempDir>,
}

impl ScratchFolder {
    /// Uses the folder of `--keep`, or creates a temporary one.
    pub(crate) fn new(keep: Option<&Path>) -> Result<Self, Failure> {
        if let Some(folder) = keep {
            return Ok(ScratchFolder { path: prepare_kept(folder)?, _temporary: None });
        }
        let temporary = temporary_folder()?;
        Ok(ScratchFolder { path: temporary.path().to_path_buf(), _temporary: Some(temporary) })
    }
}

/// Creates a temporary folder, which is removed when it is dropped.
pub(crate) fn temporary_folder() -> Result<TempDir, Failure> {
    tempfile::tempdir().map_err(Failure::io("making", Path::new("a temporary folder")))
}

/// Creates the folder of `--keep`, and fails if it is not empty.
fn prepare_kept(folder: &Path) -> Result<PathBuf, Failure> {
    fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    let mut entries = fs::read_dir(folder).map_err(Failure::io("listing", folder))?;
    if entries.next().is_some() {
        return Err(Failure::new(format!(
            "{} is not empty; give --keep a new or an empty folder",
            folder.display()
        )));
    }
    absolute(folder).map_err(Failure::io("finding", folder))
}
