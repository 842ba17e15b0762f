//! Types and default values that several requests share.

use schemars::JsonSchema;
use serde::Deserialize;

/// A file whose text is part of the request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InputFile {
    /// File name or path, for messages and to recognise the format.
    pub(super) name: String,
    /// Content of the file.
    pub(super) text: String,
    /// Why the command line could not read the file, which is then reported.
    #[serde(default)]
    #[schemars(skip)]
    pub(super) unreadable: Option<String>,
}

/// Default number of results.
pub(super) fn default_limit() -> usize {
    10
}
