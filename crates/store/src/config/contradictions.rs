//! The settings of contradictions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Contradictions between memories.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContradictionSettings {
    /// Who has the last word on what the built-in judge finds in a scan or a check: `builtin`, `llm` (the endpoint of
    /// `llm`), or `sampling` (the model of the MCP client that asks).
    pub judge: ContradictionJudge,
}

/// A judge of contradictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContradictionJudge {
    /// The rules and the model that are built in.
    #[default]
    Builtin,
    /// The language model at the endpoint of `llm`.
    Llm,
    /// The model of an MCP client that offers it.
    Sampling,
}
