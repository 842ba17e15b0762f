//! What is known about a piece of work: what a request states, else what is remembered.

use super::current::CurrentSignals;
use super::stored::Signal;
use crate::Session;

/// What is known about a piece of work.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkSignals {
    /// The files that are open or changed.
    pub(crate) files: Vec<String>,
    /// The branch that is worked on.
    pub(crate) branch: Option<String>,
    /// Error messages.
    pub(crate) errors: Vec<String>,
    /// Collaborators.
    pub(crate) people: Vec<String>,
    /// Which of these were not stated.
    pub(crate) remembered: RememberedKinds,
    /// Warnings about what is remembered.
    pub(crate) warnings: Vec<String>,
}

/// Which kinds of signals were not stated, but remembered.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RememberedKinds {
    pub(crate) files: bool,
    pub(crate) branch: bool,
    pub(crate) errors: bool,
    pub(crate) people: bool,
}

impl WorkSignals {
    /// Adds what is remembered to what was stated. Stated signals of a kind replace the remembered ones.
    #[must_use]
    pub(crate) fn with_remembered(mut self, session: &Session) -> Self {
        let current = CurrentSignals::read(session);
        let fill = |stated: &mut Vec<String>, remembered: &[Signal]| {
            let is_filled = stated.is_empty() && !remembered.is_empty();
            if is_filled {
                stated.extend(remembered.iter().map(|signal| signal.value.clone()));
            }
            is_filled
        };
        self.remembered.files = fill(&mut self.files, &current.files);
        self.remembered.errors = fill(&mut self.errors, &current.errors);
        self.remembered.people = fill(&mut self.people, &current.users);
        if self.branch.is_none() {
            self.remembered.branch = current.branch.is_some();
            self.branch = current.branch_name();
        }
        self.warnings.extend(current.problem.map(|problem| problem.to_string()));
        self
    }

    /// Returns whether nothing was stated.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
            && self.branch.is_none()
            && self.errors.is_empty()
            && self.people.is_empty()
    }

    /// Removes blank texts.
    pub(crate) fn drop_blank(&mut self) {
        let is_stated = |text: &String| !text.trim().is_empty();
        for list in [&mut self.files, &mut self.errors, &mut self.people] {
            list.retain(is_stated);
        }
        self.branch = self.branch.take().filter(is_stated);
    }
}

/// Adds to a reason that it comes from a signal, if it does.
pub(crate) fn reason_from(reason: String, is_remembered: bool) -> String {
    if is_remembered { format!("{reason} (from signal)") } else { reason }
}
