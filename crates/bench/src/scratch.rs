//! The folder that generated workspaces are written into.

use std::fs;
use std::path::{Path, PathBuf, absolute};

use tempfile::TempDir;

use crate::failure::Failure;

/// A folder for one run: removed afterwards, unless the user wants to keep it.
pub(crate) struct ScratchFolder {
    /// Where it is.
    pub(crate) path: PathBuf,
    _temporary: Option<TempDir>,
}

impl ScratchFolder {
    /// Takes the folder that the user wants to keep, else makes a temporary one.
    pub(crate) fn new(keep: Option<&Path>) -> Result<Self, Failure> {
        if let Some(folder) = keep {
            return Ok(ScratchFolder { path: kept(folder)?, _temporary: None });
        }
        let temporary = tempfile::tempdir();
        let temporary =
            temporary.map_err(Failure::io("making", Path::new("a temporary folder")))?;
        Ok(ScratchFolder { path: temporary.path().to_path_buf(), _temporary: Some(temporary) })
    }
}

/// Returns the folder that the user wants to keep, provided that nothing there could be mistaken for ours.
fn kept(folder: &Path) -> Result<PathBuf, Failure> {
    fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    let mut entries = fs::read_dir(folder).map_err(Failure::io("listing", folder))?;
    if entries.next().is_some() {
        return Err(Failure::Setup(format!(
            "{} is not empty; --keep wants a new folder",
            folder.display()
        )));
    }
    absolute(folder).map_err(Failure::io("finding", folder))
}
