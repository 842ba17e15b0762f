//! Pieces of text with a role.

use heirloom_core::Hint;
use heirloom_core::hint::HintFormatter;
pub use heirloom_core::printable::escape_unprintable;
pub(super) use heirloom_core::printable::{has_only_plain_lines, is_printable};

/// The role of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Ordinary text.
    Plain,
    /// A title.
    Title,
    /// A key or a name.
    Key,
    /// A value.
    Value,
    /// Where something comes from.
    Source,
    /// Text of less importance.
    Dim,
    /// Success, or an addition.
    Good,
    /// A warning.
    Warning,
    /// An error, or a removal.
    Bad,
}

/// A piece of text with its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text, which may refer to fields and operations.
    pub text: Hint,
    /// The role.
    pub role: Role,
}

/// Creates a span.
pub fn span(role: Role, text: impl Into<Hint>) -> Span {
    Span { text: text.into(), role }
}

impl Span {
    /// Returns its text without characters that must not reach a terminal.
    pub(super) fn printable(&self, word: HintFormatter<'_>) -> String {
        escape_unprintable(&word(&self.text))
    }
}

impl From<&str> for Span {
    fn from(text: &str) -> Self {
        span(Role::Plain, text)
    }
}

impl From<String> for Span {
    fn from(text: String) -> Self {
        span(Role::Plain, text)
    }
}
