//! What a proposal is.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prose;
use crate::transcript::Role;
use crate::words;

/// The kind of a proposed memory.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ProposalKind {
    /// What the user wants done in the same way from then on.
    Instruction,
    /// What the user likes better.
    Preference,
    /// What the user said about the project or about themselves.
    Fact,
    /// What was decided.
    Decision,
    /// A cause that was found, a fix, or a command that works.
    Lesson,
    /// The story of the conversation.
    Episode,
}

impl ProposalKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [ProposalKind; 6] = [
        ProposalKind::Instruction,
        ProposalKind::Preference,
        ProposalKind::Fact,
        ProposalKind::Decision,
        ProposalKind::Lesson,
        ProposalKind::Episode,
    ];

    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            ProposalKind::Instruction => "instruction",
            ProposalKind::Preference => "preference",
            ProposalKind::Fact => "fact",
            ProposalKind::Decision => "decision",
            ProposalKind::Lesson => "lesson",
            ProposalKind::Episode => "episode",
        }
    }

    /// Returns the kind with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        ProposalKind::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// Returns whether it says how the user wants work to be done.
    pub const fn is_standing(self) -> bool {
        matches!(self, ProposalKind::Instruction | ProposalKind::Preference)
    }

    /// Returns whether statements of both kinds can change each other.
    pub fn is_comparable_with(self, other: Self) -> bool {
        self == other || self.is_standing() && other.is_standing()
    }
}

impl fmt::Display for ProposalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A proposed memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// What it is.
    pub kind: ProposalKind,
    /// Sentences of the source.
    pub text: String,
    /// The line of the message in the transcript, counted from 1.
    pub line: usize,
    /// The time of the message.
    pub at: Option<Timestamp>,
    /// The speaker: the user or the agent.
    pub speaker: Role,
    /// How likely it is worth remembering, 0 to 1.
    pub confidence: f64,
    /// Why it is proposed.
    pub reason: String,
    /// The earlier statement of the conversation that it changes.
    pub replaces: Option<ReplacedStatement>,
}

/// A statement that a later one changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedStatement {
    /// The id of its proposal.
    pub id: String,
    /// What it said.
    pub text: String,
    /// The line of its message.
    pub line: usize,
}

impl Proposal {
    /// Returns its id, which depends on the kind and the text alone.
    pub fn id(&self) -> String {
        proposal_id(self.kind, &self.text)
    }
}

/// Returns the id of a proposal: the same statement has the same id wherever it was said.
pub fn proposal_id(kind: ProposalKind, text: &str) -> String {
    words::short_hash(&format!("{kind}\n{}", prose::comparison_key(text)))
}
