//! The status of a plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The status of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanStatus {
    /// Work has not started.
    New,
    /// It is being worked on.
    InProgress,
    /// Some parts are done, some remain.
    Partial,
    /// It is fully implemented.
    Done,
    /// It was decided not to proceed.
    Abandoned,
}

/// What else documents call a status, without separators.
const SYNONYMS: &[(PlanStatus, &[&str])] = &[
    (
        PlanStatus::New,
        &[
            "draft",
            "proposed",
            "proposal",
            "planned",
            "planning",
            "pending",
            "todo",
            "tobedone",
            "notstarted",
            "open",
            "backlog",
            "ready",
            "idea",
            "unstarted",
            "provisional",
        ],
    ),
    (
        PlanStatus::InProgress,
        &[
            "wip",
            "workinprogress",
            "active",
            "ongoing",
            "started",
            "implementing",
            "implementable",
            "indevelopment",
            "underway",
            "doing",
            "current",
            "executing",
            "inreview",
            "review",
            "underreview",
        ],
    ),
    (
        PlanStatus::Partial,
        &[
            "partially",
            "partiallydone",
            "partiallycomplete",
            "partiallycompleted",
            "partiallyimplemented",
            "mostlydone",
            "mostlycomplete",
        ],
    ),
    (
        PlanStatus::Done,
        &[
            "complete",
            "completed",
            "implemented",
            "finished",
            "shipped",
            "released",
            "closed",
            "merged",
            "delivered",
            "resolved",
            "fixed",
        ],
    ),
    (
        PlanStatus::Abandoned,
        &[
            "cancelled",
            "canceled",
            "rejected",
            "withdrawn",
            "dropped",
            "obsolete",
            "wontdo",
            "wontfix",
            "discarded",
            "superseded",
            "deprecated",
        ],
    ),
];

impl PlanStatus {
    /// All statuses, in the order of a plan's life.
    pub const ALL: [PlanStatus; 5] = [
        PlanStatus::New,
        PlanStatus::InProgress,
        PlanStatus::Partial,
        PlanStatus::Done,
        PlanStatus::Abandoned,
    ];

    /// Returns the word in front matter.
    pub fn as_str(self) -> &'static str {
        match self {
            PlanStatus::New => "new",
            PlanStatus::InProgress => "in_progress",
            PlanStatus::Partial => "partial",
            PlanStatus::Done => "done",
            PlanStatus::Abandoned => "abandoned",
        }
    }

    /// Returns the words of all statuses: `new, in_progress, …`.
    pub fn words() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// Returns the status that a word means, however it is spelt: `In Progress`, `WIP`, `✅ Completed`.
    pub fn from_word(word: &str) -> Option<Self> {
        let letters = letters_of(word);
        let is_own_word = |status: &&PlanStatus| letters_of(status.as_str()) == letters;
        let is_synonym = |words: &[&str]| words.contains(&letters.as_str());
        Self::ALL.iter().find(is_own_word).copied().or_else(|| {
            let found = SYNONYMS.iter().find(|(_, words)| is_synonym(words));
            found.map(|(status, _)| *status)
        })
    }

    /// Returns whether the plan needs no more work.
    pub fn is_closed(self) -> bool {
        matches!(self, PlanStatus::Done | PlanStatus::Abandoned)
    }
}

/// Returns the letters of a word in lower case, so that spellings compare equal.
pub(super) fn letters_of(word: &str) -> String {
    word.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_status_are_recognised() {
        for (word, status) in [
            ("done", PlanStatus::Done),
            ("✅ Completed", PlanStatus::Done),
            ("In Progress", PlanStatus::InProgress),
            ("in-progress", PlanStatus::InProgress),
            ("IN_PROGRESS", PlanStatus::InProgress),
            ("Won't do", PlanStatus::Abandoned),
            ("not started", PlanStatus::New),
            ("Partially done", PlanStatus::Partial),
        ] {
            assert_eq!(PlanStatus::from_word(word), Some(status), "{word}");
        }
        for word in ["", "blocked", "done by Friday", "42"] {
            assert_eq!(PlanStatus::from_word(word), None, "{word}");
        }
    }

    #[test]
    fn no_word_means_two_statuses() {
        let mut words: Vec<&str> =
            SYNONYMS.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
        assert!(words.iter().all(|word| letters_of(word) == **word));
    }
}
