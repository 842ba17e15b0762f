//! What is known about the work that a context is for.

use heirloom_core::assembly::Activity;
use heirloom_core::path::name_in_words;

use super::entry::Section;

/// What is known about the work that a context is for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    /// The task, in any words.
    pub(crate) task: Option<String>,
    /// The files that are open or changed.
    pub(crate) files: Vec<String>,
    /// Error messages.
    pub(crate) errors: Vec<String>,
    /// What the agent is doing.
    pub(crate) activity: Activity,
    /// The plan that the work belongs to.
    pub(crate) plan: Option<String>,
    /// The agent of that plan.
    pub(crate) agent: Option<String>,
}

/// A question to memory that a signal asks.
#[derive(Debug)]
pub(super) struct SignalQuestion {
    /// The question.
    pub(super) text: String,
    /// The section of the context that answers go into.
    pub(super) section: Section,
    /// The signal, as typed.
    pub(super) signal: String,
}

impl Signals {
    /// Returns the questions that the signals ask, in the order of the sections.
    pub(super) fn questions(&self) -> Vec<SignalQuestion> {
        let question = |text: String, section: Section, signal: &str| SignalQuestion {
            text,
            section,
            signal: signal.to_owned(),
        };
        let task = self.task.iter().map(|task| question(task.clone(), Section::Task, task));
        let files = self
            .files
            .iter()
            .map(|file| question(format!("{file} {}", name_in_words(file)), Section::Files, file));
        let errors =
            self.errors.iter().map(|error| question(error.clone(), Section::Errors, error));
        let all = task.chain(files).chain(errors);
        all.filter(|question| !question.text.trim().is_empty()).collect()
    }
}
