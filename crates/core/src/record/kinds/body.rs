//! What a record reads out of the fields of its kind.

use std::borrow::Cow;

use crate::record::Referent;
use crate::{Value, prose};

/// The fields of a kind, as far as every kind answers the same questions about them.
pub(in crate::record) trait RecordBody {
    /// Returns the text that stands for the record in a list.
    fn text(&self) -> Cow<'_, str>;

    /// Returns the title, whose terms count twice in recall.
    fn title(&self) -> Option<&str> {
        None
    }

    /// Returns what it states, a statement or a list a line. Shorter forms are extracted from it.
    fn statements(&self) -> Cow<'_, str> {
        self.text()
    }

    /// Returns the statement that says most about it besides the title, if one does.
    fn main_statement(&self) -> Option<&str> {
        None
    }

    /// Adds the texts that are indexed besides [`RecordBody::text`].
    fn add_indexed_text<'t>(&'t self, _parts: &mut Vec<Cow<'t, str>>) {}

    /// Returns the free text that is not indexed, and which the scan for secrets reads as well.
    fn text_only_scanned_for_secrets(&self) -> Vec<String> {
        vec![]
    }

    /// Returns what the fields refer to.
    fn referents(&self) -> Vec<&Referent> {
        vec![]
    }

    /// Returns itself as a trait object. A method call reaches it through a `Box`, which a coercion would not.
    fn as_dyn(&self) -> &dyn RecordBody
    where
        Self: Sized,
    {
        self
    }
}

/// Returns a head with a detail behind it, if there is one.
pub(super) fn with_detail<'t>(head: &'t str, detail: &str) -> Cow<'t, str> {
    if detail.is_empty() { Cow::Borrowed(head) } else { Cow::Owned(format!("{head}: {detail}")) }
}

/// Ends a text with a full stop, unless it ends like a sentence.
pub(super) fn as_sentence(mut text: String) -> String {
    if !prose::ends_sentence(&text) {
        text.push('.');
    }
    text
}

/// Adds a line with the items of a list under a name, if there are any.
pub(super) fn add_list(lines: &mut Vec<String>, name: &str, items: &[String]) {
    let items: Vec<&str> = items.iter().map(|item| item.trim()).collect();
    if !items.is_empty() {
        lines.push(as_sentence(format!("{name}: {}", items.join("; "))));
    }
}

/// Returns all keys and values of a structure as text.
pub(super) fn flatten(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(flatten).collect::<Vec<_>>().join(" "),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| format!("{key} {}", flatten(value)))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}
