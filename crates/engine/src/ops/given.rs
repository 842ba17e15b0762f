//! What several requests have in common.

use schemars::JsonSchema;
use serde::Deserialize;

/// A file that a person gave.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// What it is called.
    pub(super) name: String,
    /// What it says.
    pub(super) text: String,
}

/// How many are answered unless somebody says.
pub(super) fn ten() -> usize {
    10
}
