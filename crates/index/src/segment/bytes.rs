//! Where the bytes of a segment are.

use std::fs::File;
use std::time::SystemTime;

/// Where the bytes are.
#[derive(Debug)]
pub(crate) enum Bytes {
    /// In a file.
    Mapped(Mapped),
    /// In memory.
    Held(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(mapped) => &mapped.map,
            Bytes::Held(bytes) => bytes,
        }
    }
}

/// A file whose bytes are read where they lie.
#[derive(Debug)]
pub(crate) struct Mapped {
    map: memmap2::Mmap,
    file: File,
    modified: Option<SystemTime>,
}

impl Mapped {
    /// Takes a file.
    pub(crate) fn new(file: File) -> std::io::Result<Self> {
        let modified = file.metadata()?.modified().ok();
        // SAFETY: nobody of ours changes a segment once it has its name. Somebody else may, by hand,
        // and whoever then reads what is not there any more is ended: so a file is looked at before
        // every question, and only who cuts it off in the middle of one does harm.
        let map = unsafe { memmap2::Mmap::map(&file) }?;
        Ok(Mapped { map, file, modified })
    }

    /// Returns whether nobody has changed it since it was opened.
    pub(super) fn is_as_opened(&self) -> bool {
        self.file.metadata().is_ok_and(|now| {
            now.len() == self.map.len() as u64 && now.modified().ok() == self.modified
        })
    }
}
