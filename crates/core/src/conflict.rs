//! Conflicts: contradicting values and decisions, broken references and inconsistent supersessions.

mod decision;
mod one_sided;
mod reference;
mod value;

pub use decision::{DecisionSource, find_decision_conflicts};
pub use one_sided::find_one_sided_supersessions;
pub use reference::{
    NameLookup, ReferenceResolver, ResolvedReference, find_broken_references,
    find_supersession_cycles, is_near,
};
pub use value::{LayerStack, Override, find_value_conflicts, override_conflicts};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Hint, Value};

/// The kinds of conflict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// A document sets a key to another value than the document it inherits from.
    DirectContradiction,
    /// A document overrides a value of a stale document.
    StaleOverride,
    /// A document refers to one that is superseded, deprecated, archived or missing.
    OrphanReference,
    /// Decisions supersede each other in a cycle.
    CircularSupersession,
    /// Only one of the two records states a supersession.
    OneSidedSupersession,
    /// Two records of a folder, or two plans, have the same number.
    DuplicateNumber,
}

impl ConflictKind {
    /// Every kind.
    pub const ALL: [ConflictKind; 6] = [
        ConflictKind::DirectContradiction,
        ConflictKind::StaleOverride,
        ConflictKind::OrphanReference,
        ConflictKind::CircularSupersession,
        ConflictKind::OneSidedSupersession,
        ConflictKind::DuplicateNumber,
    ];

    /// Returns the name in requests and responses.
    pub fn name(self) -> &'static str {
        match self {
            ConflictKind::DirectContradiction => "direct_contradiction",
            ConflictKind::StaleOverride => "stale_override",
            ConflictKind::OrphanReference => "orphan_reference",
            ConflictKind::CircularSupersession => "circular_supersession",
            ConflictKind::OneSidedSupersession => "one_sided_supersession",
            ConflictKind::DuplicateNumber => "duplicate_number",
        }
    }

    /// Returns a sentence that describes the kind.
    pub fn description(self) -> &'static str {
        match self {
            ConflictKind::DirectContradiction => {
                "A document sets a key to another value than the document it inherits from, without declaring the override."
            }
            ConflictKind::StaleOverride => {
                "A document overrides a value of a document that is stale."
            }
            ConflictKind::OrphanReference => {
                "A document refers to one that is superseded, deprecated, archived or missing."
            }
            ConflictKind::CircularSupersession => "Decisions supersede each other in a cycle.",
            ConflictKind::OneSidedSupersession => {
                "One decision record says that it supersedes another, or is superseded by it, and the other does not say so."
            }
            ConflictKind::DuplicateNumber => {
                "Two decision records of one folder, or two plans, have the same number, so the number is ambiguous."
            }
        }
    }
}

/// The severity of a conflict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Needs no action, for example because the author declared the override.
    Information,
    /// Should be reviewed.
    Warning,
    /// Fails `context validate`.
    Critical,
}

impl Severity {
    /// Returns the severity in lower case.
    pub fn as_str(self) -> &'static str {
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
    /// The kind.
    pub kind: ConflictKind,
    /// The severity.
    pub severity: Severity,
    /// The key path, for conflicting values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The document to fix.
    pub path: String,
    /// The line in that document.
    pub line: usize,
    /// What is wrong, in one line.
    pub message: String,
    /// The conflicting statements, the parent's first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
    /// Which of the statements is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// How to fix it.
    pub hint: Hint,
}

/// One of the conflicting statements.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Side {
    /// The path of the document.
    pub source: String,
    /// The level of the document.
    pub level: String,
    /// The agent or plan that made the decision, for conflicting decisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The line.
    pub line: usize,
    /// The value or the choice.
    pub value: Value,
}

impl Conflict {
    /// Creates a conflict that is about a place rather than about contradicting statements.
    pub fn at(
        kind: ConflictKind,
        severity: Severity,
        (path, line): (impl Into<String>, usize),
        message: impl Into<String>,
        hint: impl Into<Hint>,
    ) -> Self {
        Conflict {
            kind,
            severity,
            key: None,
            path: path.into(),
            line,
            message: message.into(),
            sides: vec![],
            resolution: None,
            hint: hint.into(),
        }
    }
}

/// Sorts conflicts by severity, the most severe first, then by path and line.
pub fn sort_by_severity(conflicts: &mut [Conflict]) {
    conflicts.sort_by(|a, b| {
        b.severity
            .cmp(&a.severity)
            .then_with(|| (&a.path, a.line, a.kind).cmp(&(&b.path, b.line, b.kind)))
    });
}

/// Formats a value for a message: a text without quotes, anything else as JSON.
pub fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
