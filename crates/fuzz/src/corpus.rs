//! The seeds of a target: one file per input, in a folder with the target's name.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns where the seeds are kept.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// Reads the seeds of a target, in the order of their names.
pub fn load(folder: &Path, target: &str) -> io::Result<Vec<Vec<u8>>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder.join(target))?
        .map(|item| Ok(item?.path()))
        .collect::<io::Result<_>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.into_iter().map(fs::read).collect()
}
