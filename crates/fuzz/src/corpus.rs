//! The corpus: one file per input, in a folder per target.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Returns the folder of the corpus.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// Reads the corpus of a target, in the order of file names.
pub fn load(folder: &Path, target: &str) -> io::Result<Vec<Vec<u8>>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder.join(target))?
        .map(|item| Ok(item?.path()))
        .collect::<io::Result<_>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.into_iter().map(fs::read).collect()
}
