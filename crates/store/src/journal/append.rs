//! Lines at the end of a file: written whole, or not at all.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use serde::{Deserialize, Serialize};

use super::{Base, Dirs};
use crate::StoreError;
use crate::files::is_missing;

/// Lines, and where the file ended before them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct At {
    base: Base,
    /// Relative to the base.
    path: String,
    at: u64,
    text: String,
    /// Whether the file is there already.
    existed: bool,
}

impl At {
    /// Looks where the lines go. What a process left without a line break is closed with one, so
    /// that nothing is glued to it.
    pub(super) fn new(
        dirs: &Dirs,
        base: Base,
        path: &str,
        mut text: String,
    ) -> Result<Self, StoreError> {
        let io = |error| dirs.failed(base, path, error);
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
        Ok(At { base, path: path.to_owned(), at, text, existed })
    }

    /// Whether it is one line, which needs no journal: a torn one is skipped by every reader.
    pub(super) fn is_one_line(&self) -> bool {
        !self.text.trim_matches('\n').contains('\n')
    }

    /// Appends the lines and makes them durable; what cannot be written whole is taken back. A file
    /// that git has replaced meanwhile is appended to where it ends now.
    pub(super) fn write(&self, dirs: &Dirs) -> Result<(), StoreError> {
        let io = |error| dirs.failed(self.base, &self.path, error);
        let mut file = self.open(dirs).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        if length != self.at {
            drop(file);
            let again = self.at_the_end(dirs)?;
            let mut file = again.open(dirs).map_err(io)?;
            return again.write_to(dirs, &mut file).map_err(io);
        }
        self.write_to(dirs, &mut file).map_err(io)
    }

    /// The same lines, where the file ends now.
    fn at_the_end(&self, dirs: &Dirs) -> Result<Self, StoreError> {
        At::new(dirs, self.base, &self.path, self.text.trim_start_matches('\n').to_owned())
    }

    fn write_to(&self, dirs: &Dirs, file: &mut File) -> std::io::Result<()> {
        let written = file
            .seek(SeekFrom::Start(self.at))
            .and_then(|_| file.write_all(self.text.as_bytes()))
            .and_then(|()| file.sync_data());
        let dir = dirs.get(self.base);
        if let Err(error) = written {
            // If even this fails the disk is gone, and a torn line is skipped by every reader.
            drop(if self.existed { file.set_len(self.at) } else { dir.remove(&self.path) });
            return Err(error);
        }
        if !self.existed {
            dir.sync_parent(&self.path);
        }
        Ok(())
    }

    /// Takes the lines back, if they are the last that the file holds.
    pub(super) fn undo(&self, dirs: &Dirs) {
        let dir = dirs.get(self.base);
        let Ok(mut file) = dir.open_to_write(&self.path) else { return };
        let mut own = Vec::new();
        let read = file.seek(SeekFrom::Start(self.at)).and_then(|_| file.read_to_end(&mut own));
        if read.is_err() || own != self.text.as_bytes() {
            return;
        }
        // Lines that were never acknowledged may stay: each of them is whole.
        drop(if self.existed { file.set_len(self.at) } else { dir.remove(&self.path) });
    }

    /// Finishes what a killed process began: the file may hold none, some or all of the lines, or
    /// may have been replaced by git in between.
    pub(super) fn finish(&self, dirs: &Dirs) -> Result<(), StoreError> {
        let io = |error| dirs.failed(self.base, &self.path, error);
        let mut file = self.open(dirs).map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let text = self.text.as_bytes();
        let begun = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..));
        match begun {
            Some(begun) if begun.starts_with(text) => return Ok(()),
            Some(begun) if text.starts_with(begun) => return self.write(dirs),
            _ => {}
        }
        let lines = self.text.trim_start_matches('\n');
        let has_them = bytes.windows(lines.len().max(1)).any(|part| part == lines.as_bytes());
        if has_them {
            return Ok(());
        }
        self.at_the_end(dirs)?.write(dirs)
    }

    fn open(&self, dirs: &Dirs) -> std::io::Result<File> {
        let dir = dirs.get(self.base);
        if let Some((folder, _)) = self.path.rsplit_once('/') {
            dir.handle().create_dir_all(folder)?;
        }
        dir.open_to_write(&self.path)
    }
}
