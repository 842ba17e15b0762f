//! Where the layers of a context disagree, and where documents refer to what is gone.

mod decision;
mod one_sided;
mod reference;
mod value;

pub use decision::{Sheet, decisions};
pub use one_sided::one_sided;
pub use reference::{ByName, Found, Known, is_near, references, supersession};
pub use value::{Override, Stack, layers, of_override};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Value;

/// The kinds of conflict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A child sets a key to something else than its parent does.
    DirectContradiction,
    /// A child changes a value of a parent that is stale.
    StaleOverride,
    /// A document refers to one that is superseded, deprecated, archived or gone.
    OrphanReference,
    /// Decisions that supersede each other in a circle.
    CircularSupersession,
    /// A supersession that only one of the two records states.
    OneSidedSupersession,
    /// Two records of a folder, or two plans, that have one number.
    DuplicateNumber,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 6] = [
        Kind::DirectContradiction,
        Kind::StaleOverride,
        Kind::OrphanReference,
        Kind::CircularSupersession,
        Kind::OneSidedSupersession,
        Kind::DuplicateNumber,
    ];

    /// Returns its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Kind::DirectContradiction => "direct_contradiction",
            Kind::StaleOverride => "stale_override",
            Kind::OrphanReference => "orphan_reference",
            Kind::CircularSupersession => "circular_supersession",
            Kind::OneSidedSupersession => "one_sided_supersession",
            Kind::DuplicateNumber => "duplicate_number",
        }
    }

    /// Returns one sentence on what it is.
    pub fn description(self) -> &'static str {
        match self {
            Kind::DirectContradiction => {
                "A document sets a key to another value than the document it inherits from, without saying that it means to."
            }
            Kind::StaleOverride => {
                "A document changes a value of a document that has not been refreshed for too long."
            }
            Kind::OrphanReference => {
                "A document refers to one that is superseded, deprecated, archived or missing."
            }
            Kind::CircularSupersession => "Decisions supersede each other in a circle.",
            Kind::OneSidedSupersession => {
                "One decision record says that it supersedes another, or is superseded by it, and the other does not say so."
            }
            Kind::DuplicateNumber => {
                "Two decision records of one folder, or two plans, have the same number, so that the number means neither."
            }
        }
    }
}

/// How bad a conflict is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the author said that it is meant.
    Information,
    /// Worth a look.
    Warning,
    /// Fails `context validate`.
    Critical,
}

impl Severity {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Information => "information",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }
}

/// One conflict.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Conflict {
    /// Which kind.
    pub kind: Kind,
    /// How bad.
    pub severity: Severity,
    /// The key path, for a conflict of values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The document to mend.
    pub path: String,
    /// The line in it.
    pub line: usize,
    /// What is wrong, in one line.
    pub message: String,
    /// Who says what: the parent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
    /// What the cascade does about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// How to mend it.
    pub hint: String,
}

/// One side of a conflict of values.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Side {
    /// The document.
    pub source: String,
    /// Its level.
    pub level: String,
    /// The agent or plan that says it, for a conflict of decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The line.
    pub line: usize,
    /// What it says.
    pub value: Value,
}

/// Orders conflicts: the worst first, then by place.
pub fn worst_first(conflicts: &mut [Conflict]) {
    conflicts.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then_with(|| (&a.path, a.line, a.kind).cmp(&(&b.path, b.line, b.kind)))
    });
}

/// Writes a value as a person would read it.
pub fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
