//! Writing files.

use std::fs;
use std::path::Path;

use crate::failure::Failure;

/// Writes a file, and creates its folder.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    }
    fs::write(path, text).map_err(Failure::io("writing", path))
}
