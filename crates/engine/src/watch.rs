//! Follows a working tree: notices commits, checkouts and edits, and keeps the index and the history for predictions up to
//! date, so that the next question is answered without waiting for them.

use std::collections::BTreeMap;

use heirloom_store::git::{self, Repository};
use heirloom_store::log;
use heirloom_store::stamp::{FileWatch, Stamp};
use jiff::Timestamp;
use serde::Serialize;

use crate::prediction::warm_history;
use crate::recall::ContextQuery;
use crate::signals::{SignalKind, StoredSignals};
use crate::{Error, Session};

/// More files at once were written by a tool, such as a formatter or a merge, and are not what is worked on.
const MAX_EDITED_FILES: usize = 5;

/// What was noticed in a working tree.
#[derive(Debug, Clone, Serialize)]
pub struct WorkUpdate {
    /// When it was noticed.
    pub at: Timestamp,
    /// The checked-out branch; `None` outside of git and with a detached `HEAD`.
    pub branch: Option<String>,
    /// Whether it is another branch than before.
    pub is_new_branch: bool,
    /// The hash of the checked-out commit.
    pub commit: Option<String>,
    /// The first line of its message, unless it is a merge or the work of a bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Whether it is another commit than before.
    pub is_new_commit: bool,
    /// The files that were written or deleted.
    pub files: Vec<String>,
    /// How many files of memory changed.
    pub memory_files: usize,
    /// Why something could not be brought up to date.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A working tree that is followed.
#[derive(Debug)]
pub struct WorkWatch {
    watched: FileWatch,
    /// The files of the working tree that git does not ignore.
    stamps: BTreeMap<String, Option<Stamp>>,
    branch: Option<String>,
    commit: Option<String>,
}

impl WorkWatch {
    /// Begins to follow the working tree of a workspace, and brings everything up to date.
    pub fn start(session: &Session) -> Result<(Self, WorkUpdate), Error> {
        let watch = WorkWatch::of(session)?;
        let update = watch.update_since(session, None);
        Ok((watch, update))
    }

    /// Returns whether something may have changed. It reads no file.
    pub fn may_have_changed(&self) -> bool {
        !self.watched.changed().is_empty()
    }

    /// Notices what changed, and brings everything up to date; `None` if nothing did.
    pub fn update(&mut self, session: &Session) -> Result<Option<WorkUpdate>, Error> {
        let before = std::mem::replace(self, WorkWatch::of(session)?);
        let is_same = before.stamps == self.stamps
            && before.branch == self.branch
            && before.commit == self.commit;
        Ok((!is_same).then(|| {
            let mut update = self.update_since(session, Some(&before));
            update.warnings.extend(remember_files(session, &update));
            update
        }))
    }

    fn of(session: &Session) -> Result<Self, Error> {
        let root = session.root();
        let files = git::list_files(root).map_err(|error| Error::system(error.0))?;
        let folders = files.iter().map(|file| root.join(heirloom_core::path::folder(file)));
        let heads = root.repository().map(Repository::head_files).unwrap_or_default();
        let paths = files.iter().map(|file| root.join(file));
        let watched = paths.chain(folders).chain(heads).chain(log::local_folders(root));
        let watched = FileWatch::new(watched).with_base(root.path());
        let stamp = |file: String| {
            let stamp = Stamp::of(&root.join(&file));
            (file, stamp)
        };
        Ok(WorkWatch {
            watched,
            stamps: files.into_iter().map(stamp).collect(),
            branch: git::branch(root),
            commit: git::current_commit(root),
        })
    }

    fn update_since(&self, session: &Session, before: Option<&WorkWatch>) -> WorkUpdate {
        let changed = before.map(|before| self.changed_files(before)).unwrap_or_default();
        let (memory, files): (Vec<String>, Vec<String>) =
            changed.into_iter().partition(|path| git::is_memory_log(path));
        let mut warnings = Vec::new();
        // A question without words brings the index up to date.
        if let Err(error) = ContextQuery::default().read(session) {
            warnings.push(error.message);
        }
        let subject = match warm_history(session) {
            Ok(subject) => subject,
            Err(reason) => {
                warnings.extend(reason);
                None
            }
        };
        WorkUpdate {
            at: session.now(),
            branch: self.branch.clone(),
            is_new_branch: before.is_some_and(|before| before.branch != self.branch),
            commit: self.commit.clone(),
            subject,
            is_new_commit: before.is_some_and(|before| before.commit != self.commit),
            files,
            memory_files: memory.len(),
            warnings,
        }
    }

    /// Returns the files whose stamps differ, and those that one of the two does not have.
    fn changed_files(&self, before: &WorkWatch) -> Vec<String> {
        let is_changed = |(path, stamp): &(&String, &Option<Stamp>)| {
            before.stamps.get(*path).is_none_or(|other| other != *stamp)
        };
        let written = self.stamps.iter().filter(is_changed).map(|(path, _)| path.clone());
        let is_deleted = |path: &&String| !self.stamps.contains_key(*path);
        let deleted = before.stamps.keys().filter(is_deleted).cloned();
        written.chain(deleted).collect()
    }
}

/// Remembers edited files as signals: they are what is worked on. Returns a warning if they cannot be written.
fn remember_files(session: &Session, update: &WorkUpdate) -> Option<String> {
    let is_edit = !update.is_new_commit && !update.is_new_branch;
    if !is_edit || update.files.is_empty() || update.files.len() > MAX_EDITED_FILES {
        return None;
    }
    let remembered = StoredSignals::update(session, |signals| {
        for file in &update.files {
            signals.add(session, SignalKind::File, file);
        }
    });
    match remembered {
        Ok(problem) => problem.map(|problem| problem.to_string()),
        Err(error) => Some(error.message),
    }
}
