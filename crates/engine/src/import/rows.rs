//! JSON Lines: one object a line.

use std::sync::Arc;

use heirloom_core::document::scalar_text;
use heirloom_core::fold::Place;
use heirloom_core::{Problem, Value, json};
use serde_json::Map;

use super::Text;
use super::batch::{self, Batch};

/// One line.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Where it is.
    pub(super) place: Place,
    fields: Map<String, Value>,
}

impl Row {
    /// Returns a field as a text, if it says anything.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        let text = scalar_text(self.fields.get(key)?)?.trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Returns a field as a list of texts; a single one is a list of one.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        match self.fields.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(scalar_text).collect(),
            _ => self.text(key).into_iter().collect(),
        }
    }

    /// Returns a field as it is.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// Returns a field as a whole number.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        self.fields.get(key).and_then(Value::as_u64)
    }
}

/// Reads every line of texts; one that is no object becomes a problem.
pub(super) fn read(texts: &[Text<'_>], batch: &mut Batch<'_, '_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for text in texts {
        let path: Arc<str> = text.path.into();
        for (line, written) in lines(text.content) {
            let place = batch::place(&path, line);
            match object(&place, written) {
                Ok(fields) => rows.push(Row { place, fields }),
                Err(problem) => batch.report(problem),
            }
        }
    }
    rows
}

/// Returns the lines of a text that are not blank, each with its number.
pub(super) fn lines(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let numbered = content.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty())
}

fn object(place: &Place, written: &str) -> Result<Map<String, Value>, Problem> {
    let is_marker = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
        .iter()
        .any(|marker| written.starts_with(marker));
    match serde_json::from_str(written) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(batch::problem(place, "this is JSON, but no object")),
        Err(_) if is_marker => Err(batch::problem(place, "a git conflict marker")
            .hint("finish the merge and import the file again")),
        Err(error) if error.is_eof() => {
            Err(batch::problem(place, "the line breaks off: it was never written to its end"))
        }
        Err(error) => Err(batch::problem(place, json::syntax_error(&error))),
    }
}
