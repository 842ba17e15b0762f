//! Lines at the end of a file: written whole, or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Append;
use crate::StoreError;
use crate::files::sync_folder;

/// Lines, and where the file ended before them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct At {
    path: PathBuf,
    at: u64,
    text: String,
    /// Whether the file is there already.
    existed: bool,
}

impl At {
    /// Looks where the lines go. What a process left without a line break is closed with one, so
    /// that nothing is glued to it.
    pub(super) fn new(append: Append) -> Result<Self, StoreError> {
        let Append { path, mut text } = append;
        let io = |error| StoreError::io(path.display().to_string(), error);
        let (at, existed) = match File::open(&path) {
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
            Err(error) if crate::files::is_missing(&error) => (0, false),
            Err(error) => return Err(io(error)),
        };
        Ok(At { path, at, text, existed })
    }

    /// Whether it is one line, which needs no journal: a torn one is skipped by every reader.
    pub(super) fn is_one_line(&self) -> bool {
        !self.text.trim_matches('\n').contains('\n')
    }

    /// Appends the lines and makes them durable; what cannot be written whole is taken back. A file
    /// that git has replaced meanwhile is appended to where it ends now.
    pub(super) fn write(&self) -> Result<(), StoreError> {
        let io = |error| StoreError::io(self.path.display().to_string(), error);
        let mut file = self.open().map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        if length != self.at {
            drop(file);
            let lines = self.text.trim_start_matches('\n').to_owned();
            let again = At::new(Append { path: self.path.clone(), text: lines })?;
            let mut file = again.open().map_err(io)?;
            return again.write_to(&mut file).map_err(io);
        }
        self.write_to(&mut file).map_err(io)
    }

    fn write_to(&self, file: &mut File) -> std::io::Result<()> {
        let written = file
            .seek(SeekFrom::Start(self.at))
            .and_then(|_| file.write_all(self.text.as_bytes()))
            .and_then(|()| file.sync_data());
        if let Err(error) = written {
            // If even this fails the disk is gone, and a torn line is skipped by every reader.
            drop(if self.existed { file.set_len(self.at) } else { fs::remove_file(&self.path) });
            return Err(error);
        }
        if !self.existed {
            sync_folder(&self.path);
        }
        Ok(())
    }

    /// Takes the lines back, if they are the last that the file holds.
    pub(super) fn undo(&self) {
        let Ok(bytes) = fs::read(&self.path) else { return };
        let own = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..));
        if own != Some(self.text.as_bytes()) {
            return;
        }
        let taken_back = if self.existed {
            OpenOptions::new().write(true).open(&self.path).and_then(|file| file.set_len(self.at))
        } else {
            fs::remove_file(&self.path)
        };
        // Lines that nobody was told of may stay: each of them is whole.
        drop(taken_back);
    }

    /// Finishes what a killed process began: the file may hold none, some or all of the lines, or
    /// may have been replaced by git in between.
    pub(super) fn finish(&self) -> Result<(), StoreError> {
        let io = |error| StoreError::io(self.path.display().to_string(), error);
        let mut file = self.open().map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let text = self.text.as_bytes();
        let begun = usize::try_from(self.at).ok().and_then(|at| bytes.get(at..));
        match begun {
            Some(begun) if begun.starts_with(text) => return Ok(()),
            Some(begun) if text.starts_with(begun) => return self.write(),
            _ => {}
        }
        let lines = self.text.trim_start_matches('\n');
        let has_them = bytes.windows(lines.len().max(1)).any(|part| part == lines.as_bytes());
        if has_them {
            return Ok(());
        }
        At::new(Append { path: self.path.clone(), text: lines.to_owned() })?.write()
    }

    fn open(&self) -> std::io::Result<File> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&self.path)
    }
}
