//! The signals that count now.

use heirloom_core::Problem;
use heirloom_store::git;
use jiff::SignedDuration;

use super::stored::{Signal, StoredSignals};
use crate::Session;

/// How many of the latest files count.
const MAX_FILES: usize = 5;

/// How many of the latest errors count.
const MAX_ERRORS: usize = 3;

/// How long an error counts, in hours.
const ERROR_HOURS: i64 = 24;

/// How long a collaborator counts, in hours: a working day.
const USER_HOURS: i64 = 12;

/// The signals that count now, the latest of each kind first.
#[derive(Debug, Default)]
pub(crate) struct CurrentSignals {
    /// The latest files that exist.
    pub(crate) files: Vec<Signal>,
    /// The branch that was given, as long as the same one is checked out.
    pub(crate) branch: Option<Signal>,
    /// The checked-out branch.
    pub(crate) checked_out_branch: Option<String>,
    /// The errors of the last 24 hours.
    pub(crate) errors: Vec<Signal>,
    /// The collaborators of the last 12 hours.
    pub(crate) users: Vec<Signal>,
    /// The problem of signals that could not be read.
    pub(crate) problem: Option<Problem>,
}

impl CurrentSignals {
    /// Reads the signals that count now.
    pub(crate) fn read(session: &Session) -> Self {
        let (stored, problem) = StoredSignals::read(session);
        let StoredSignals { files, branch, errors, users } = stored;
        let latest = |signals: Vec<Signal>, hours: Option<i64>, limit: usize| -> Vec<Signal> {
            let is_recent = |signal: &Signal| {
                let age = session.now().duration_since(signal.at);
                hours.is_none_or(|hours| age <= SignedDuration::from_hours(hours))
            };
            signals.into_iter().rev().filter(is_recent).take(limit).collect()
        };
        let exists = |signal: &Signal| session.root().exists(&signal.value);
        let files = files.into_iter().filter(exists).collect();
        let checked_out_branch = git::branch(session.root());
        let is_checked_out = |signal: &Signal| {
            signal.checked_out.as_deref() == Some(checked_out_branch.as_deref().unwrap_or_default())
        };
        CurrentSignals {
            files: latest(files, None, MAX_FILES),
            branch: branch.into_iter().next_back().filter(is_checked_out),
            checked_out_branch,
            errors: latest(errors, Some(ERROR_HOURS), MAX_ERRORS),
            users: latest(users, Some(USER_HOURS), usize::MAX),
            problem,
        }
    }

    /// Returns the branch that counts: the one that was given, else the checked-out one.
    pub(crate) fn branch_name(&self) -> Option<String> {
        self.branch.as_ref().map(|signal| signal.value.clone()).or(self.checked_out_branch.clone())
    }
}
