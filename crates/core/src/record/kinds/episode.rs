//! Episodes: the stories of sessions and tasks.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::body::{RecordBody, add_list, as_sentence, with_detail};
use crate::record::Referent;

/// The story of a session or a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Episode {
    /// What it was about, in a line.
    pub title: String,
    /// The story itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// What was to be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// Standing instructions that the user gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instructions: Vec<String>,
    /// Decisions that were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// Causes that were found, and fixes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The actions, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<String>,
    /// What the user said and what the agent reported, in order and shortened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub course: Vec<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The open questions and tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// The changed files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The commits: `hash subject`, or the subject alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// The records that were stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<Referent>,
    /// The duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u64>,
    /// The number of turns in the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// The number of tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
}

impl Episode {
    /// Adds the files, commits and records of an earlier episode of the same work.
    pub fn add_work_of(&mut self, earlier: &Episode) {
        add_missing(&mut self.files, &earlier.files);
        add_missing(&mut self.commits, &earlier.commits);
        add_missing(&mut self.stored, &earlier.stored);
    }

    /// Returns whether the conversation and the work have not gone on since an earlier episode: titles, summaries,
    /// outcomes and durations may differ.
    pub fn has_same_content(&self, earlier: &Episode) -> bool {
        let without_summary = |episode: &Episode| Episode {
            title: String::new(),
            content: String::new(),
            outcome: None,
            duration_seconds: None,
            ..episode.clone()
        };
        without_summary(self) == without_summary(earlier)
    }

    /// Returns its texts besides the title, which tell what happened.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let lists = [
            &self.goals,
            &self.instructions,
            &self.decisions,
            &self.findings,
            &self.sequence,
            &self.course,
            &self.open,
        ];
        std::iter::once(self.content.as_str())
            .chain(lists.into_iter().flatten().map(String::as_str))
            .chain(self.outcome.as_deref())
    }
}

/// Adds the items that a list does not contain, before its own.
fn add_missing<T: Clone + PartialEq>(list: &mut Vec<T>, earlier: &[T]) {
    let missing: Vec<T> = earlier.iter().filter(|item| !list.contains(item)).cloned().collect();
    list.splice(0..0, missing);
}

impl RecordBody for Episode {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.title)
    }

    fn title(&self) -> Option<&str> {
        Some(&self.title)
    }

    /// The actions and the course of the conversation are left out: they are the longest part of an episode and say how
    /// its results came about, not what they are.
    fn statements(&self) -> Cow<'_, str> {
        let told = with_detail(&self.title, self.content.trim()).into_owned();
        let mut lines = vec![as_sentence(told)];
        add_list(&mut lines, "Goals", &self.goals);
        add_list(&mut lines, "Instructions", &self.instructions);
        add_list(&mut lines, "Decisions", &self.decisions);
        add_list(&mut lines, "Findings", &self.findings);
        add_list(&mut lines, "Outcome", self.outcome.as_slice());
        add_list(&mut lines, "Open", &self.open);
        Cow::Owned(lines.join("\n"))
    }

    fn main_statement(&self) -> Option<&str> {
        let lists = self.decisions.first().or(self.findings.first()).or(self.goals.first());
        let content = Some(self.content.as_str()).filter(|content| !content.trim().is_empty());
        self.outcome.as_deref().or(content).or(lists.map(String::as_str))
    }

    fn add_indexed_text<'t>(&'t self, parts: &mut Vec<Cow<'t, str>>) {
        parts.extend(self.texts().map(Cow::Borrowed));
        parts.extend(self.files.iter().map(|file| Cow::Borrowed(file.as_str())));
    }

    fn text_only_scanned_for_secrets(&self) -> Vec<String> {
        self.commits.clone()
    }

    fn referents(&self) -> Vec<&Referent> {
        self.stored.iter().collect()
    }
}
