//! Notes: reminders.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::body::RecordBody;

/// A reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The text.
    pub content: String,
}

impl RecordBody for Note {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.content)
    }
}
