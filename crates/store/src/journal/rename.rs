//! Renames of files and folders within a transaction.
//!
//! Renames come first. The rename of a folder is the step that is most likely to fail (on Windows an
//! open file prevents it; a permission may be missing), so it is made while the transaction can still
//! be rolled back. Afterwards only drafts on the same disk remain to be renamed.
//!
//! If a process is killed in between, the next command continues with the journal. A rename whose
//! source no longer exists is already done. The journal stores the paths of drafts and documents as
//! they are after all renames, so recovery does not depend on how many renames were done.

use serde::{Deserialize, Serialize};

use super::DraftMove;
use crate::confined::ConfinedDir;
use crate::files::is_missing;
use crate::{Root, StoreError};

/// The rename of a file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The old path, relative to the root, as it is after the preceding renames.
    pub from: String,
    /// The new path, which must not exist.
    pub to: String,
}

/// A rename whose parent folders are resolved through symbolic links, relative to the root.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RenameStep {
    pub(super) from: String,
    pub(super) to: String,
}

impl RenameStep {
    /// Checks that the source exists and the target does not. Parent folders are canonicalised,
    /// because staged drafts have canonical paths too.
    pub(super) fn new(root: &Root, rename: &Rename) -> Result<Self, StoreError> {
        if root.metadata(&rename.from)?.is_none() {
            return Err(StoreError::refused(
                format!("{} does not exist any more", rename.from),
                "run the command again",
            ));
        }
        root.create_parents(&rename.to)?;
        if exists(root.dir(), &rename.to) {
            return Err(StoreError::refused(
                format!("{} already exists", rename.to),
                "move it to another place first",
            ));
        }
        let canonicalize = |path: &str| -> Result<String, StoreError> {
            let Some((folder, name)) = path.rsplit_once('/') else { return Ok(path.to_owned()) };
            let folder = root.dir().handle().canonicalize(folder);
            let folder = folder.map_err(|error| StoreError::io(path, error))?;
            Ok(format!("{}/{name}", folder.to_string_lossy().replace('\\', "/")))
        };
        Ok(RenameStep { from: canonicalize(&rename.from)?, to: canonicalize(&rename.to)? })
    }

    /// Renames the file or folder and syncs both parents.
    fn make(&self, root: &ConfinedDir) -> std::io::Result<()> {
        root.rename(&self.from, &self.to)?;
        root.sync_parent(&self.to);
        root.sync_parent(&self.from);
        Ok(())
    }

    /// Reverts the rename. If this fails, the next command completes the journal.
    fn undo(&self, root: &ConfinedDir) -> std::io::Result<()> {
        root.rename(&self.to, &self.from)
    }

    /// Makes a rename that a killed process may or may not have made. If the target exists by now,
    /// neither source nor target is touched, so that nothing is lost.
    pub(super) fn recover(&self, root: &ConfinedDir) -> std::io::Result<()> {
        if exists(root, &self.to) || !exists(root, &self.from) {
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

    /// Returns a path as it is after this rename.
    fn path_after(&self, path: &str) -> String {
        match path.strip_prefix(&self.from) {
            Some(inner) if inner.is_empty() || inner.starts_with('/') => {
                format!("{}{inner}", self.to)
            }
            _ => path.to_owned(),
        }
    }
}

/// Returns whether a path exists, without following a symbolic link.
fn exists(root: &ConfinedDir, path: &str) -> bool {
    root.handle().symlink_metadata(path).is_ok()
}

/// Makes renames in order. On failure the renames made so far are reverted; the error comes with
/// whether that succeeded.
pub(super) fn make_all(root: &ConfinedDir, steps: &[RenameStep]) -> Result<(), (StoreError, bool)> {
    for (index, step) in steps.iter().enumerate() {
        if let Err(error) = step.make(root) {
            let is_undone = undo_all(root, &steps[..index]);
            return Err((StoreError::io(&step.from, error), is_undone));
        }
    }
    Ok(())
}

/// Reverts renames that were all made, and returns whether that succeeded.
pub(super) fn undo_all(root: &ConfinedDir, steps: &[RenameStep]) -> bool {
    steps.iter().rev().try_for_each(|step| step.undo(root)).is_ok()
}

/// Returns a draft with its paths as they are after all renames.
pub(super) fn path_after_all(steps: &[RenameStep], draft: DraftMove) -> DraftMove {
    let path_after = |path: String| steps.iter().fold(path, |path, step| step.path_after(&path));
    DraftMove { from: path_after(draft.from), to: path_after(draft.to), before: draft.before }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn step(from: &str, to: &str) -> RenameStep {
        RenameStep { from: from.to_owned(), to: to.to_owned() }
    }

    #[test]
    fn a_failed_rename_reverts_the_renames_before_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/x"), "text").unwrap();
        let root = ConfinedDir::open(folder.path()).unwrap();
        let steps = [step("a/x", "a/y"), step("a", "b"), step("missing", "c")];
        let (_, is_undone) = make_all(&root, &steps).unwrap_err();
        assert!(is_undone);
        assert_eq!(fs::read_to_string(folder.path().join("a/x")).unwrap(), "text");
        assert!(!folder.path().join("b").exists());
    }

    #[test]
    fn drafts_have_the_paths_after_all_renames() {
        let steps = [step("a/x", "a/y"), step("a", "b")];
        let draft = DraftMove { from: "a/.x.heir-new".into(), to: "a/x".into(), before: "".into() };
        let moved = path_after_all(&steps, draft);
        assert_eq!((moved.from.as_str(), moved.to.as_str()), ("b/.x.heir-new", "b/y"));
        let sibling =
            DraftMove { from: "ab/.x.heir-new".into(), to: "ab/x".into(), before: "".into() };
        assert_eq!(path_after_all(&steps, sibling).to, "ab/x");
    }
}
