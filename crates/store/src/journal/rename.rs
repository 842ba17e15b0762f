//! Renaming of files and folders as a part of a change of several files.
//!
//! Renames come before the new texts are put into place. Renaming a folder is the step that another
//! program can prevent (a file of it is open on Windows, a permission is missing), so it is tried
//! while it can be undone: the renames made so far are taken back and nothing has changed. After
//! them, only drafts that lie on the same disk remain to be renamed.
//!
//! A process that dies in between leaves a journal, and the next command goes on: a rename whose
//! source is gone was made before, and the journal names drafts and texts by where they lie after all
//! renames, so that nothing depends on how many of them were made.

use serde::{Deserialize, Serialize};

use super::Move;
use crate::confined::ConfinedDir;
use crate::files::is_missing;
use crate::{Root, StoreError};

/// A file or folder that gets another path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// Its path, relative to the root, after the renames before this one.
    pub from: String,
    /// Its new path; nothing may be there.
    pub to: String,
}

/// A rename between the places that its paths really mean, relative to the root.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) from: String,
    pub(super) to: String,
}

impl Step {
    /// Checks that there is something to rename and that nothing is in its way. Links on the way to
    /// it are followed first, since the texts that are edited are named by where they really lie.
    pub(super) fn new(root: &Root, rename: &Rename) -> Result<Self, StoreError> {
        if root.metadata(&rename.from)?.is_none() {
            return Err(StoreError::refused(
                format!("{} is not there", rename.from),
                "run the command again",
            ));
        }
        root.make_parents(&rename.to)?;
        if is_there(root.dir(), &rename.to) {
            return Err(StoreError::refused(
                format!("{} is already there", rename.to),
                "move it away first",
            ));
        }
        let real = |path: &str| -> Result<String, StoreError> {
            let Some((folder, name)) = path.rsplit_once('/') else { return Ok(path.to_owned()) };
            let folder = root.dir().handle().canonicalize(folder);
            let folder = folder.map_err(|error| StoreError::io(path, error))?;
            Ok(format!("{}/{name}", folder.to_string_lossy().replace('\\', "/")))
        };
        Ok(Step { from: real(&rename.from)?, to: real(&rename.to)? })
    }

    /// Makes the rename.
    fn make(&self, root: &ConfinedDir) -> std::io::Result<()> {
        root.rename(&self.from, &self.to)?;
        root.sync_parent(&self.to);
        root.sync_parent(&self.from);
        Ok(())
    }

    /// Takes the rename back. If even this fails, the next command finishes what the journal says.
    fn undo(&self, root: &ConfinedDir) -> std::io::Result<()> {
        root.rename(&self.to, &self.from)
    }

    /// Makes a rename that a killed process may or may not have made. What came into its way since
    /// then stays, and so does what was to be renamed: nothing is lost.
    pub(super) fn finish(&self, root: &ConfinedDir) -> std::io::Result<()> {
        if is_there(root, &self.to) || !is_there(root, &self.from) {
            return Ok(());
        }
        if let Some((folder, _)) = self.to.rsplit_once('/') {
            root.handle().create_dir_all(folder)?;
        }
        match self.make(root) {
            Err(error) if is_missing(&error) => Ok(()),
            made => made,
        }
    }

    /// Returns where a path lies after this rename.
    fn after(&self, path: &str) -> String {
        match path.strip_prefix(&self.from) {
            Some(inner) if inner.is_empty() || inner.starts_with('/') => {
                format!("{}{inner}", self.to)
            }
            _ => path.to_owned(),
        }
    }
}

fn is_there(root: &ConfinedDir, path: &str) -> bool {
    root.handle().symlink_metadata(path).is_ok()
}

/// Makes renames in order, or none of them. Returns whether those that were made were taken back,
/// with the error.
pub(super) fn make_all(root: &ConfinedDir, steps: &[Step]) -> Result<(), (StoreError, bool)> {
    for (at, step) in steps.iter().enumerate() {
        if let Err(error) = step.make(root) {
            let undone = undo_all(root, &steps[..at]);
            return Err((StoreError::io(&step.from, error), undone));
        }
    }
    Ok(())
}

/// Takes renames back that were all made, and returns whether it could.
pub(super) fn undo_all(root: &ConfinedDir, steps: &[Step]) -> bool {
    steps.iter().rev().try_for_each(|step| step.undo(root)).is_ok()
}

/// Names a staged text by where its draft and its file lie after all renames.
pub(super) fn after_all(steps: &[Step], staged: Move) -> Move {
    let after = |path: String| steps.iter().fold(path, |path, step| step.after(&path));
    Move { from: after(staged.from), to: after(staged.to), before: staged.before }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn step(from: &str, to: &str) -> Step {
        Step { from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn renames_that_cannot_all_be_made_are_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/x"), "text").unwrap();
        let root = ConfinedDir::open(folder.path()).unwrap();
        let steps = [step("a/x", "a/y"), step("a", "b"), step("missing", "c")];
        let (_, undone) = make_all(&root, &steps).unwrap_err();
        assert!(undone);
        assert_eq!(fs::read_to_string(folder.path().join("a/x")).unwrap(), "text");
        assert!(!folder.path().join("b").exists());
    }

    #[test]
    fn a_text_is_named_by_where_it_lies_after_all_renames() {
        let steps = [step("a/x", "a/y"), step("a", "b")];
        let staged = Move { from: "a/.x.heir-new".into(), to: "a/x".into(), before: "".into() };
        let moved = after_all(&steps, staged);
        assert_eq!((moved.from.as_str(), moved.to.as_str()), ("b/.x.heir-new", "b/y"));
        let other = Move { from: "ab/.x.heir-new".into(), to: "ab/x".into(), before: "".into() };
        assert_eq!(after_all(&steps, other).to, "ab/x");
    }
}
