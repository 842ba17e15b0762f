//! Answers laid out for people, before colours are applied.
//!
//! An operation gives each piece of text a role (key, source, warning). A terminal maps roles to
//! colours; a pipe and an agent get the same text without them.

pub(crate) mod formats;
pub(crate) mod present;
mod table;

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
    /// The text.
    pub text: String,
    /// The role.
    pub role: Role,
}

/// Creates a span.
pub fn span(role: Role, text: impl Into<String>) -> Span {
    Span { text: text.into(), role }
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

/// A part of a view that starts on a new line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ViewBlock {
    Title(String),
    Line(Vec<Span>),
    Table { head: Vec<&'static str>, rows: Vec<Vec<Span>> },
    Text(String),
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

    /// Adds a line of plain text.
    pub fn say(&mut self, text: impl Into<String>) -> &mut Self {
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

    /// Renders without colours.
    pub fn plain(&self) -> String {
        self.render(&|_, text| text.to_owned())
    }

    /// Renders, passing each piece of text through `paint` with its role.
    pub fn render(&self, paint: &dyn Fn(Role, &str) -> String) -> String {
        self.render_within(None, paint)
    }

    /// Renders like [`View::render`], and wraps table cells so that tables fit into `width` columns
    /// where possible.
    pub fn render_within(
        &self,
        width: Option<usize>,
        paint: &dyn Fn(Role, &str) -> String,
    ) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                ViewBlock::Title(text) => out.push_str(&paint(Role::Title, &printable(text))),
                ViewBlock::Line(spans) => spans
                    .iter()
                    .for_each(|span| out.push_str(&paint(span.role, &printable(&span.text)))),
                ViewBlock::Table { head, rows } => {
                    table::render(head, rows, width, paint, &mut out);
                    continue;
                }
                ViewBlock::Text(text) => {
                    if text.is_empty() {
                        continue;
                    }
                    let lines: Vec<String> = text
                        .trim_end_matches('\n')
                        .split('\n')
                        .map(|line| printable(line.trim_end_matches('\r')))
                        .collect();
                    out.push_str(&lines.join("\n"));
                }
                ViewBlock::Blank => {}
            }
            out.push('\n');
        }
        out
    }
}

/// Escapes characters that could control a terminal or deceive a reader: control characters, line
/// breaks and the characters of [`is_deceptive`]. It uses JSON escapes, so that JSON text keeps its
/// value.
pub fn printable(text: &str) -> String {
    let is_escaped = |c: char| (c.is_control() && c != '\t') || is_deceptive(c);
    if !text.contains(is_escaped) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if is_escaped(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns whether a character makes text look different from what it is: bidirectional controls
/// reorder it, line and paragraph separators break lines, and tag characters are invisible but read by
/// language models.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}'
        | '\u{e0000}'..='\u{e007f}')
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
        assert_eq!(view.plain(), "T\nkey   value\n日本  a\nx     b\\u001b[0m\n");
    }

    #[test]
    fn control_and_deceptive_characters_are_escaped() {
        for (text, shown) in [
            ("plain\ttext é 日本 👩‍👩‍👧", "plain\ttext é 日本 👩‍👩‍👧"),
            ("\u{1b}[2J\u{9b}31m\u{7}", "\\u001b[2J\\u009b31m\\u0007"),
            ("a\u{202e}b\u{2066}c", "a\\u202eb\\u2066c"),
            ("hi\u{e0041}", "hi\\udb40\\udc41"),
            ("one\ntwo\u{2028}", "one\\ntwo\\u2028"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
