//! The response of all commands about signals: the signals that count now.

use heirloom_core::{Hint, Problem};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::signals::{CurrentSignals, Signal, SignalKind, StoredSignals};
use crate::view::{Role, Span, View, present, span};
use crate::{Answer, Error, Session};

/// The signals that count now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SignalReport {
    /// Number of signals that were forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cleared: Option<usize>,
    /// Open files, the latest first.
    files: Vec<RememberedSignal>,
    /// Branch that is worked on.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<BranchInUse>,
    /// Errors, the latest first.
    errors: Vec<RememberedSignal>,
    /// Collaborators, the latest first.
    users: Vec<RememberedSignal>,
    /// Remarks and warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Hint>,
    /// Damaged files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

/// A signal that counts.
#[derive(Debug, Serialize, JsonSchema)]
struct RememberedSignal {
    /// The path, the message or the name.
    value: String,
    /// When it was last given.
    at: String,
}

/// The branch that is worked on.
#[derive(Debug, Serialize, JsonSchema)]
struct BranchInUse {
    /// Its name.
    value: String,
    /// When it was given; without it, it is the checked-out one.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
}

fn to_the_second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

impl RememberedSignal {
    fn of(signal: Signal) -> Self {
        RememberedSignal { value: signal.value, at: to_the_second(signal.at) }
    }
}

impl SignalReport {
    /// Reports the signals that count now.
    pub(super) fn new(session: &Session, notes: Vec<Hint>, problem: Option<Problem>) -> Self {
        let current = CurrentSignals::read(session);
        let report = |signals: Vec<Signal>| signals.into_iter().map(RememberedSignal::of).collect();
        let branch = current.branch_name().map(|value| BranchInUse {
            value,
            at: current.branch.as_ref().map(|signal| to_the_second(signal.at)),
        });
        SignalReport {
            cleared: None,
            files: report(current.files),
            branch,
            errors: report(current.errors),
            users: report(current.users),
            notes,
            problems: problem.into_iter().chain(current.problem).collect(),
        }
    }

    /// Stores signals of a kind and reports all that count now.
    pub(super) fn after_adding(
        session: &Session,
        kind: SignalKind,
        values: &[String],
        mut notes: Vec<Hint>,
    ) -> Result<Self, Error> {
        let mut secrets = 0;
        let problem = StoredSignals::update(session, |signals| {
            secrets = values.iter().map(|value| signals.add(session, kind, value)).sum();
        })?;
        if secrets > 0 {
            let what = present::count(secrets, "passage");
            notes.push(format!("{what} redacted because of what looks like a secret").into());
        }
        Ok(Self::new(session, notes, problem))
    }
}

/// Rejects an empty text.
pub(super) fn check_stated(value: &str, what: &str) -> Result<(), Error> {
    match value.trim().is_empty() {
        true => Err(Error::bad_input(format!("{what} is empty"))),
        false => Ok(()),
    }
}

impl Answer for SignalReport {
    fn view(&self) -> View {
        let mut view = View::new();
        if let Some(cleared) = self.cleared {
            let what = present::count(cleared, "signal");
            view.line([span(Role::Good, format!("{what} forgotten"))]);
        }
        let row = |kind: &str, value: &str, at: &str| -> Vec<Span> {
            vec![span(Role::Key, kind), span(Role::Dim, at), present::opening(value).into()]
        };
        let of_kind = |kind: &'static str, signals: &[RememberedSignal]| -> Vec<Vec<Span>> {
            signals.iter().map(|signal| row(kind, &signal.value, &signal.at)).collect()
        };
        let mut rows = of_kind("file", &self.files);
        rows.extend(self.branch.iter().map(|branch| {
            row("branch", &branch.value, branch.at.as_deref().unwrap_or("checked out"))
        }));
        rows.extend(of_kind("error", &self.errors));
        rows.extend(of_kind("user", &self.users));
        if rows.is_empty() {
            view.line([span(Role::Dim, "no signal counts")]);
        }
        view.table(&[], rows);
        for note in &self.notes {
            view.line([span(Role::Warning, Hint::text("⚠️ ").then_hint(note))]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
