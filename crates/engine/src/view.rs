//! Answers laid out for people, before colours are applied.
//!
//! An operation gives each piece of text a role (key, source, warning). A terminal maps roles to
//! colours; a pipe and an agent get the same text without them.

pub(crate) mod bar;
pub(crate) mod formats;
pub(crate) mod present;
mod table;
mod text;
mod wrapped_line;

pub use text::{Role, Span, escape_unprintable, span};
use text::{has_only_plain_lines, is_printable};

use heirloom_core::hint::{HintFormatter, format_hints, has_hints};
use heirloom_core::yaml;
use serde_json::Value;

/// A part of a view that starts on a new line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ViewBlock {
    Title(String),
    Line(Vec<Span>),
    WrappedLine { indent: usize, spans: Vec<Span> },
    Table { head: Vec<&'static str>, rows: Vec<Vec<Span>> },
    Text(String),
    Json(Value),
    Yaml(Value),
    Blank,
}

/// An answer laid out for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    blocks: Vec<ViewBlock>,
}

impl View {
    /// Creates an empty view.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a view of one text that is printed unchanged.
    pub fn raw(text: impl Into<String>) -> Self {
        View { blocks: vec![ViewBlock::Text(text.into())] }
    }

    /// Creates a view of a JSON document, in which hints are worded.
    pub fn json(document: Value) -> Self {
        View { blocks: vec![ViewBlock::Json(document)] }
    }

    /// Creates a view of a YAML document, in which hints are worded.
    pub fn yaml(document: Value) -> Self {
        View { blocks: vec![ViewBlock::Yaml(document)] }
    }

    /// Adds a title, with a blank line before it unless it comes first.
    pub fn title(&mut self, text: impl Into<String>) -> &mut Self {
        if !self.blocks.is_empty() {
            self.blocks.push(ViewBlock::Blank);
        }
        self.blocks.push(ViewBlock::Title(text.into()));
        self
    }

    /// Adds a line.
    pub fn line<S: Into<Span>>(&mut self, spans: impl IntoIterator<Item = S>) -> &mut Self {
        self.blocks.push(ViewBlock::Line(spans.into_iter().map(Into::into).collect()));
        self
    }

    /// Adds a line of prose that is wrapped to the terminal, with an indentation for the further lines.
    pub(crate) fn wrapped_line<S: Into<Span>>(
        &mut self,
        indent: usize,
        spans: impl IntoIterator<Item = S>,
    ) -> &mut Self {
        let spans = spans.into_iter().map(Into::into).collect();
        self.blocks.push(ViewBlock::WrappedLine { indent, spans });
        self
    }

    /// Adds a line of plain text.
    pub(crate) fn plain_line(&mut self, text: impl Into<String>) -> &mut Self {
        self.line([text.into()])
    }

    /// Adds aligned rows under a header row; an empty header is not shown.
    pub fn table(&mut self, head: &[&'static str], rows: Vec<Vec<Span>>) -> &mut Self {
        if !rows.is_empty() {
            self.blocks.push(ViewBlock::Table { head: head.to_vec(), rows });
        }
        self
    }

    /// Adds a text unchanged and ends it with a line break.
    pub fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.blocks.push(ViewBlock::Text(text.into()));
        self
    }

    /// Adds a blank line.
    pub fn blank(&mut self) -> &mut Self {
        self.blocks.push(ViewBlock::Blank);
        self
    }

    /// Adds another view.
    pub(crate) fn append(&mut self, other: View) -> &mut Self {
        self.blocks.extend(other.blocks);
        self
    }

    /// Renders without colours.
    pub fn plain(&self, word: HintFormatter<'_>) -> String {
        self.render(None, word, &|_, text| text.to_owned())
    }

    /// Renders, passing each piece of text through `paint` with its role. Wraps table cells and lines of prose so that
    /// they fit into `width` columns where possible.
    pub fn render(
        &self,
        width: Option<usize>,
        word: HintFormatter<'_>,
        paint: &dyn Fn(Role, &str) -> String,
    ) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                ViewBlock::Title(text) => {
                    out.push_str(&paint(Role::Title, &escape_unprintable(text)));
                }
                ViewBlock::Line(spans) => spans.iter().for_each(|span| {
                    out.push_str(&paint(span.role, &span.printable(word)));
                }),
                ViewBlock::WrappedLine { indent, spans } => {
                    wrapped_line::render(spans, *indent, width, word, paint, &mut out);
                }
                ViewBlock::Table { head, rows } => {
                    table::render(head, rows, width, word, paint, &mut out);
                    continue;
                }
                ViewBlock::Text(text) if text.is_empty() => continue,
                ViewBlock::Text(text) => push_lines(&mut out, text),
                ViewBlock::Json(document) => push_lines(&mut out, &format_json(document, word)),
                ViewBlock::Yaml(document) => push_lines(&mut out, &format_yaml(document, word)),
                ViewBlock::Blank => {}
            }
            out.push('\n');
        }
        out
    }
}

/// Adds the lines of a text, escaped.
fn push_lines(out: &mut String, text: &str) {
    let text = text.trim_end_matches('\n');
    if has_only_plain_lines(text) {
        return out.push_str(text);
    }
    for (position, line) in text.split('\n').enumerate() {
        if position > 0 {
            out.push('\n');
        }
        let line = line.trim_end_matches('\r');
        match is_printable(line) {
            true => out.push_str(line),
            false => out.push_str(&escape_unprintable(line)),
        }
    }
}

/// Formats a JSON document over several lines, with its hints worded.
pub(crate) fn format_json(document: &Value, word: HintFormatter<'_>) -> String {
    let mut document = document.clone();
    format_hints(&mut document, word);
    format!("{document:#}")
}

/// Formats a value as a YAML document, with its hints worded.
pub(crate) fn format_yaml(document: &Value, word: HintFormatter<'_>) -> String {
    if !has_hints(document) {
        return yaml::write_document(document);
    }
    let mut document = document.clone();
    format_hints(&mut document, word);
    yaml::write_document(&document)
}

/// Words a hint of text in tests.
#[cfg(test)]
pub(crate) fn plain_text(hint: &heirloom_core::Hint) -> String {
    use heirloom_core::hint::HintPart;
    let word = |part: &HintPart| match part {
        HintPart::Text(text) => text.clone(),
        reference => format!("{reference:?}"),
    };
    hint.parts().iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_columns_align_by_display_width() {
        let mut view = View::new();
        view.title("T").table(
            &["key", "value"],
            vec![vec!["日本".into(), "a".into()], vec!["x".into(), "b\u{1b}[0m".into()]],
        );
        assert_eq!(view.plain(&plain_text), "T\nkey   value\n日本  a\nx     b\\u001b[0m\n");
    }
}
