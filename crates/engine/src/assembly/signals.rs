//! What is known about the work that a context is for.

use std::collections::HashSet;

use heirloom_core::assembly::Activity;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::path::{is_named_in, name_in_words};
use heirloom_core::prose::begins_with_question;
use heirloom_core::recall::terms;

use super::change::Change;
use super::entry::Section;
use crate::prediction::branch_words;
use crate::signals::{WorkSignals, reason_from};

/// What is known about the work that a context is for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    /// The task, in any words.
    pub(crate) task: Option<String>,
    /// The files, the branch, the errors and the collaborators.
    pub(crate) work: WorkSignals,
    /// What the agent is doing.
    pub(crate) activity: Activity,
    /// The hierarchy of the levels; `None` for the default one.
    pub(crate) hierarchy: Option<String>,
    /// The levels that the work belongs to: a plan and its agent, or a sprint and its stage.
    pub(crate) levels: Selectors,
}

/// A branch with fewer words that say something matches too much.
const MIN_BRANCH_WORDS: usize = 2;

/// A question to memory that a signal asks.
#[derive(Debug)]
pub(super) struct SignalQuestion {
    /// The question.
    pub(super) text: String,
    /// The section of the context that answers go into.
    pub(super) section: Section,
    /// The signal, as typed.
    pub(super) signal: String,
    /// Whether the signal was remembered and not stated.
    pub(super) is_remembered: bool,
}

/// Verbs that a piece of work begins with, even if a question follows: "Add a class: should it be a model?"
const TASK_VERBS: [&str; 24] = [
    "add",
    "change",
    "check",
    "create",
    "document",
    "extend",
    "fix",
    "implement",
    "improve",
    "investigate",
    "let",
    "make",
    "migrate",
    "move",
    "refactor",
    "remove",
    "rename",
    "replace",
    "review",
    "support",
    "test",
    "update",
    "upgrade",
    "write",
];

impl SignalQuestion {
    /// Returns whether the task is a question. Anything may hold the answer to a question; for a piece of work, only what
    /// is likely to be useful is shown, since the rest distracts.
    pub(super) fn is_question(&self) -> bool {
        let first = self.text.split_whitespace().next().unwrap_or_default().to_lowercase();
        let is_work = TASK_VERBS.contains(&first.trim_end_matches(':'));
        self.section == Section::Task && !is_work && begins_with_question(&self.text)
    }

    /// Returns why its answers are in a context.
    pub(super) fn reason(&self) -> String {
        let reason = match self.section {
            Section::Files => format!("concerns {}", self.signal),
            Section::Errors => "concerns the error".to_owned(),
            Section::Work => format!("concerns the branch {}", self.signal),
            _ => "answers the task".to_owned(),
        };
        reason_from(reason, self.is_remembered)
    }

    /// Returns whether a text names the file that the question is about.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        is_named_in(&self.signal, text)
    }
}

impl Signals {
    /// Returns what the work changes.
    pub(super) fn change(&self) -> Change {
        Change::of(self.activity, &self.work.files, self.task.as_deref().unwrap_or_default())
    }

    /// Returns whether the work changes anything: rules for every change concern it. A question is no change.
    pub(super) fn is_change(&self) -> bool {
        let is_question = self.questions().first().is_some_and(SignalQuestion::is_question);
        self.task.is_some() && self.change() != Change::Nothing && !is_question
    }

    /// Returns the questions that the signals ask, in the order of the sections.
    pub(super) fn questions(&self) -> Vec<SignalQuestion> {
        let question = |text: String, section: Section, signal: &str, is_remembered: bool| {
            SignalQuestion { text, section, signal: signal.to_owned(), is_remembered }
        };
        let WorkSignals { files, errors, remembered, .. } = &self.work;
        let task = self.task.iter().map(|task| question(task.clone(), Section::Task, task, false));
        let files = files.iter().map(|file| {
            let text = format!("{file} {}", name_in_words(file));
            question(text, Section::Files, file, remembered.files)
        });
        let errors = errors
            .iter()
            .map(|error| question(error.clone(), Section::Errors, error, remembered.errors));
        let all = task.chain(self.branch_question()).chain(files).chain(errors);
        all.filter(|question| !question.text.trim().is_empty()).collect()
    }

    /// Returns the question that the branch asks, if it says more than the task.
    fn branch_question(&self) -> Option<SignalQuestion> {
        let branch = self.work.branch.as_deref()?;
        let text = branch_words(branch);
        let words = terms(&text);
        let asked: HashSet<String> = self.task.iter().flat_map(|task| terms(task)).collect();
        let says_more = words.iter().any(|word| !asked.contains(word));
        (words.len() >= MIN_BRANCH_WORDS && says_more).then(|| SignalQuestion {
            text,
            section: Section::Work,
            signal: branch.to_owned(),
            // The checked-out branch is not stated either.
            is_remembered: self.work.remembered.branch,
        })
    }

    /// Returns whether a request states what the work is about. Remembered signals add to a context, and do not replace
    /// what it holds without any.
    pub(super) fn is_stated(&self) -> bool {
        let WorkSignals { files, errors, remembered, .. } = &self.work;
        let has_task = self.task.as_ref().is_some_and(|task| !task.trim().is_empty());
        has_task
            || !files.is_empty() && !remembered.files
            || !errors.is_empty() && !remembered.errors
    }
}
