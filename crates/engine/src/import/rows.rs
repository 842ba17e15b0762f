//! Reads JSON Lines: one object per line.

use std::sync::Arc;

use heirloom_core::document::scalar_to_text;
use heirloom_core::fold::LineLocation;
use heirloom_core::{Problem, Value, byte_order_mark, json};
use serde_json::Map;

use super::batch::{self, Batch, SourceText};

/// One object of a JSON Lines file.
#[derive(Debug, Clone)]
pub(super) struct JsonRow {
    /// The path and line.
    pub(super) place: LineLocation,
    fields: Map<String, Value>,
}

impl JsonRow {
    /// Returns a field as trimmed text; `None` if it is empty.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let text = scalar_to_text(self.fields.get(key)?)?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Returns a field as a list of texts. A single text becomes a list of one.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        match self.fields.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(scalar_to_text).collect(),
            _ => self.text(key).into_iter().collect(),
        }
    }

    /// Returns a field unless it is null.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// Returns a field as an unsigned integer.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        self.fields.get(key).and_then(Value::as_u64)
    }
}

/// Reads every line of the texts. A line that is not an object becomes a problem.
pub(super) fn read(texts: &[SourceText<'_>], batch: &mut Batch<'_, '_>) -> Vec<JsonRow> {
    let mut rows = Vec::new();
    for text in texts {
        let path: Arc<str> = text.path.into();
        for (line, written) in lines(text.content) {
            let place = batch::place(&path, line);
            match parse_object(&place, written) {
                Ok(fields) => rows.push(JsonRow { place, fields }),
                Err(problem) => batch.report(problem),
            }
        }
    }
    rows
}

/// Returns the lines that are not blank, each with its number.
pub(super) fn lines(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = byte_order_mark::strip(content)
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty())
}

fn parse_object(place: &LineLocation, written: &str) -> Result<Map<String, Value>, Problem> {
    let is_marker = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
        .iter()
        .any(|marker| written.starts_with(marker));
    match serde_json::from_str(written) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(batch::problem(place, "this is JSON, but not an object")),
        Err(_) if is_marker => Err(batch::problem(place, "this is a git conflict marker")
            .hint("finish the merge and import the file again")),
        Err(error) if error.is_eof() => {
            Err(batch::problem(place, "the line is incomplete: it ends within a JSON value"))
        }
        Err(error) => Err(batch::problem(place, json::describe_syntax_error(&error))),
    }
}
