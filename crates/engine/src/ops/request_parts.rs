//! Types and default values that several requests share.

use std::borrow::Cow;

use heirloom_core::{Value, json};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

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

/// Data or text that is part of the request: a JSON object or list, or the text of a file, which the command line reads.
#[derive(Debug, Clone)]
pub(super) struct InputData(pub(super) Value);

impl<'de> Deserialize<'de> for InputData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            data @ (Value::String(_) | Value::Object(_) | Value::Array(_)) => Ok(InputData(data)),
            other => {
                let found = json::describe(&other);
                Err(D::Error::custom(format!("{found} is neither a text nor an object nor a list")))
            }
        }
    }
}

impl JsonSchema for InputData {
    fn schema_name() -> Cow<'static, str> {
        "InputData".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object", "array"], "contentMediaType": "application/json"})
    }
}
