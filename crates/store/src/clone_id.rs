//! The id of a clone, which is part of the names of the shards that it writes.
//!
//! Two clones with one id would append to the same files, and code hosts report a conflict when both are pushed. A copy of
//! a clone has a copy of the file with the id, so the file also states its own creation time and inode: a copy differs in
//! these, and gets a new id.

use std::io::{self, Seek, SeekFrom, Write};
use std::time::UNIX_EPOCH;

use crate::confined::ConfinedDir;
use crate::files::is_missing;
use crate::stamp::Stamp;

/// The file, relative to the local state.
pub(crate) const FILE: &str = "clone";

/// A larger file is not read: a valid one has less than 100 bytes.
const MAX_BYTES: u64 = 1024;

/// Creation time and inode of a file, which tell it from a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    /// In nanoseconds since 1970; 0 where the file system does not store it.
    created: u128,
    inode: u64,
}

impl FileIdentity {
    fn of(dir: &ConfinedDir) -> io::Result<Self> {
        let metadata = dir.metadata(FILE)?;
        let created = metadata.created().ok().map(cap_std::time::SystemTime::into_std);
        let created = created.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let created = created.map(|since| since.as_nanos()).unwrap_or_default();
        Ok(FileIdentity { created, inode: Stamp::new(&metadata).inode })
    }

    /// Returns whether this is the identity of a copy. The inode decides only where there is no creation time, since
    /// some file systems change inodes when they are mounted again.
    fn is_copy_of(&self, stated: &FileIdentity) -> bool {
        match (self.created, stated.created) {
            (0, _) | (_, 0) => self.inode != stated.inode,
            (own, stated) => own != stated,
        }
    }
}

/// Reads the id, and creates it if there is none or if the clone is a copy.
pub(crate) fn read_or_create(state: &ConfinedDir) -> io::Result<String> {
    let text = match state.read_text(FILE, MAX_BYTES) {
        Ok(text) => text,
        Err(error) if is_missing(&error) => String::new(),
        Err(error) => return Err(error),
    };
    let mut words = text.split_whitespace();
    let id = words.next();
    let numbers = words.next().zip(words.next());
    let stated = numbers.and_then(|(created, inode)| {
        Some(FileIdentity { created: created.parse().ok()?, inode: inode.parse().ok()? })
    });
    match (id, stated) {
        (Some(id), Some(stated)) if !FileIdentity::of(state)?.is_copy_of(&stated) => {
            Ok(id.to_owned())
        }
        // Earlier versions wrote the id alone.
        (Some(id), None) => write(state, id),
        _ => {
            state.remove_if_exists(FILE)?;
            write(state, &uuid::Uuid::new_v4().simple().to_string())
        }
    }
}

/// Writes the id with the identity of the file. The file is not replaced, since a new file has a new identity.
fn write(state: &ConfinedDir, id: &str) -> io::Result<String> {
    let mut file = state.open_to_write(FILE)?;
    let FileIdentity { created, inode } = FileIdentity::of(state)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{id} {created} {inode}\n").as_bytes())?;
    file.sync_all()?;
    state.sync_parent(FILE);
    Ok(id.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_copy_gets_an_id_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let [own, copied, moved] = ["own", "copied", "moved"].map(|name| folder.path().join(name));
        fs::create_dir(&own).unwrap();
        fs::create_dir(&copied).unwrap();
        let id =
            |path: &std::path::Path| read_or_create(&ConfinedDir::open(path).unwrap()).unwrap();
        let first = id(&own);
        assert_eq!(id(&own), first);
        // The clock of the file system may tick only every few milliseconds.
        let is_copied = || {
            drop(fs::remove_file(copied.join(FILE)));
            fs::copy(own.join(FILE), copied.join(FILE)).unwrap();
            id(&copied) != first
        };
        assert!((0..1000).any(|_| is_copied()));
        let second = id(&copied);
        assert_eq!(id(&copied), second);
        fs::rename(&own, &moved).unwrap();
        assert_eq!(id(&moved), first);
    }

    #[test]
    fn an_id_of_an_earlier_version_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "0123456789abcdef\n").unwrap();
        let state = ConfinedDir::open(folder.path()).unwrap();
        for _ in 0..2 {
            assert_eq!(read_or_create(&state).unwrap(), "0123456789abcdef");
        }
    }
}
