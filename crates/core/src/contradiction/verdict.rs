//! What a judgement of two statements says.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How likely two statements contradict each other, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The probability, 0 to 1.
    pub probability: f64,
    /// How certain it is that they contradict each other.
    pub certainty: Certainty,
    /// Whether they say the same apart from one difference of a kind that excludes that both hold.
    pub is_clean: bool,
    /// In what they differ.
    pub kind: FindingKind,
    /// In what they differ, in words; empty if nothing was found.
    pub reason: String,
}

/// How certain it is that two statements contradict each other.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// They probably do not.
    None,
    /// They may.
    Possible,
    /// They do, as far as rules can tell.
    Certain,
}

/// In what two statements differ.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Numbers or amounts.
    Number,
    /// Units that cannot be converted into each other.
    Unit,
    /// Versions.
    Version,
    /// One denies what the other says.
    Negation,
    /// One demands or forbids what the other leaves open.
    Modality,
    /// One key has two values.
    KeyValue,
    /// Two values exclude each other.
    Value,
    /// Something else.
    Other,
}

impl Verdict {
    /// The verdict that two statements do not contradict each other.
    pub(super) fn none() -> Self {
        Verdict {
            probability: 0.0,
            certainty: Certainty::None,
            is_clean: false,
            kind: FindingKind::Other,
            reason: String::new(),
        }
    }
}

impl FindingKind {
    /// All kinds.
    pub const ALL: [FindingKind; 8] = [
        FindingKind::Number,
        FindingKind::Unit,
        FindingKind::Version,
        FindingKind::Negation,
        FindingKind::Modality,
        FindingKind::KeyValue,
        FindingKind::Value,
        FindingKind::Other,
    ];

    /// Returns whether rules alone can be certain that the statements contradict each other.
    pub(super) fn can_be_certain(self) -> bool {
        use FindingKind::{KeyValue, Negation, Number, Unit, Version};
        matches!(self, Number | Unit | Version | Negation | KeyValue)
    }

    /// Returns the name under which it is stored.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Number => "number",
            FindingKind::Unit => "unit",
            FindingKind::Version => "version",
            FindingKind::Negation => "negation",
            FindingKind::Modality => "modality",
            FindingKind::KeyValue => "key_value",
            FindingKind::Value => "value",
            FindingKind::Other => "other",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
