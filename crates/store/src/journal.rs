//! Atomic transactions over several files, with a redo journal.
//!
//! A transaction (1) writes each new text to a draft beside its file, (2) writes a journal that lists
//! the renames, drafts, appends and removals of lines, (3) renames files and folders, appends the lines,
//! renames the drafts into place and removes purged lines, and (4) removes the journal. A process that is killed before step 2 is complete
//! has changed nothing; after that, the next command finishes the transaction. See `rename` for why
//! the renames of files and folders come first.

mod append;
mod removal;
mod rename;

pub use removal::LineRemoval;
pub(crate) use removal::hash_line;
pub use rename::Rename;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::confined::{ConfinedDir, is_escape};
use crate::files::{MAX_DOCUMENT_BYTES, is_missing};
use crate::{Root, StoreError, clone_id};

/// The extension of a draft, which lies beside the file that it replaces.
const DRAFT_EXTENSION: &str = "heir-new";

const LOCK_FILE: &str = "write.lock";
const JOURNAL_FILE: &str = "journal.json";
/// Lists the drafts of a transaction that has no journal yet.
const DRAFTS_FILE: &str = "journal.drafts";

/// A larger journal is not read: a transaction holds a few documents.
const MAX_JOURNAL_BYTES: u64 = 1024 * 1024 * 1024;

/// The directory that a path in the journal is relative to. The journal stores no absolute targets,
/// because it may come from an untrusted archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BaseDir {
    /// The root of the workspace.
    Root,
    /// The local state of this machine.
    State,
}

/// The directories that a transaction writes to.
#[derive(Debug)]
struct Directories {
    root: Arc<ConfinedDir>,
    state: Arc<ConfinedDir>,
}

impl Directories {
    fn get(&self, base: BaseDir) -> &ConfinedDir {
        match base {
            BaseDir::Root => &self.root,
            BaseDir::State => &self.state,
        }
    }

    fn io_error(&self, base: BaseDir, path: &str, error: std::io::Error) -> StoreError {
        match base {
            BaseDir::Root => StoreError::io(path, error),
            BaseDir::State => {
                StoreError::io(self.state.path().join(path).display().to_string(), error)
            }
        }
    }
}

/// The replacement or creation of a file.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// The file, relative to the root.
    pub path: String,
    /// The text that the file must have now, so that a concurrent edit is not lost; `None` if the
    /// file must not exist.
    pub before: Option<String>,
    /// The new text.
    pub after: String,
}

/// Lines to append to a file.
#[derive(Debug, Clone)]
pub struct Append {
    /// The directory that the path is relative to.
    pub base: BaseDir,
    /// The file.
    pub path: String,
    /// The lines, each with a line break.
    pub text: String,
}

/// Everything that a transaction changes.
#[derive(Debug, Default)]
pub struct ChangeSet {
    /// The documents to replace or create. Their paths are those before the renames.
    pub changes: Vec<FileChange>,
    /// The renames of files and folders, in order.
    pub renames: Vec<Rename>,
    /// The lines to append.
    pub appends: Vec<Append>,
    /// The lines to remove from the log.
    pub removals: Vec<LineRemoval>,
}

/// The journal file of a transaction.
#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    /// The workspace. If it no longer exists at this path, the transaction is discarded.
    root: PathBuf,
    #[serde(default)]
    renames: Vec<rename::RenameStep>,
    moves: Vec<DraftMove>,
    appends: Vec<append::PendingAppend>,
    #[serde(default)]
    removals: Vec<LineRemoval>,
}

/// The list of drafts of a transaction without a journal, so that the next process can remove them.
#[derive(Debug, Serialize, Deserialize)]
struct DraftList {
    root: PathBuf,
    paths: Vec<String>,
}

/// A draft that replaces a document; both paths are relative to the root.
#[derive(Debug, Serialize, Deserialize)]
struct DraftMove {
    from: String,
    to: String,
    /// The hash of the text that is replaced, or `ABSENT`. It detects concurrent edits.
    before: String,
}

impl DraftMove {
    /// Returns whether the document still has the text that the draft was based on.
    fn is_current(&self, dirs: &Directories) -> std::io::Result<bool> {
        let now = match dirs.root.read(&self.to, MAX_DOCUMENT_BYTES) {
            Ok(bytes) => hash_hex(&bytes),
            Err(error) if is_missing(&error) => ABSENT.to_owned(),
            Err(error) => return Err(error),
        };
        Ok(now == self.before)
    }

    /// Fails if the document was edited concurrently.
    fn check_current(&self, dirs: &Directories) -> Result<(), StoreError> {
        match self.is_current(dirs) {
            Ok(true) => Ok(()),
            Ok(false) => Err(concurrent_edit(&self.to)),
            Err(error) => Err(StoreError::io(&self.to, error)),
        }
    }

    /// Completes the move for a killed process. The transaction was never acknowledged, so a later
    /// edit of the document takes precedence and the draft is discarded.
    fn recover(&self, dirs: &Directories) -> std::io::Result<()> {
        if dirs.root.exists(&self.from) && !self.is_current(dirs)? {
            return dirs.root.remove(&self.from);
        }
        self.rename(dirs)
    }

    fn rename(&self, dirs: &Directories) -> std::io::Result<()> {
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

fn concurrent_edit(path: &str) -> StoreError {
    StoreError::refused(
        format!("{path} changed while it was being edited; nothing was written"),
        "run the command again",
    )
}

/// Recorded in the place of a hash for a file that did not exist.
const ABSENT: &str = "absent";

fn hash_hex(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The exclusive lock for writing to a workspace; dropping it releases the lock.
#[derive(Debug)]
pub struct WriteLock {
    _file: File,
    dirs: Directories,
}

/// Waits for the write lock, then completes the transaction and removes the drafts that a killed
/// process left.
pub fn lock(root: &Root) -> Result<WriteLock, StoreError> {
    let state = root.state()?;
    let dirs = Directories { root: root.dir().clone(), state };
    let io = |error| dirs.io_error(BaseDir::State, LOCK_FILE, error);
    let file = dirs.state.open_to_write(LOCK_FILE).map_err(io)?;
    file.lock().map_err(io)?;
    let lock = WriteLock { _file: file, dirs };
    lock.replay_journal()?;
    lock.remove_stale_drafts();
    Ok(lock)
}

/// Completes an unfinished transaction, if there is one. Readers call this first.
pub fn recover(root: &Root) -> Result<(), StoreError> {
    if has_journal(root) {
        lock(root)?;
    }
    Ok(())
}

/// Returns whether there is a journal: a transaction is running or was interrupted.
pub fn has_journal(root: &Root) -> bool {
    let state = root.existing_state();
    state.is_ok_and(|state| state.is_some_and(|state| state.exists(JOURNAL_FILE)))
}

impl WriteLock {
    /// Makes all changes, or none.
    pub fn apply_changes(&self, root: &Root, changes: &[FileChange]) -> Result<(), StoreError> {
        self.write(root, changes, vec![])
    }

    /// Appends lines to files, all or none.
    pub fn append(&self, root: &Root, appends: Vec<Append>) -> Result<(), StoreError> {
        self.write(root, &[], appends)
    }

    /// Makes all changes and appends all lines, or does nothing.
    pub fn write(
        &self,
        root: &Root,
        changes: &[FileChange],
        appends: Vec<Append>,
    ) -> Result<(), StoreError> {
        self.apply(root, ChangeSet { changes: changes.to_vec(), appends, ..Default::default() })
    }

    /// Renames files and folders in order, all or none.
    pub fn rename(&self, root: &Root, renames: &[Rename]) -> Result<(), StoreError> {
        let change_set = ChangeSet { renames: renames.to_vec(), ..Default::default() };
        let renamed = self.apply(root, change_set);
        if renamed.is_err() {
            // Checking a rename creates the parent folders of its target.
            renames.iter().for_each(|rename| root.remove_empty_folders(&rename.to));
        }
        renamed
    }

    /// Removes lines of the log. Each file is replaced atomically; the caller repeats an interrupted call.
    pub(crate) fn remove_lines(&self, removals: &[LineRemoval]) -> Result<(), StoreError> {
        removals.iter().try_for_each(|removal| removal.carry_out(&self.dirs))
    }

    /// Makes all changes of a set, or none.
    pub fn apply(&self, root: &Root, change_set: ChangeSet) -> Result<(), StoreError> {
        let dirs = &self.dirs;
        let ChangeSet { changes, renames, appends, removals } = change_set;
        let renames = renames
            .iter()
            .map(|rename| rename::RenameStep::new(root, rename))
            .collect::<Result<Vec<_>, _>>()?;
        let locate =
            |Append { base, path, text }| append::PendingAppend::new(dirs, base, &path, text);
        let appends = appends.into_iter().map(locate).collect::<Result<Vec<_>, _>>()?;
        let mut staged = StagedDrafts { dirs, drafts: self.empty_draft_list() };
        let changes: Vec<&FileChange> =
            changes.iter().filter(|change| change.before.as_ref() != Some(&change.after)).collect();
        let mut moves = Vec::with_capacity(changes.len());
        for change in changes {
            moves.push(stage(root, change, &mut staged)?);
        }
        // One atomic step needs no journal.
        match (renames.as_slice(), moves.as_slice(), appends.as_slice(), removals.as_slice()) {
            ([], [], [], []) => return Ok(()),
            ([], [], [only], []) if only.is_one_line() => return only.write(dirs),
            ([], [only], [], []) => {
                only.check_current(dirs)?;
                return only.rename(dirs).map_err(|error| StoreError::io(&only.to, error));
            }
            _ => {}
        }
        let moves =
            moves.into_iter().map(|draft| rename::path_after_all(&renames, draft)).collect();
        let root = dirs.root.path().to_path_buf();
        self.commit(&mut staged, &Journal { root, renames, moves, appends, removals })
    }

    /// Writes the journal and carries it out. Until the first draft is in place, a failure rolls
    /// everything back.
    fn commit(&self, staged: &mut StagedDrafts<'_>, journal: &Journal) -> Result<(), StoreError> {
        let dirs = &self.dirs;
        self.write_state(JOURNAL_FILE, journal)?;
        if let Err((error, is_undone)) = rename::make_all(&dirs.root, &journal.renames) {
            self.abort(staged, is_undone);
            return Err(error);
        }
        // Appends are the last step that needs disk space, so a full disk is noticed here.
        let appended =
            journal.appends.iter().try_for_each(|append| append.write(dirs)).and_then(|()| {
                journal.moves.iter().try_for_each(|draft| draft.check_current(dirs))
            });
        if let Err(error) = appended {
            journal.appends.iter().for_each(|append| append.undo(dirs));
            self.abort(staged, rename::undo_all(&dirs.root, &journal.renames));
            return Err(error);
        }
        staged.drafts.paths.clear();
        self.replay_journal()
    }

    /// Discards the journal of a failed transaction. If the rollback was incomplete, journal and
    /// drafts are kept, so that the next command completes the transaction.
    fn abort(&self, staged: &mut StagedDrafts<'_>, is_undone: bool) {
        if is_undone {
            drop(self.dirs.state.remove(JOURNAL_FILE));
        } else {
            staged.drafts.paths.clear();
        }
    }

    fn empty_draft_list(&self) -> DraftList {
        DraftList { root: self.dirs.root.path().to_path_buf(), paths: vec![] }
    }

    fn write_state(&self, file: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let text = serde_json::to_string(value).map_err(std::io::Error::from);
        let written = text.and_then(|text| self.dirs.state.replace(file, &text));
        written.map_err(|error| self.dirs.io_error(BaseDir::State, file, error))
    }

    /// Carries out the steps of the journal that are not done yet, and removes the journal.
    fn replay_journal(&self) -> Result<(), StoreError> {
        let io = |error| self.dirs.io_error(BaseDir::State, JOURNAL_FILE, error);
        let text = match self.dirs.state.read_text(JOURNAL_FILE, MAX_JOURNAL_BYTES) {
            Ok(text) => text,
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(io(error)),
        };
        let journal: Journal = serde_json::from_str(&text)
            .map_err(|error| self.unusable_journal(&error.to_string()))?;
        if let Some(dirs) = self.directories_of(&journal.root)? {
            let step_error = |to: &str, error: std::io::Error| match is_escape(&error) {
                true => self.unusable_journal(&format!("{to} leads out of the workspace")),
                false => StoreError::io(to, error),
            };
            for step in &journal.renames {
                step.recover(&dirs.root).map_err(|error| step_error(&step.to, error))?;
            }
            for append in &journal.appends {
                append.recover(&dirs)?;
            }
            for draft in &journal.moves {
                draft.recover(&dirs).map_err(|error| step_error(&draft.to, error))?;
            }
            for removal in &journal.removals {
                removal.carry_out(&dirs)?;
            }
        }
        self.dirs.state.remove(JOURNAL_FILE).map_err(io)?;
        self.dirs.state.sync_parent(JOURNAL_FILE);
        Ok(())
    }

    /// Returns the directories of the workspace that a journal belongs to: this workspace, or another
    /// work tree of the same repository, which shares the state. `None` if it no longer exists.
    fn directories_of(&self, root: &PathBuf) -> Result<Option<Directories>, StoreError> {
        let state = self.dirs.state.clone();
        if root == self.dirs.root.path() {
            return Ok(Some(Directories { root: self.dirs.root.clone(), state }));
        }
        if !root.exists() {
            return Ok(None);
        }
        let other = Root::open(root).map_err(|error| self.unusable_journal(&error.to_string()))?;
        if Path::new(&other.state_path()) != state.path() {
            let reason = format!("{} is not a work tree of this repository", root.display());
            return Err(self.unusable_journal(&reason));
        }
        Ok(Some(Directories { root: other.dir().clone(), state }))
    }

    fn unusable_journal(&self, reason: &str) -> StoreError {
        let path = self.dirs.state.path().join(JOURNAL_FILE);
        StoreError::refused(
            format!("{}: this interrupted change cannot be completed: {reason}", path.display()),
            "remove the file; no command reported the change as done",
        )
    }

    /// Removes the drafts of a process that was killed before it wrote the journal.
    fn remove_stale_drafts(&self) {
        let Ok(text) = self.dirs.state.read_text(DRAFTS_FILE, MAX_JOURNAL_BYTES) else { return };
        let drafts = serde_json::from_str::<DraftList>(&text).ok();
        let dirs =
            drafts.as_ref().and_then(|drafts| self.directories_of(&drafts.root).ok().flatten());
        if let Some((dirs, drafts)) = dirs.zip(drafts) {
            let is_draft = |path: &&String| path.ends_with(&format!(".{DRAFT_EXTENSION}"));
            drafts.paths.iter().filter(is_draft).for_each(|path| drop(dirs.root.remove(path)));
        }
        drop(self.dirs.state.remove(DRAFTS_FILE));
    }

    /// Returns the id of this clone, and creates it on the first call.
    pub(crate) fn clone_id(&self) -> Result<String, StoreError> {
        let id = clone_id::read_or_create(&self.dirs.state);
        id.map_err(|error| self.dirs.io_error(BaseDir::State, clone_id::FILE, error))
    }
}

/// Writes the draft of a change beside its file.
fn stage(
    root: &Root,
    change: &FileChange,
    staged: &mut StagedDrafts<'_>,
) -> Result<DraftMove, StoreError> {
    if root.read(&change.path)? != change.before {
        return Err(concurrent_edit(&change.path));
    }
    if change.after.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(StoreError::refused(
            format!("{} would become larger than 8 MB, the limit of a document", change.path),
            "move long texts to separate files and refer to them",
        ));
    }
    let to = match change.before {
        // The target of a symbolic link is replaced, so that the link itself stays.
        Some(_) => {
            let target = root.dir().handle().canonicalize(&change.path);
            let target = target.map_err(|error| StoreError::io(&change.path, error))?;
            target.to_string_lossy().replace('\\', "/")
        }
        None => {
            root.create_parents(&change.path)?;
            change.path.clone()
        }
    };
    let from = draft_path(&to);
    staged.add(from.clone());
    write_draft(root.dir(), &from, change.after.as_bytes(), &to)
        .map_err(|error| StoreError::io(&change.path, error))?;
    let before = match &change.before {
        Some(text) => hash_hex(text.as_bytes()),
        None => ABSENT.to_owned(),
    };
    Ok(DraftMove { from, to, before })
}

/// Returns the path of the draft of a file: beside it, and hidden.
fn draft_path(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let slash = if folder.is_empty() { "" } else { "/" };
    format!("{folder}{slash}.{name}.{DRAFT_EXTENSION}")
}

/// Drafts that are removed on drop unless the transaction is committed. They are also listed in a
/// file, so that the next process can remove the drafts of a killed one.
struct StagedDrafts<'l> {
    dirs: &'l Directories,
    drafts: DraftList,
}

impl StagedDrafts<'_> {
    fn add(&mut self, draft: String) {
        self.drafts.paths.push(draft);
        // Best effort: without the list, a killed process leaves a stray draft and no other damage.
        if let Ok(text) = serde_json::to_string(&self.drafts) {
            drop(self.dirs.state.handle().write(DRAFTS_FILE, text));
        }
    }
}

impl Drop for StagedDrafts<'_> {
    fn drop(&mut self) {
        for path in &self.drafts.paths {
            drop(self.dirs.root.remove(path));
        }
        drop(self.dirs.state.remove(DRAFTS_FILE));
    }
}

/// Writes a new file with the permissions of the file `like`. Any file at its path is removed first,
/// so that a symbolic link is not followed.
fn write_draft(dir: &ConfinedDir, path: &str, bytes: &[u8], like: &str) -> std::io::Result<()> {
    dir.remove_if_exists(path)?;
    let mut file = dir.create_new(path)?;
    file.write_all(bytes)?;
    if let Ok(original) = dir.open_file(like) {
        drop(original.metadata().and_then(|metadata| file.set_permissions(metadata.permissions())));
    }
    file.sync_all()
}
