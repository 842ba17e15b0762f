//! Runs that changed many memories at once, as they are recorded on this machine so that each can be undone as a whole.

use std::path::PathBuf;

use heirloom_core::record::Referent;
use heirloom_core::usage::UsageCounts;
use heirloom_store::state::StateFolder;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, Session};

/// Folder in the state of this machine.
const FOLDER: &str = "runs";

/// Most resolutions that are kept, and most other runs: resolving many contradictions takes no other run away.
const MAX_RUNS: usize = 100;

/// The reason of the events that undo a run.
pub(crate) const UNDONE_RUN_REASON: &str = "undone run";

/// What made the changes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunKind {
    /// A consolidation.
    Consolidation,
    /// An import.
    Import,
    /// Storing decisions of documents as facts.
    Ingest,
    /// Adding front matter.
    Migration,
    /// Resolving a contradiction.
    Resolution,
}

impl RunKind {
    /// Returns its name for people.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            RunKind::Consolidation => "consolidation",
            RunKind::Import => "import",
            RunKind::Ingest => "ingest",
            RunKind::Migration => "migration",
            RunKind::Resolution => "resolution",
        }
    }
}

/// A run, with everything that it changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordedRun {
    /// What made it.
    pub(crate) kind: RunKind,
    /// When it was made.
    pub(crate) at: Timestamp,
    /// Who made it.
    pub(crate) by: String,
    /// The root of the working tree: others share this state.
    pub(crate) root: PathBuf,
    /// The records that it wrote. Those that are not in the log were not written, since it was interrupted.
    pub(crate) records: Vec<Uuid>,
    /// The documents that it edited.
    #[serde(default)]
    pub(crate) documents: Vec<EditedDocument>,
    /// The files and folders that it renamed, in order.
    #[serde(default)]
    pub(crate) renames: Vec<(String, String)>,
    /// The memories whose usage counts for others.
    #[serde(default)]
    pub(crate) moved_usage: Vec<RecordedMove>,
    /// Whether it was undone.
    #[serde(default)]
    pub(crate) is_undone: bool,
}

/// A memory whose usage counts for another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedMove {
    /// The memory.
    pub(crate) from: Referent,
    /// What it counts for.
    pub(crate) to: Referent,
    /// What had been counted of it.
    #[serde(default)]
    pub(crate) counts: UsageCounts,
}

/// A document that a run edited or created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EditedDocument {
    /// Its path.
    pub(crate) path: String,
    /// Its text before; `None` if it did not exist.
    pub(crate) before: Option<String>,
    /// A hash of its text after the edit.
    pub(crate) after_hash: String,
}

impl EditedDocument {
    pub(crate) fn new(path: &str, before: &Option<String>, after: &str) -> Self {
        let after_hash = Self::hash(after);
        EditedDocument { path: path.to_owned(), before: before.clone(), after_hash }
    }

    /// Returns the hash of a text.
    pub(crate) fn hash(text: &str) -> String {
        heirloom_core::words::short_hash(text)
    }
}

impl RecordedRun {
    /// Returns whether it changed nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
            && self.documents.is_empty()
            && self.renames.is_empty()
            && self.moved_usage.is_empty()
    }

    /// Stores a new run and returns its number. The caller holds the write lock.
    pub(super) fn store(&self, session: &Session) -> Result<u64, Error> {
        let numbers = Self::numbers(session);
        let number = numbers.last().copied().unwrap_or_default() + 1;
        self.replace(session, number)?;
        if numbers.len() >= MAX_RUNS {
            let is_resolution = self.kind == RunKind::Resolution;
            let mut alike = numbers;
            alike.retain(|old| {
                let kind = Self::kind_of(session, *old);
                (kind == Some(RunKind::Resolution)) == is_resolution
            });
            let surplus = (alike.len() + 1).saturating_sub(MAX_RUNS);
            alike.into_iter().take(surplus).for_each(|old| Self::remove(session, old));
        }
        Ok(number)
    }

    /// Returns what made a run; `None` if it cannot be read.
    fn kind_of(session: &Session, number: u64) -> Option<RunKind> {
        let text = folder(session).read(&file_name(number)).ok()??;
        serde_json::from_str::<KindOfRun>(&text).ok().map(|run| run.kind)
    }

    /// Replaces what is stored about a run.
    pub(crate) fn replace(&self, session: &Session, number: u64) -> Result<(), Error> {
        let text = serde_json::to_string(self).map_err(|error| Error::system(error.to_string()))?;
        Ok(folder(session).write(&file_name(number), &text)?)
    }

    /// Removes a run that was not made, or is the oldest of too many.
    pub(super) fn remove(session: &Session, number: u64) {
        drop(folder(session).remove(&file_name(number)));
    }

    /// Returns the numbers of all runs, the oldest first.
    pub(crate) fn numbers(session: &Session) -> Vec<u64> {
        let names = folder(session).names();
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Returns the memories whose usage counted for others by runs that were undone. A run that cannot be read has none.
    pub(crate) fn undone_moves(session: &Session) -> Result<Vec<RecordedMove>, Error> {
        let mut found = Vec::new();
        for number in Self::numbers(session) {
            let Some(text) = folder(session).read(&file_name(number))? else { continue };
            let run = serde_json::from_str::<UndoneMoves>(&text).ok().filter(|run| run.is_undone);
            found.extend(run.into_iter().flat_map(|run| run.moved_usage));
        }
        Ok(found)
    }

    /// Reads a run; `None` if there is none with the number.
    pub(crate) fn read(session: &Session, number: u64) -> Result<Option<Self>, Error> {
        let Some(text) = folder(session).read(&file_name(number))? else { return Ok(None) };
        let run = serde_json::from_str(&text).map_err(|error| {
            let path = folder(session).path(&file_name(number));
            Error::bad_input(format!("{}: run {number} cannot be read: {error}", path.display()))
                .hint("undo another run, or remove the file")
        })?;
        Ok(Some(run))
    }
}

/// What the kind of a run is read from.
#[derive(Deserialize)]
struct KindOfRun {
    kind: RunKind,
}

/// What the usage of undone runs is read from.
#[derive(Deserialize)]
struct UndoneMoves {
    #[serde(default)]
    moved_usage: Vec<RecordedMove>,
    #[serde(default)]
    is_undone: bool,
}

fn file_name(number: u64) -> String {
    format!("{number:06}")
}

fn folder(session: &Session) -> StateFolder<'_> {
    StateFolder::in_state(session.root(), FOLDER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::init;

    #[test]
    fn resolutions_take_no_other_run_away() {
        let folder = tempfile::tempdir().unwrap();
        let today = jiff::civil::date(2026, 2, 22);
        let request =
            init::Request { folder: folder.path(), hierarchy: "plans", name: Some("t"), today };
        init::run(&request).unwrap();
        let session = Session::open(folder.path(), Timestamp::UNIX_EPOCH).unwrap();
        let run = |kind: RunKind| RecordedRun {
            kind,
            at: Timestamp::UNIX_EPOCH,
            by: "Ada".into(),
            root: folder.path().to_path_buf(),
            records: vec![],
            documents: vec![],
            renames: vec![],
            moved_usage: vec![],
            is_undone: false,
        };
        let import = run(RunKind::Import).store(&session).unwrap();
        let resolutions: Vec<u64> =
            (0..MAX_RUNS + 2).map(|_| run(RunKind::Resolution).store(&session).unwrap()).collect();
        let kept = RecordedRun::numbers(&session);
        assert_eq!(kept[0], import);
        assert_eq!(kept[1..], resolutions[2..]);
    }
}
