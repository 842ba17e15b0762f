//! Advice to the caller as data, which each interface words in its own terms.
//!
//! A field of a request is a flag on the command line and a JSON key elsewhere; an operation is a command
//! there and a tool or an endpoint elsewhere. So a hint refers to them by name, and holds no command line.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Words a hint in the terms of an interface.
pub type HintFormatter<'w> = &'w dyn Fn(&Hint) -> String;

/// Advice to the caller: text, with references to fields, operations and commands.
///
/// ```
/// use heirloom_core::Hint;
///
/// let plain: Hint = "rename the file".into();
/// let secret = Hint::text("remove the secret, or store it with ").field("allow_secret");
/// let cycle = Hint::text("see ").call("adr_history", [("id", "ADR-0007")]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "StoredHint", into = "StoredHint")]
pub struct Hint {
    parts: Vec<HintPart>,
}

/// A part of a hint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HintPart {
    /// Text that is the same in every interface.
    Text(String),
    /// A field of the request.
    Field {
        /// The name.
        name: String,
        /// The value that it should have, if the hint proposes one.
        value: Option<Argument>,
    },
    /// A request to an operation.
    Operation {
        /// The name.
        name: String,
        /// The fields of the request; empty if the hint only names the operation.
        arguments: Vec<(String, Argument)>,
    },
    /// The description of an operation and its fields.
    Help {
        /// The name of the operation.
        operation: String,
    },
    /// A command that exists only on the command line.
    Command {
        /// The words of the command, without the name of the program.
        words: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
}

/// The value of a field in a hint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Argument {
    /// A switch.
    Flag(bool),
    /// A text.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

impl Hint {
    /// Creates a hint that starts with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Hint::default().then(text)
    }

    /// Adds a text.
    #[must_use]
    pub fn then(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.parts.last_mut() {
            Some(HintPart::Text(last)) => last.push_str(&text),
            _ => self.parts.push(HintPart::Text(text)),
        }
        self
    }

    /// Adds another hint.
    #[must_use]
    pub fn then_hint(self, other: &Hint) -> Self {
        other.parts.iter().fold(self, |hint, part| match part {
            HintPart::Text(text) => hint.then(text),
            reference => hint.part(reference.clone()),
        })
    }

    /// Adds a field of the request.
    #[must_use]
    pub fn field(self, name: impl Into<String>) -> Self {
        self.part(HintPart::Field { name: name.into(), value: None })
    }

    /// Adds a field of the request with the value to give it.
    #[must_use]
    pub fn field_set_to(self, name: impl Into<String>, value: impl Into<Argument>) -> Self {
        self.part(HintPart::Field { name: name.into(), value: Some(value.into()) })
    }

    /// Adds the name of an operation.
    #[must_use]
    pub fn operation(self, name: impl Into<String>) -> Self {
        self.part(HintPart::Operation { name: name.into(), arguments: vec![] })
    }

    /// Adds a request to an operation.
    #[must_use]
    pub fn call<F: Into<String>, V: Into<Argument>>(
        self,
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = (F, V)>,
    ) -> Self {
        let arguments = arguments.into_iter().map(|(field, value)| (field.into(), value.into()));
        self.part(HintPart::Operation { name: name.into(), arguments: arguments.collect() })
    }

    /// Adds a reference to the description of an operation.
    #[must_use]
    pub fn help(self, operation: impl Into<String>) -> Self {
        self.part(HintPart::Help { operation: operation.into() })
    }

    /// Adds a command that exists only on the command line.
    #[must_use]
    pub fn command(self, words: impl Into<String>, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        self.part(HintPart::Command { words: words.into(), arguments })
    }

    fn part(mut self, part: HintPart) -> Self {
        self.parts.push(part);
        self
    }

    /// Returns the parts, in order.
    pub fn parts(&self) -> &[HintPart] {
        &self.parts
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Hint::text(text)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Hint::text(text)
    }
}

impl From<&String> for Hint {
    fn from(text: &String) -> Self {
        Hint::text(text)
    }
}

impl From<Cow<'_, str>> for Hint {
    fn from(text: Cow<'_, str>) -> Self {
        Hint::text(text)
    }
}

impl From<&Hint> for Hint {
    fn from(hint: &Hint) -> Self {
        hint.clone()
    }
}

impl From<bool> for Argument {
    fn from(flag: bool) -> Self {
        Argument::Flag(flag)
    }
}

impl From<&str> for Argument {
    fn from(text: &str) -> Self {
        Argument::Text(text.to_owned())
    }
}

impl From<&String> for Argument {
    fn from(text: &String) -> Self {
        Argument::Text(text.clone())
    }
}

impl From<Vec<String>> for Argument {
    fn from(list: Vec<String>) -> Self {
        Argument::List(list)
    }
}

/// The serialised form of a hint: a string where it is only text, as most hints are.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredHint {
    Text(String),
    Parts {
        #[serde(rename = "$hint")]
        parts: Vec<HintPart>,
    },
}

/// The key of a serialised hint that is not only text.
const PARTS_KEY: &str = "$hint";

impl From<StoredHint> for Hint {
    fn from(stored: StoredHint) -> Self {
        match stored {
            StoredHint::Text(text) => Hint::text(text),
            StoredHint::Parts { parts } => Hint { parts },
        }
    }
}

impl From<Hint> for StoredHint {
    fn from(hint: Hint) -> Self {
        match <[HintPart; 1]>::try_from(hint.parts) {
            Ok([HintPart::Text(text)]) => StoredHint::Text(text),
            Ok(part) => StoredHint::Parts { parts: part.into() },
            Err(parts) => StoredHint::Parts { parts },
        }
    }
}

/// A worded hint is a string, and callers only see worded hints.
impl JsonSchema for Hint {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }

    fn inline_schema() -> bool {
        true
    }
}

/// Replaces every serialised hint in a JSON value by its wording. A value of a document that happens to
/// have the form of a hint is worded, too, which does no harm.
pub fn format_hints(value: &mut Value, word: HintFormatter<'_>) {
    match value {
        Value::Object(map) if map.len() == 1 && map.contains_key(PARTS_KEY) => {
            if let Ok(hint) = Hint::deserialize(&*value) {
                *value = Value::String(word(&hint));
            }
        }
        Value::Object(map) => map.values_mut().for_each(|inner| format_hints(inner, word)),
        Value::Array(items) => items.iter_mut().for_each(|inner| format_hints(inner, word)),
        _ => {}
    }
}

/// Returns whether a JSON value contains a serialised hint that is not only text.
pub fn has_hints(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.contains_key(PARTS_KEY) || map.values().any(has_hints),
        Value::Array(items) => items.iter().any(has_hints),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secret() -> Hint {
        Hint::text("remove it, or set ").field_set_to("yes", true).then(" or ").field("dry_run")
    }

    #[test]
    fn a_hint_of_text_is_serialised_as_a_string() {
        let hint = Hint::text("rename ").then("it");
        assert_eq!(serde_json::to_value(&hint).unwrap(), json!("rename it"));
        assert_eq!(serde_json::from_value::<Hint>(json!("rename it")).unwrap(), hint);
    }

    #[test]
    fn a_serialised_hint_keeps_its_parts() {
        let hints = [
            secret(),
            Hint::text("see ").help("adr_list"),
            Hint::default().command("workspace forget", &["x"]),
            Hint::default().call("memory_archive", [("fact_ids", vec!["a".to_owned()])]),
        ];
        for hint in hints {
            let stored = serde_json::to_value(&hint).unwrap();
            assert_eq!(serde_json::from_value::<Hint>(stored).unwrap(), hint);
        }
    }

    #[test]
    fn hints_in_json_are_worded_and_other_values_stay() {
        let other = json!({"$hint": "not a hint", "a": [1, {"$hint": 2}]});
        let mut value = json!({"problems": [{"hint": secret()}], "other": other});
        format_hints(&mut value, &|hint| hint.parts().len().to_string());
        assert_eq!(value, json!({"problems": [{"hint": "4"}], "other": other}));
    }
}
