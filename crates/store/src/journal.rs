//! Changes of several files that happen whole or not at all.
//!
//! The new texts are written beside the old ones, then a journal that names them, then each is
//! renamed into place, then the journal goes. A process that dies before the journal is complete
//! has changed nothing; one that dies after it is finished by the next command.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::sync_folder;
use crate::{Root, StoreError};

/// The ending of a draft beside the file that it is to replace.
const DRAFT_ENDING: &str = "heir-new";

/// One file's change.
#[derive(Debug, Clone)]
pub struct Change {
    /// The file, relative to the root.
    pub path: String,
    /// What it must hold now, so that nobody's edit in between is lost.
    pub before: String,
    /// What it shall hold.
    pub after: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    moves: Vec<Move>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Move {
    from: PathBuf,
    to: PathBuf,
}

/// Holds the workspace for writing until it is dropped.
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
    journal: PathBuf,
}

/// Waits for the right to write, and finishes what a process left unfinished.
pub fn lock(root: &Root) -> Result<WriteLock, StoreError> {
    let folder = root.state_folder();
    let shown = |path: &Path| path.display().to_string();
    fs::create_dir_all(&folder).map_err(|error| StoreError::io(shown(&folder), error))?;
    let path = folder.join("write.lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| StoreError::io(shown(&path), error))?;
    file.lock().map_err(|error| StoreError::io(shown(&path), error))?;
    let lock = WriteLock { _file: file, journal: folder.join("journal.json") };
    lock.finish()?;
    sweep(&lock.journal.with_extension("drafts"));
    Ok(lock)
}

/// Finishes what a process left unfinished, if there is anything; readers call it first.
pub fn recover(root: &Root) -> Result<(), StoreError> {
    if root.state_folder().join("journal.json").exists() {
        lock(root)?;
    }
    Ok(())
}

impl WriteLock {
    /// Makes all the changes, or none.
    pub fn apply(&self, root: &Root, changes: &[Change]) -> Result<(), StoreError> {
        let changes: Vec<&Change> =
            changes.iter().filter(|change| change.before != change.after).collect();
        let mut moves = Vec::with_capacity(changes.len());
        let mut staged = Staged { drafts: Vec::new(), list: self.journal.with_extension("drafts") };
        for change in &changes {
            let now = root.read(&change.path)?;
            if now.as_deref() != Some(change.before.as_str()) {
                return Err(StoreError::refused(
                    format!(
                        "{} changed while it was being edited; nothing was written",
                        change.path
                    ),
                    "run the command again",
                ));
            }
            // A link inside the root is edited where it leads, so that it stays a link.
            let to = fs::canonicalize(root.join(&change.path))
                .map_err(|error| StoreError::io(&change.path, error))?;
            let from = to.with_file_name(format!(
                ".{}.{DRAFT_ENDING}",
                to.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            ));
            staged.add(from.clone());
            write_synced(&from, &change.after, &to)
                .map_err(|error| StoreError::io(&change.path, error))?;
            moves.push(Move { from, to });
        }
        if let [only] = moves.as_slice() {
            fs::rename(&only.from, &only.to)
                .map_err(|error| StoreError::io(only.to.display().to_string(), error))?;
            sync_folder(&only.to);
            return Ok(());
        }
        let journal = serde_json::to_string(&Journal { moves })
            .map_err(|error| StoreError::io("journal", error.into()))?;
        let draft = self.journal.with_extension("draft");
        let io = |error| StoreError::io(self.journal.display().to_string(), error);
        write_synced(&draft, &journal, &draft).map_err(io)?;
        fs::rename(&draft, &self.journal).map_err(io)?;
        sync_folder(&self.journal);
        staged.drafts.clear();
        self.finish()
    }

    fn finish(&self) -> Result<(), StoreError> {
        let io = |error| StoreError::io(self.journal.display().to_string(), error);
        let text = match fs::read_to_string(&self.journal) {
            Ok(text) => text,
            Err(error) if crate::files::is_missing(&error) => return Ok(()),
            Err(error) => return Err(io(error)),
        };
        let journal: Journal = serde_json::from_str(&text).map_err(|error| io(error.into()))?;
        for step in &journal.moves {
            match fs::rename(&step.from, &step.to) {
                Ok(()) => sync_folder(&step.to),
                Err(error) if crate::files::is_missing(&error) => {}
                Err(error) => return Err(StoreError::io(step.to.display().to_string(), error)),
            }
        }
        fs::remove_file(&self.journal).map_err(io)?;
        sync_folder(&self.journal);
        Ok(())
    }
}

/// Drafts that are swept away unless the change comes to be. They are listed in a file, so that
/// what a killed process left is swept by the next one.
struct Staged {
    drafts: Vec<PathBuf>,
    list: PathBuf,
}

impl Staged {
    fn add(&mut self, draft: PathBuf) {
        self.drafts.push(draft);
        let lines: Vec<String> =
            self.drafts.iter().map(|draft| draft.display().to_string()).collect();
        // A list that cannot be written costs a stray draft after a kill, and nothing else.
        drop(fs::write(&self.list, lines.join("\n")));
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        for path in &self.drafts {
            drop(fs::remove_file(path));
        }
        drop(fs::remove_file(&self.list));
    }
}

/// Removes the drafts of a process that was killed before its change came to be.
fn sweep(list: &Path) {
    let Ok(text) = fs::read_to_string(list) else { return };
    let drafts = text
        .lines()
        .map(Path::new)
        .filter(|draft| draft.extension().is_some_and(|ending| ending == DRAFT_ENDING));
    drafts.for_each(|draft| drop(fs::remove_file(draft)));
    drop(fs::remove_file(list));
}

fn write_synced(path: &Path, text: &str, like: &Path) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
    file.write_all(text.as_bytes())?;
    if let Ok(metadata) = fs::metadata(like) {
        drop(file.set_permissions(metadata.permissions()));
    }
    file.sync_all()
}
