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

/// Returns the size of all files in a folder, in bytes.
pub(crate) fn size_below(folder: &Path) -> Result<u64, Failure> {
    let mut total = 0;
    for entry in fs::read_dir(folder).map_err(Failure::io("reading", folder))? {
        let entry = entry.map_err(Failure::io("reading", folder))?;
        total += entry.metadata().map_err(Failure::io("reading", &entry.path()))?.len();
    }
    Ok(total)
}
