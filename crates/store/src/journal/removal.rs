//! Removal of lines from the log, for a purge.
//!
//! The journal has the hashes of the lines and not their text, so it does not keep what is being purged. Removing lines
//! twice has the same result as once, so recovery repeats the step.

use std::collections::HashSet;

use heirloom_core::byte_order_mark;
use serde::{Deserialize, Serialize};

use super::{BaseDir, Directories, concurrent_edit, draft_path, write_draft};
use crate::StoreError;
use crate::confined::ConfinedDir;
use crate::files::is_missing;
use crate::log::MAX_SHARD_BYTES;

/// Lines to remove from a file of the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LineRemoval {
    /// The directory that the path is relative to.
    pub base: BaseDir,
    /// The file.
    pub path: String,
    /// The hashes of the lines.
    pub line_hashes: Vec<String>,
}

impl LineRemoval {
    /// Replaces the file by one without the lines. All other bytes stay the same. A file that becomes empty is kept,
    /// since git reports a conflict if one branch deletes a file that another one changes.
    pub(super) fn carry_out(&self, dirs: &Directories) -> Result<(), StoreError> {
        let dir = dirs.get(self.base);
        let io = |error| dirs.io_error(self.base, &self.path, error);
        // A journal may come from an untrusted archive.
        if !self.path.ends_with(".jsonl") {
            let message = format!("{} is not a file of the log", self.path);
            return Err(StoreError::refused(message, "remove the journal"));
        }
        // The target of a symbolic link is replaced, so that the link itself stays.
        let target = match dir.handle().canonicalize(&self.path) {
            Ok(target) => target.to_string_lossy().replace('\\', "/"),
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(io(error)),
        };
        let before = dir.read(&target, MAX_SHARD_BYTES).map_err(io)?;
        let after = without_lines(&before, &self.line_hashes);
        if after.len() == before.len() {
            return Ok(());
        }
        let replaced = replace(dir, &target, &before, &after);
        if !matches!(replaced, Ok(true)) {
            drop(dir.remove_if_exists(&draft_path(&target)));
        }
        match replaced {
            Ok(true) => Ok(()),
            Ok(false) => Err(concurrent_edit(&self.path)),
            Err(error) => Err(io(error)),
        }
    }
}

/// Replaces a file, unless it has changed since it was read. Returns whether it did.
fn replace(dir: &ConfinedDir, path: &str, before: &[u8], after: &[u8]) -> std::io::Result<bool> {
    let draft = draft_path(path);
    write_draft(dir, &draft, after, path)?;
    if dir.read(path, MAX_SHARD_BYTES)? != before {
        return Ok(false);
    }
    dir.rename(&draft, path)?;
    dir.sync_parent(path);
    Ok(true)
}

/// Returns a text without the lines that have one of the hashes.
fn without_lines(bytes: &[u8], line_hashes: &[String]) -> Vec<u8> {
    let removed: HashSet<&str> = line_hashes.iter().map(String::as_str).collect();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !removed.contains(hash_line(line).as_str())).flatten().copied().collect()
}

/// Returns the hash by which a line is named: of its bytes without white space and byte order mark around them.
pub(crate) fn hash_line(line: &[u8]) -> String {
    let line = byte_order_mark::strip_bytes(line).trim_ascii();
    blake3::hash(line).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_lines_are_removed() {
        let text = b"\xef\xbb\xbf{\"a\":1}\r\n\xff damaged\n\n{\"b\":2}\n{\"a\":1}";
        let hashes = [hash_line(b"{\"a\":1}")];
        assert_eq!(without_lines(text, &hashes), b"\xff damaged\n\n{\"b\":2}\n");
        assert_eq!(without_lines(text, &[]), text);
    }
}
