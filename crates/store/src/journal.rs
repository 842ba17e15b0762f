//! Changes of several files that happen whole or not at all.
//!
//! The new texts are written beside the old ones, then a journal that names them and the lines to
//! append, then the lines are appended and each text is renamed into place, then the journal goes. A
//! process that dies before the journal is complete has changed nothing; one that dies after it is
//! finished by the next command. Files and folders that get another name do so first (`rename`).

mod append;
mod rename;

pub use rename::Rename;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::confined::{ConfinedDir, is_escape};
use crate::files::{MAX_DOCUMENT, is_missing};
use crate::{Root, StoreError};

/// The ending of a draft beside the file that it is to replace.
const DRAFT_ENDING: &str = "heir-new";

const LOCK_FILE: &str = "write.lock";
const JOURNAL_FILE: &str = "journal.json";
/// Lists the drafts of a change that has no journal yet.
const DRAFTS_FILE: &str = "journal.drafts";
const CLONE_FILE: &str = "clone";

/// A larger file of the journal was not written by us: one change holds a few documents.
const MAX_JOURNAL_BYTES: u64 = 1024 * 1024 * 1024;

/// The directory that a path of the journal is relative to. The journal holds no other paths, since
/// it may come with an unpacked archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// The root of the workspace.
    Root,
    /// This machine's own state.
    State,
}

/// The directories that changes are made in.
#[derive(Debug)]
struct Dirs {
    root: Arc<ConfinedDir>,
    state: Arc<ConfinedDir>,
}

impl Dirs {
    fn get(&self, base: Base) -> &ConfinedDir {
        match base {
            Base::Root => &self.root,
            Base::State => &self.state,
        }
    }

    fn failed(&self, base: Base, path: &str, error: std::io::Error) -> StoreError {
        match base {
            Base::Root => StoreError::io(path, error),
            Base::State => {
                StoreError::io(self.state.path().join(path).display().to_string(), error)
            }
        }
    }
}

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
    /// What the path is relative to.
    pub base: Base,
    /// The file.
    pub path: String,
    /// The lines, each with its line break.
    pub text: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    /// The workspace; one that is gone or was moved away takes its unfinished changes with it.
    root: PathBuf,
    #[serde(default)]
    renames: Vec<rename::Step>,
    moves: Vec<Move>,
    appends: Vec<append::At>,
}

/// Drafts that belong to a change without a journal, so that they may be removed.
#[derive(Debug, Serialize, Deserialize)]
struct Drafts {
    root: PathBuf,
    paths: Vec<String>,
}

/// A draft that takes a document's place; both are relative to the root.
#[derive(Debug, Serialize, Deserialize)]
struct Move {
    from: String,
    to: String,
    /// A hash of what is replaced, or `ABSENT`, so that an edit which a person made in between is
    /// not replaced.
    before: String,
}

impl Move {
    /// Whether what is to be replaced is still there as it was.
    fn is_current(&self, dirs: &Dirs) -> std::io::Result<bool> {
        let now = match dirs.root.read(&self.to, MAX_DOCUMENT) {
            Ok(bytes) => fingerprint(&bytes),
            Err(error) if is_missing(&error) => ABSENT.to_owned(),
            Err(error) => return Err(error),
        };
        Ok(now == self.before)
    }

    /// Refuses to go on where somebody has edited the file meanwhile.
    fn check(&self, dirs: &Dirs) -> Result<(), StoreError> {
        match self.is_current(dirs) {
            Ok(true) => Ok(()),
            Ok(false) => Err(changed_meanwhile(&self.to)),
            Err(error) => Err(StoreError::io(&self.to, error)),
        }
    }

    /// Does what a killed process did not come to do. The change was never acknowledged, so an edit
    /// that a person made since then stands.
    fn finish(&self, dirs: &Dirs) -> std::io::Result<()> {
        if dirs.root.exists(&self.from) && !self.is_current(dirs)? {
            return dirs.root.remove(&self.from);
        }
        self.rename(dirs)
    }

    fn rename(&self, dirs: &Dirs) -> std::io::Result<()> {
        match dirs.root.rename(&self.from, &self.to) {
            Ok(()) => {
                dirs.root.sync_parent(&self.to);
                Ok(())
            }
            Err(error) if is_missing(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn changed_meanwhile(path: &str) -> StoreError {
    StoreError::refused(
        format!("{path} changed while it was being edited; nothing was written"),
        "run the command again",
    )
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
    dirs: Dirs,
}

/// Waits for the right to write, and finishes what a process left unfinished.
pub fn lock(root: &Root) -> Result<WriteLock, StoreError> {
    let state = root.state()?;
    let dirs = Dirs { root: root.dir().clone(), state };
    let io = |error| dirs.failed(Base::State, LOCK_FILE, error);
    let file = dirs.state.open_to_write(LOCK_FILE).map_err(io)?;
    file.lock().map_err(io)?;
    let lock = WriteLock { _file: file, dirs };
    lock.finish()?;
    lock.remove_drafts();
    Ok(lock)
}

/// Finishes what a process left unfinished, if there is anything; readers call it first.
pub fn recover(root: &Root) -> Result<(), StoreError> {
    if is_open(root) {
        lock(root)?;
    }
    Ok(())
}

/// Returns whether a process is changing several files, or was kept from it.
pub fn is_open(root: &Root) -> bool {
    let state = root.existing_state();
    state.is_ok_and(|state| state.is_some_and(|state| state.exists(JOURNAL_FILE)))
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
        self.write_and_rename(root, changes, &[], appends)
    }

    /// Renames files and folders in order, all or none.
    pub fn rename(&self, root: &Root, renames: &[Rename]) -> Result<(), StoreError> {
        let renamed = self.write_and_rename(root, &[], renames, vec![]);
        if renamed.is_err() {
            // Checking a target makes its folders.
            renames.iter().for_each(|rename| root.remove_empty_folders(&rename.to));
        }
        renamed
    }

    /// Makes all the changes, renames files and folders in order and appends all the lines, or none.
    /// Changes name files by where they lie before the renames.
    pub fn write_and_rename(
        &self,
        root: &Root,
        changes: &[Change],
        renames: &[Rename],
        appends: Vec<Append>,
    ) -> Result<(), StoreError> {
        let dirs = &self.dirs;
        let renames = renames
            .iter()
            .map(|rename| rename::Step::new(root, rename))
            .collect::<Result<Vec<_>, _>>()?;
        let located = |Append { base, path, text }| append::At::new(dirs, base, &path, text);
        let appends = appends.into_iter().map(located).collect::<Result<Vec<_>, _>>()?;
        let mut staged = Staged { dirs, drafts: self.no_drafts() };
        let changes: Vec<&Change> =
            changes.iter().filter(|change| change.before.as_ref() != Some(&change.after)).collect();
        let mut moves = Vec::with_capacity(changes.len());
        for change in changes {
            moves.push(stage(root, change, &mut staged)?);
        }
        match (renames.as_slice(), moves.as_slice(), appends.as_slice()) {
            ([], [], []) => return Ok(()),
            ([], [], [only]) if only.is_one_line() => return only.write(dirs),
            ([], [only], []) => {
                only.check(dirs)?;
                return only.rename(dirs).map_err(|error| StoreError::io(&only.to, error));
            }
            _ => {}
        }
        let moves = moves.into_iter().map(|staged| rename::after_all(&renames, staged)).collect();
        let root = dirs.root.path().to_path_buf();
        let journal = Journal { root, renames, moves, appends };
        self.write_state(JOURNAL_FILE, &journal)?;
        if let Err((error, undone)) = rename::make_all(&dirs.root, &journal.renames) {
            self.give_up(&mut staged, undone);
            return Err(error);
        }
        // Appending is what a full disk stops; until the first text is in place nothing is final.
        let appended = journal
            .appends
            .iter()
            .try_for_each(|append| append.write(dirs))
            .and_then(|()| journal.moves.iter().try_for_each(|step| step.check(dirs)));
        if let Err(error) = appended {
            journal.appends.iter().for_each(|append| append.undo(dirs));
            self.give_up(&mut staged, rename::undo_all(&dirs.root, &journal.renames));
            return Err(error);
        }
        staged.drafts.paths.clear();
        self.finish()
    }

    /// Forgets a change that did not come to be. Where it could not be taken back whole, the journal
    /// stays with its drafts, so that the next command finishes the change.
    fn give_up(&self, staged: &mut Staged<'_>, undone: bool) {
        if undone {
            drop(self.dirs.state.remove(JOURNAL_FILE));
        } else {
            staged.drafts.paths.clear();
        }
    }

    fn no_drafts(&self) -> Drafts {
        Drafts { root: self.dirs.root.path().to_path_buf(), paths: vec![] }
    }

    fn write_state(&self, file: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let text = serde_json::to_string(value).map_err(std::io::Error::from);
        let written = text.and_then(|text| self.dirs.state.replace(file, &text));
        written.map_err(|error| self.dirs.failed(Base::State, file, error))
    }

    fn finish(&self) -> Result<(), StoreError> {
        let io = |error| self.dirs.failed(Base::State, JOURNAL_FILE, error);
        let text = match self.dirs.state.read_text(JOURNAL_FILE, MAX_JOURNAL_BYTES) {
            Ok(text) => text,
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(io(error)),
        };
        let journal: Journal =
            serde_json::from_str(&text).map_err(|error| self.unusable(&error.to_string()))?;
        if let Some(dirs) = self.dirs_of(&journal.root)? {
            let unless_escape = |to: &str, error: std::io::Error| match is_escape(&error) {
                true => self.unusable(&format!("{to} leads out of the workspace")),
                false => StoreError::io(to, error),
            };
            for step in &journal.renames {
                step.finish(&dirs.root).map_err(|error| unless_escape(&step.to, error))?;
            }
            for append in &journal.appends {
                append.finish(&dirs)?;
            }
            for step in &journal.moves {
                step.finish(&dirs).map_err(|error| unless_escape(&step.to, error))?;
            }
        }
        self.dirs.state.remove(JOURNAL_FILE).map_err(io)?;
        self.dirs.state.sync_parent(JOURNAL_FILE);
        Ok(())
    }

    /// Returns the directories of the workspace that a journal is of: this one, or another work tree
    /// of the same repository, which has the same state. One that is gone has none.
    fn dirs_of(&self, root: &PathBuf) -> Result<Option<Dirs>, StoreError> {
        let state = self.dirs.state.clone();
        if root == self.dirs.root.path() {
            return Ok(Some(Dirs { root: self.dirs.root.clone(), state }));
        }
        if !root.exists() {
            return Ok(None);
        }
        let other = Root::at(root).map_err(|error| self.unusable(&error.to_string()))?;
        if Path::new(&other.state_shown()) != state.path() {
            let shown = root.display();
            return Err(self.unusable(&format!("{shown} does not share this state")));
        }
        Ok(Some(Dirs { root: other.dir().clone(), state }))
    }

    fn unusable(&self, reason: &str) -> StoreError {
        let path = self.dirs.state.path().join(JOURNAL_FILE);
        StoreError::refused(
            format!("{}: this unfinished change cannot be finished: {reason}", path.display()),
            "remove the file; nothing of the change was acknowledged",
        )
    }

    /// Removes the drafts of a process that was killed before its change had a journal.
    fn remove_drafts(&self) {
        let Ok(text) = self.dirs.state.read_text(DRAFTS_FILE, MAX_JOURNAL_BYTES) else { return };
        let drafts = serde_json::from_str::<Drafts>(&text).ok();
        let dirs = drafts.as_ref().and_then(|drafts| self.dirs_of(&drafts.root).ok().flatten());
        if let Some((dirs, drafts)) = dirs.zip(drafts) {
            let is_draft = |path: &&String| path.ends_with(&format!(".{DRAFT_ENDING}"));
            drafts.paths.iter().filter(is_draft).for_each(|path| drop(dirs.root.remove(path)));
        }
        drop(self.dirs.state.remove(DRAFTS_FILE));
    }

    /// Returns what tells this clone from every other, made when it is first asked for.
    pub(crate) fn clone_id(&self) -> Result<String, StoreError> {
        let io = |error| self.dirs.failed(Base::State, CLONE_FILE, error);
        match self.dirs.state.read_text(CLONE_FILE, MAX_JOURNAL_BYTES) {
            Ok(id) if !id.trim().is_empty() => return Ok(id.trim().to_owned()),
            Ok(_) => {}
            Err(error) if is_missing(&error) => {}
            Err(error) => return Err(io(error)),
        }
        let id = uuid::Uuid::new_v4().simple().to_string();
        self.dirs.state.replace(CLONE_FILE, &format!("{id}\n")).map_err(io)?;
        Ok(id)
    }
}

/// Writes the draft of a change beside its file.
fn stage(root: &Root, change: &Change, staged: &mut Staged<'_>) -> Result<Move, StoreError> {
    if root.read(&change.path)? != change.before {
        return Err(changed_meanwhile(&change.path));
    }
    if change.after.len() as u64 > MAX_DOCUMENT {
        return Err(StoreError::refused(
            format!("{} would become too large to be read (8 MB)", change.path),
            "keep long texts in files of their own and name the files",
        ));
    }
    let to = match change.before {
        // A link inside the root is edited where it leads, so that it stays a link.
        Some(_) => {
            let target = root.dir().handle().canonicalize(&change.path);
            let target = target.map_err(|error| StoreError::io(&change.path, error))?;
            target.to_string_lossy().replace('\\', "/")
        }
        None => {
            root.make_parents(&change.path)?;
            change.path.clone()
        }
    };
    let (folder, name) = to.rsplit_once('/').map_or(("", to.as_str()), |(f, name)| (f, name));
    let slash = if folder.is_empty() { "" } else { "/" };
    let from = format!("{folder}{slash}.{name}.{DRAFT_ENDING}");
    staged.add(from.clone());
    write_draft(root.dir(), &from, &change.after, &to)
        .map_err(|error| StoreError::io(&change.path, error))?;
    let before = match &change.before {
        Some(text) => fingerprint(text.as_bytes()),
        None => ABSENT.to_owned(),
    };
    Ok(Move { from, to, before })
}

/// Drafts that are removed unless the change comes to be. They are listed in a file, so that what a
/// killed process left is removed by the next one.
struct Staged<'l> {
    dirs: &'l Dirs,
    drafts: Drafts,
}

impl Staged<'_> {
    fn add(&mut self, draft: String) {
        self.drafts.paths.push(draft);
        // A list that cannot be written costs a stray draft after a kill, and nothing else.
        if let Ok(text) = serde_json::to_string(&self.drafts) {
            drop(self.dirs.state.handle().write(DRAFTS_FILE, text));
        }
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        for path in &self.drafts.paths {
            drop(self.dirs.root.remove(path));
        }
        drop(self.dirs.state.remove(DRAFTS_FILE));
    }
}

/// Writes a new file with the permissions of the one that it is to replace. What lies at its path is
/// removed first, so that a link there is not followed.
fn write_draft(dir: &ConfinedDir, path: &str, text: &str, like: &str) -> std::io::Result<()> {
    dir.remove_if_there(path)?;
    let mut file = dir.create_new(path)?;
    file.write_all(text.as_bytes())?;
    if let Ok(original) = dir.open_file(like) {
        drop(original.metadata().and_then(|found| file.set_permissions(found.permissions())));
    }
    file.sync_all()
}
