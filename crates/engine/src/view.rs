//! Answers laid out for people, before colours are applied.
//!
//! An operation gives each piece of text a role (key, source, warning). A terminal maps roles to
//! colours; a pipe and an agent get the same text without them.

pub(crate) mod formats;
pub(crate) mod present;
mod table;
mod text;

pub use text::{Role, Span, escape_unprintable, span};

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
    pub fn plain_line(&mut self, text: impl Into<String>) -> &mut Self {
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
                ViewBlock::Title(text) => {
                    out.push_str(&paint(Role::Title, &escape_unprintable(text)));
                }
                ViewBlock::Line(spans) => spans.iter().for_each(|span| {
                    out.push_str(&paint(span.role, &escape_unprintable(&span.text)));
                }),
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
                        .map(|line| escape_unprintable(line.trim_end_matches('\r')))
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
}
