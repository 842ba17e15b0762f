//! What is known about the work that a context is for.

use heirloom_core::assembly::Activity;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::path::name_in_words;
use heirloom_core::prose::begins_with_question;

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
    /// The hierarchy of the levels; `None` for the default one.
    pub(crate) hierarchy: Option<String>,
    /// The levels that the work belongs to: a plan and its agent, or a sprint and its stage.
    pub(crate) levels: Selectors,
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
        match self.section {
            Section::Files => format!("concerns {}", self.signal),
            Section::Errors => "concerns the error".to_owned(),
            _ => "answers the task".to_owned(),
        }
    }

    /// Returns whether a text names the file that the question is about: its path, its name if that is not one that many
    /// files have, or the class or module that languages keep in a file of that name (`user_access.rb`: `UserAccess`,
    /// `reports/repository.rb`: `Reports::Repository`).
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let path = self.signal.to_lowercase();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let folder = folder.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let text = text.to_lowercase();
        let joined: String = stem.split(['-', '_']).collect();
        let is_distinctive = |name: &str| name.len() >= MIN_DISTINCTIVE_NAME;
        let has_parts = joined.len() < stem.len();
        let is_module = || !folder.is_empty() && text.contains(&format!("{folder}::{joined}"));
        text.contains(&path)
            || is_distinctive(stem) && text.contains(name)
            || is_distinctive(stem) && has_parts && (text.contains(stem) || text.contains(&joined))
            || is_module()
    }
}

/// A shorter name of a file, without its extension, is that of many files, such as `index` and `mod`.
const MIN_DISTINCTIVE_NAME: usize = 6;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_a_file_by_its_path_its_name_or_what_it_defines() {
        let question = |file: &str| {
            let signals = Signals { files: vec![file.to_owned()], ..Signals::default() };
            signals.questions().remove(0)
        };
        for (file, text) in [
            ("src/ledger/post.rs", "Only src/ledger/post.rs writes entries."),
            ("app/models/user_access.rb", "UserAccess decides which regions a person sees."),
            ("app/models/user_access.rb", "The rules are in user_access."),
            ("app/models/reports/repository.rb", "Reports::Repository caches for a day."),
            ("web/checkout.tsx", "The total of checkout.tsx is rounded."),
        ] {
            assert!(question(file).is_named_in(text), "{file}: {text}");
        }
        for (file, text) in [
            ("src/ledger/mod.rs", "Every mod.rs lists its files."),
            ("app/models/user_access.rb", "Access of a user ends after a day."),
            ("app/models/repository.rb", "Reports::Repository caches for a day."),
        ] {
            assert!(!question(file).is_named_in(text), "{file}: {text}");
        }
    }
}
