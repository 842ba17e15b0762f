//! Problems of input files as values: where they are, what is wrong and how to fix it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Hint;

/// A problem at one place of one file. It does not stop the rest from being read.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Problem {
    /// The path of the file relative to the root, with `/`.
    pub path: String,
    /// The line, from 1; 1 for a problem with the whole file.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Hint>,
}

impl Problem {
    /// Describes a problem with a whole file.
    pub fn in_file(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::at(path, 1, message)
    }

    /// Describes a problem at a line.
    pub fn at(path: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.into(), line, message: message.into(), hint: None }
    }

    /// Adds how to fix it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Describes it in one line, with its hint in parentheses.
    pub fn describe(&self) -> Hint {
        let description = Hint::text(self.to_string());
        match &self.hint {
            Some(hint) => description.then(" (").then_hint(hint).then(")"),
            None => description,
        }
    }
}

/// Shows the place and the message, without the hint.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
