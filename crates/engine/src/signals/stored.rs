//! The signals of a working tree as they are stored.

use heirloom_core::{Problem, secret, words};
use heirloom_store::state::StateFolder;
use heirloom_store::{StoreError, git};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, Session};

/// Folder in the state of this machine with a file for each working tree: worktrees share the state, and each has its own
/// open files and branch.
const FOLDER: &str = "signals";

/// Maximum number of signals of a kind that are stored. The oldest are dropped.
const MAX_STORED: usize = 20;

/// Maximum length of a stored signal, in characters. An error says what it is about in its first lines.
const MAX_CHARS: usize = 2_000;

/// A kind of signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SignalKind {
    /// A file that is open.
    File,
    /// The branch that is worked on.
    Branch,
    /// An error that was seen.
    Error,
    /// A collaborator.
    User,
}

/// A signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Signal {
    /// The path, the branch, the message or the name.
    pub(crate) value: String,
    /// When it was last given.
    pub(crate) at: Timestamp,
    /// The branch that was checked out when it was given, for a branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checked_out: Option<String>,
}

/// The signals of a working tree, the latest of each kind last.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StoredSignals {
    pub(super) files: Vec<Signal>,
    /// At most one.
    pub(super) branch: Vec<Signal>,
    pub(super) errors: Vec<Signal>,
    pub(super) users: Vec<Signal>,
}

impl StoredSignals {
    /// Reads the signals. Damaged ones are set aside and reported, and new ones begin.
    pub(crate) fn read(session: &Session) -> (Self, Option<Problem>) {
        let folder = folder(session);
        if !folder.exists() {
            return (Self::default(), None);
        }
        let (name, path) = (file_name(session), || folder.path(&file_name(session)));
        match folder.read_bytes(&name).map(|bytes| bytes.map(|bytes| parse(&bytes))) {
            Ok(None) => (Self::default(), None),
            Ok(Some(Ok(signals))) => (signals, None),
            Ok(Some(Err(reason))) => {
                let problem = set_aside(&folder, &name, &reason);
                (Self::default(), Some(problem))
            }
            Err(error) => {
                let message = format!("the signals cannot be read: {error}");
                (Self::default(), Some(Problem::in_file(path().display().to_string(), message)))
            }
        }
    }

    /// Changes the signals under a lock, so that concurrent changes are all made. Returns the problem of a damaged file.
    pub(crate) fn update(
        session: &Session,
        change: impl FnOnce(&mut StoredSignals),
    ) -> Result<Option<Problem>, Error> {
        let folder = folder(session);
        let name = file_name(session);
        let _lock = folder.lock(&name)?;
        let (mut signals, problem) = match folder.read_bytes(&name)?.map(|bytes| parse(&bytes)) {
            None => (Self::default(), None),
            Some(Ok(signals)) => (signals, None),
            Some(Err(reason)) => {
                let kept = folder.set_aside(&name)?.display().to_string();
                let path = folder.path(&name).display().to_string();
                (Self::default(), Some(damage(path, &kept, &reason)))
            }
        };
        change(&mut signals);
        let text = serde_json::to_string(&signals).map_err(|it| Error::system(it.to_string()))?;
        folder.write_unsynced(&name, &text)?;
        Ok(problem)
    }

    /// Adds a signal, or moves a known one to the end. Secrets are redacted. Returns how many there were.
    pub(crate) fn add(&mut self, session: &Session, kind: SignalKind, value: &str) -> usize {
        let (value, secrets) = secret::redact_all(value.trim());
        let value: String = value.chars().take(MAX_CHARS).collect();
        let is_branch = kind == SignalKind::Branch;
        let checked_out = is_branch.then(|| git::branch(session.root()).unwrap_or_default());
        let signals = self.of_kind_mut(kind);
        signals.retain(|known| known.value != value && !is_branch);
        signals.push(Signal { value, at: session.now(), checked_out });
        signals.drain(..signals.len().saturating_sub(MAX_STORED));
        secrets
    }

    /// Removes the signals of a kind, or of all. Returns how many there were.
    pub(crate) fn clear(&mut self, kind: Option<SignalKind>) -> usize {
        let all = [SignalKind::File, SignalKind::Branch, SignalKind::Error, SignalKind::User];
        let cleared = all.into_iter().filter(|one| kind.is_none_or(|kind| kind == *one));
        cleared.map(|kind| self.of_kind_mut(kind).drain(..).count()).sum()
    }

    fn of_kind_mut(&mut self, kind: SignalKind) -> &mut Vec<Signal> {
        match kind {
            SignalKind::File => &mut self.files,
            SignalKind::Branch => &mut self.branch,
            SignalKind::Error => &mut self.errors,
            SignalKind::User => &mut self.users,
        }
    }
}

fn parse(bytes: &[u8]) -> Result<StoredSignals, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Sets a damaged file aside, unless another process has replaced it meanwhile. Returns the problem to report.
fn set_aside(folder: &StateFolder<'_>, name: &str, reason: &str) -> Problem {
    let path = folder.path(name).display().to_string();
    let set_aside = || -> Result<Option<String>, StoreError> {
        let _lock = folder.lock(name)?;
        let is_damaged = folder.read_bytes(name)?.is_some_and(|bytes| parse(&bytes).is_err());
        match is_damaged {
            true => Ok(Some(folder.set_aside(name)?.display().to_string())),
            false => Ok(None),
        }
    };
    match set_aside() {
        Ok(Some(kept)) => damage(path, &kept, reason),
        Ok(None) | Err(_) => {
            Problem::in_file(path, format!("the signals are damaged and do not count: {reason}"))
        }
    }
}

fn damage(path: String, kept: &str, reason: &str) -> Problem {
    let message = format!(
        "the signals were damaged ({reason}) and begin anew; the old file is kept as {kept}"
    );
    Problem::in_file(path, message).hint("delete the kept file if you do not need it")
}

fn folder(session: &Session) -> StateFolder<'_> {
    StateFolder::in_state(session.root(), FOLDER)
}

fn file_name(session: &Session) -> String {
    words::short_hash(&session.root().path().to_string_lossy())
}
