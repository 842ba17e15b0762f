//! Atomic appends of lines to a file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use super::{BaseDir, Directories};
use crate::StoreError;
use crate::files::is_missing;

/// Lines to append, and the length of the file before them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PendingAppend {
    base: BaseDir,
    /// The path relative to the base.
    path: String,
    /// The offset that the text is written at: the length of the file before.
    at: u64,
    text: String,
    /// Whether the file existed before.
    existed: bool,
}

impl PendingAppend {
    /// Determines the end of the file. If the last line has no line break, one is inserted before the
    /// new lines.
    pub(super) fn new(
        dirs: &Directories,
        base: BaseDir,
        path: &str,
        mut text: String,
    ) -> Result<Self, StoreError> {
        let io = |error| dirs.io_error(base, path, error);
        let (at, existed) = match dirs.get(base).open_file(path) {
            Ok(mut file) => {
                let at = file.metadata().map_err(io)?.len();
                if at > 0 {
                    let mut last = [0];
                    file.seek(SeekFrom::End(-1))
                        .and_then(|_| file.read_exact(&mut last))
                        .map_err(io)?;
                    if last != *b"\n" {
                        text.insert(0, '\n');
                    }
                }
                (at, true)
            }
            Err(error) if is_missing(&error) => (0, false),
            Err(error) => return Err(io(error)),
        };
        Ok(PendingAppend { base, path: path.to_owned(), at, text, existed })
    }

    /// Returns whether the text is a single line. It needs no journal, because readers skip a line
    /// that was written only in part.
    pub(super) fn is_one_line(&self) -> bool {
        !self.text.trim_matches('\n').contains('\n')
    }

    /// Appends the lines and syncs them to disk; a partial write is rolled back. If git replaced the
    /// file in the meantime, the lines are appended at its new end.
    pub(super) fn write(&self, dirs: &Directories) -> Result<(), StoreError> {
        let io = |error| dirs.io_error(self.base, &self.path, error);
        let mut file = self.open(dirs).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        if length != self.at {
            drop(file);
            let relocated = self.relocate(dirs)?;
            let mut file = relocated.open(dirs).map_err(io)?;
            return relocated.write_to(dirs, &mut file).map_err(io);
        }
        self.write_to(dirs, &mut file).map_err(io)
    }

    /// Returns the same lines for the current end of the file.
    fn relocate(&self, dirs: &Directories) -> Result<Self, StoreError> {
        let lines = self.text.trim_start_matches('\n').to_owned();
        PendingAppend::new(dirs, self.base, &self.path, lines)
    }

    fn write_to(&self, dirs: &Directories, file: &mut File) -> std::io::Result<()> {
        let written = file
            .seek(SeekFrom::Start(self.at))
            .and_then(|_| file.write_all(self.text.as_bytes()))
            .and_then(|()| file.sync_data());
        let dir = dirs.get(self.base);
        if let Err(error) = written {
            // If the rollback fails too, readers skip the partial line.
            drop(if self.existed { file.set_len(self.at) } else { dir.remove(&self.path) });
            return Err(error);
        }
        if !self.existed {
            dir.sync_parent(&self.path);
        }
        Ok(())
    }

    /// Removes the lines again, if they are still the end of the file.
    pub(super) fn undo(&self, dirs: &Directories) {
        let dir = dirs.get(self.base);
        let Ok(mut file) = dir.open_to_write(&self.path) else { return };
        let mut tail = Vec::new();
        let read = file.seek(SeekFrom::Start(self.at)).and_then(|_| file.read_to_end(&mut tail));
        if read.is_err() || tail != self.text.as_bytes() {
            return;
        }
        // Best effort: lines that stay are complete, although the transaction was not acknowledged.
        drop(if self.existed { file.set_len(self.at) } else { dir.remove(&self.path) });
    }

    /// Completes the append for a killed process. The file may contain none, some or all of the lines,
    /// or git may have replaced it in the meantime.
    pub(super) fn recover(&self, dirs: &Directories) -> Result<(), StoreError> {
        let io = |error| dirs.io_error(self.base, &self.path, error);
        let mut file = self.open(dirs).map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let text = self.text.as_bytes();
        let tail = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..));
        match tail {
            Some(tail) if tail.starts_with(text) => return Ok(()),
            Some(tail) if text.starts_with(tail) => return self.write(dirs),
            _ => {}
        }
        let lines = self.text.trim_start_matches('\n');
        let has_lines = bytes.windows(lines.len().max(1)).any(|window| window == lines.as_bytes());
        if has_lines {
            return Ok(());
        }
        self.relocate(dirs)?.write(dirs)
    }

    fn open(&self, dirs: &Directories) -> std::io::Result<File> {
        let dir = dirs.get(self.base);
        if let Some((folder, _)) = self.path.rsplit_once('/') {
            dir.handle().create_dir_all(folder)?;
        }
        dir.open_to_write(&self.path)
    }
}
