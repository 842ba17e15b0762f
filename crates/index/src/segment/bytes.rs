//! The bytes of a segment: a memory-mapped file, or memory.

use std::fs::File;
use std::time::SystemTime;

/// The bytes of a segment.
#[derive(Debug)]
pub(crate) enum SegmentBytes {
    /// A memory-mapped file.
    Mapped(MappedFile),
    /// Bytes in memory, of an index that is not stored.
    InMemory(Vec<u8>),
}

impl std::ops::Deref for SegmentBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            SegmentBytes::Mapped(mapped) => &mapped.map,
            SegmentBytes::InMemory(bytes) => bytes,
        }
    }
}

/// A memory-mapped file, with what is needed to notice a change of it.
#[derive(Debug)]
pub(crate) struct MappedFile {
    map: memmap2::Mmap,
    file: File,
    modified: Option<SystemTime>,
}

impl MappedFile {
    /// Maps a file into memory.
    pub(crate) fn new(file: File) -> std::io::Result<Self> {
        let modified = file.metadata()?.modified().ok();
        // SAFETY: This program never changes a segment after its final rename. Another program may
        // truncate it, and reading past the end of a truncated memory map raises SIGBUS. Servers
        // therefore check length and date before every question, so that only a truncation during
        // a question does harm.
        let map = unsafe { memmap2::Mmap::map(&file) }?;
        Ok(MappedFile { map, file, modified })
    }

    /// Returns the bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Gives the memory of the pages that were read back to the system, which reads them from the file again when they are
    /// needed.
    pub(crate) fn release_pages(&self) {
        // SAFETY: The map is shared and never written to, so its pages are those of the file.
        #[cfg(unix)]
        drop(unsafe { self.map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) });
    }

    /// Returns whether the file has the length and the modification time of when it was mapped.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.file.metadata().is_ok_and(|now| {
            now.len() == self.map.len() as u64 && now.modified().ok() == self.modified
        })
    }
}
