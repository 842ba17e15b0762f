//! Changes of several files that happen whole or not at all.
//!
//! The new texts are written beside the old ones, then a journal that names them and the lines to
//! append, then the lines are appended and each text is renamed into place, then the journal goes. A
//! process that dies before the journal is complete has changed nothing; one that dies after it is
//! finished by the next command.

mod append;

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{MAX_DOCUMENT, sync_folder};
use crate::{Root, StoreError};

/// The ending of a draft beside the file that it is to replace.
const DRAFT_ENDING: &str = "heir-new";

/// One file's change.
#[derive(Debug, Clone)]
pub struct Change {
    /// The file, relative to the root.
    pub path: String,
    /// What it must hold now, so that nobody's edit in between is lost; `None` if it must not be
    /// there.
    pub before: Option<String>,
    /// What it shall hold.
    pub after: String,
}

/// Lines for the end of a file.
#[derive(Debug, Clone)]
pub struct Append {
    /// The file.
    pub path: PathBuf,
    /// The lines, each with its line break.
    pub text: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    /// The workspace; one that is gone or was moved away takes its unfinished changes with it.
    #[serde(default)]
    root: Option<PathBuf>,
    moves: Vec<Move>,
    #[serde(default)]
    appends: Vec<append::At>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Move {
    from: PathBuf,
    to: PathBuf,
    /// A hash of what is replaced, or `ABSENT`, so that an edit which a person made in between is
    /// not replaced. An earlier version wrote none.
    #[serde(default)]
    before: Option<String>,
}

impl Move {
    /// Whether what is to be replaced is still there as it was.
    fn is_current(&self) -> std::io::Result<bool> {
        let Some(before) = &self.before else { return Ok(true) };
        let now = match fs::read(&self.to) {
            Ok(bytes) => fingerprint(&bytes),
            Err(error) if crate::files::is_missing(&error) => ABSENT.to_owned(),
            Err(error) => return Err(error),
        };
        Ok(now == *before)
    }

    /// Refuses to go on where somebody has edited the file meanwhile.
    fn check(&self) -> Result<(), StoreError> {
        let shown = self.to.display().to_string();
        match self.is_current() {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::refused(
                format!("{shown} changed while it was being edited; nothing was written"),
                "run the command again",
            )),
            Err(error) => Err(StoreError::io(shown, error)),
        }
    }

    /// Does what a killed process did not come to do. Nobody was told that it was done, so an edit
    /// that a person made since then stands.
    fn finish(&self) -> std::io::Result<()> {
        if self.from.exists() && !self.is_current()? {
            return fs::remove_file(&self.from);
        }
        self.rename()
    }

    fn rename(&self) -> std::io::Result<()> {
        match fs::rename(&self.from, &self.to) {
            Ok(()) => {
                sync_folder(&self.to);
                Ok(())
            }
            Err(error) if crate::files::is_missing(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Stands for a file that was not there.
const ABSENT: &str = "absent";

fn fingerprint(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
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
    // A journal that was never complete: its process changed nothing.
    drop(fs::remove_file(lock.journal.with_extension("draft")));
    Ok(lock)
}

/// Finishes what a process left unfinished, if there is anything; readers call it first.
pub fn recover(root: &Root) -> Result<(), StoreError> {
    if is_open(root) {
        lock(root)?;
    }
    Ok(())
}

/// Returns whether somebody is changing several files, or was kept from it.
pub fn is_open(root: &Root) -> bool {
    root.state_folder().join("journal.json").exists()
}

impl WriteLock {
    /// Makes all the changes, or none.
    pub fn apply(&self, root: &Root, changes: &[Change]) -> Result<(), StoreError> {
        self.write(root, changes, vec![])
    }

    /// Appends lines to files, all or none.
    pub fn append(&self, root: &Root, appends: Vec<Append>) -> Result<(), StoreError> {
        self.write(root, &[], appends)
    }

    /// Makes all the changes and appends all the lines, or none.
    pub fn write(
        &self,
        root: &Root,
        changes: &[Change],
        appends: Vec<Append>,
    ) -> Result<(), StoreError> {
        let appends = appends.into_iter().map(append::At::new).collect::<Result<Vec<_>, _>>()?;
        let mut staged = Staged { drafts: Vec::new(), list: self.journal.with_extension("drafts") };
        let changes: Vec<&Change> =
            changes.iter().filter(|change| change.before.as_ref() != Some(&change.after)).collect();
        let mut moves = Vec::with_capacity(changes.len());
        for change in changes {
            moves.push(stage(root, change, &mut staged)?);
        }
        match (moves.as_slice(), appends.as_slice()) {
            ([], []) => return Ok(()),
            ([], [only]) if only.is_one_line() => return only.write(),
            ([only], []) => {
                only.check()?;
                return only
                    .rename()
                    .map_err(|error| StoreError::io(only.to.display().to_string(), error));
            }
            _ => {}
        }
        let journal = Journal { root: Some(root.path().to_path_buf()), moves, appends };
        self.record(&journal)?;
        // Appending is what a full disk stops; until the first rename nothing is final.
        let appended = journal
            .appends
            .iter()
            .try_for_each(append::At::write)
            .and_then(|()| journal.moves.iter().try_for_each(Move::check));
        if let Err(error) = appended {
            journal.appends.iter().for_each(append::At::undo);
            drop(fs::remove_file(&self.journal));
            return Err(error);
        }
        staged.drafts.clear();
        self.finish()
    }

    fn record(&self, journal: &Journal) -> Result<(), StoreError> {
        let text = serde_json::to_string(journal)
            .map_err(|error| StoreError::io("journal", error.into()))?;
        let draft = self.journal.with_extension("draft");
        let io = |error| StoreError::io(self.journal.display().to_string(), error);
        write_synced(&draft, &text, &draft).map_err(io)?;
        fs::rename(&draft, &self.journal).map_err(io)?;
        sync_folder(&self.journal);
        Ok(())
    }

    fn finish(&self) -> Result<(), StoreError> {
        let io = |error| StoreError::io(self.journal.display().to_string(), error);
        let text = match fs::read_to_string(&self.journal) {
            Ok(text) => text,
            Err(error) if crate::files::is_missing(&error) => return Ok(()),
            Err(error) => return Err(io(error)),
        };
        let journal: Journal = serde_json::from_str(&text).map_err(|error| io(error.into()))?;
        let (appends, moves) = if journal.root.as_ref().is_none_or(|root| root.exists()) {
            (journal.appends.as_slice(), journal.moves.as_slice())
        } else {
            (&[][..], &[][..])
        };
        for append in appends {
            append.finish()?;
        }
        for step in moves {
            step.finish().map_err(|error| StoreError::io(step.to.display().to_string(), error))?;
        }
        fs::remove_file(&self.journal).map_err(io)?;
        sync_folder(&self.journal);
        Ok(())
    }

    /// Returns what tells this clone from every other, made when it is first asked for.
    pub(crate) fn clone_id(&self, root: &Root) -> Result<String, StoreError> {
        let path = root.state_folder().join("clone");
        let io = |error| StoreError::io(path.display().to_string(), error);
        match fs::read_to_string(&path) {
            Ok(id) if !id.trim().is_empty() => return Ok(id.trim().to_owned()),
            Ok(_) => {}
            Err(error) if crate::files::is_missing(&error) => {}
            Err(error) => return Err(io(error)),
        }
        let id = uuid::Uuid::new_v4().simple().to_string();
        let draft = path.with_extension("draft");
        write_synced(&draft, &format!("{id}\n"), &draft).map_err(io)?;
        fs::rename(&draft, &path).map_err(io)?;
        sync_folder(&path);
        Ok(id)
    }
}

/// Writes the draft of a change beside its file.
fn stage(root: &Root, change: &Change, staged: &mut Staged) -> Result<Move, StoreError> {
    if root.read(&change.path)? != change.before {
        return Err(StoreError::refused(
            format!("{} changed while it was being edited; nothing was written", change.path),
            "run the command again",
        ));
    }
    if change.after.len() as u64 > MAX_DOCUMENT {
        return Err(StoreError::refused(
            format!("{} would become too large to be read (8 MB)", change.path),
            "keep long texts in files of their own and name the files",
        ));
    }
    let to = match change.before {
        // A link inside the root is edited where it leads, so that it stays a link.
        Some(_) => fs::canonicalize(root.join(&change.path))
            .map_err(|error| StoreError::io(&change.path, error))?,
        None => root.path_to_write(&change.path)?,
    };
    let name = to.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let from = to.with_file_name(format!(".{name}.{DRAFT_ENDING}"));
    staged.add(from.clone());
    write_synced(&from, &change.after, &to).map_err(|error| StoreError::io(&change.path, error))?;
    let before = match &change.before {
        Some(text) => fingerprint(text.as_bytes()),
        None => ABSENT.to_owned(),
    };
    Ok(Move { from, to, before: Some(before) })
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
