//! An answer laid out for people, before it is painted.
//!
//! An operation says what each piece *is* (a key, a source, a warning); the terminal decides on
//! colours, a pipe and an agent get the same text without them.

pub(crate) mod formats;
pub(crate) mod present;
mod table;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Nothing special.
    Plain,
    /// A title.
    Title,
    /// A key or a name.
    Key,
    /// A value.
    Value,
    /// Where something comes from.
    Source,
    /// Of less weight.
    Dim,
    /// As it should be; added.
    Good,
    /// Worth a look.
    Warning,
    /// Wrong; taken away.
    Bad,
}

/// A piece of text with its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Its role.
    pub role: Role,
}

/// Makes a span.
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

/// One block of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Block {
    Title(String),
    Line(Vec<Span>),
    Table { head: Vec<&'static str>, rows: Vec<Vec<Span>> },
    Text(String),
    Blank,
}

/// An answer laid out for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct View {
    blocks: Vec<Block>,
}

impl View {
    /// Starts an empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// A view that is one text, to be printed as it is.
    pub fn raw(text: impl Into<String>) -> Self {
        View { blocks: vec![Block::Text(text.into())] }
    }

    /// Adds a title, with a blank line before it unless it comes first.
    pub fn title(&mut self, text: impl Into<String>) -> &mut Self {
        if !self.blocks.is_empty() {
            self.blocks.push(Block::Blank);
        }
        self.blocks.push(Block::Title(text.into()));
        self
    }

    /// Adds a line.
    pub fn line<S: Into<Span>>(&mut self, spans: impl IntoIterator<Item = S>) -> &mut Self {
        self.blocks.push(Block::Line(spans.into_iter().map(Into::into).collect()));
        self
    }

    /// Adds a line of plain text.
    pub fn say(&mut self, text: impl Into<String>) -> &mut Self {
        self.line([text.into()])
    }

    /// Adds aligned rows under a head; with an empty head, aligned rows alone.
    pub fn table(&mut self, head: &[&'static str], rows: Vec<Vec<Span>>) -> &mut Self {
        if !rows.is_empty() {
            self.blocks.push(Block::Table { head: head.to_vec(), rows });
        }
        self
    }

    /// Adds text as it is, a line break at its end.
    pub fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    /// Adds a blank line.
    pub fn blank(&mut self) -> &mut Self {
        self.blocks.push(Block::Blank);
        self
    }

    /// Returns the text without colours.
    pub fn plain(&self) -> String {
        self.render(&|_, text| text.to_owned())
    }

    /// Returns the text, each piece painted by its role.
    pub fn render(&self, paint: &dyn Fn(Role, &str) -> String) -> String {
        self.render_within(None, paint)
    }

    /// Returns the text with tables that are at most so many columns wide, as far as their cells can
    /// be wrapped.
    pub fn render_within(
        &self,
        width: Option<usize>,
        paint: &dyn Fn(Role, &str) -> String,
    ) -> String {
        let mut out = String::new();
        for block in &self.blocks {
            match block {
                Block::Title(text) => out.push_str(&paint(Role::Title, &printable(text))),
                Block::Line(spans) => spans
                    .iter()
                    .for_each(|span| out.push_str(&paint(span.role, &printable(&span.text)))),
                Block::Table { head, rows } => {
                    table::render(head, rows, width, paint, &mut out);
                    continue;
                }
                Block::Text(text) => {
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
                Block::Blank => {}
            }
            out.push('\n');
        }
        out
    }
}

/// Makes visible what would command a terminal or deceive a reader: control characters, line breaks,
/// and the characters of [`is_deceptive`]. They are written as JSON writes them, so that a JSON text
/// stays the same value.
pub fn printable(text: &str) -> String {
    let is_harmful = |c: char| (c.is_control() && c != '\t') || is_deceptive(c);
    if !text.contains(is_harmful) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if is_harmful(c) => {
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

/// Returns whether a character makes text look like other text: embedding, override and isolation of
/// direction reorder what is shown, line and paragraph separators break lines, and tag characters
/// are read by language models and shown by nothing.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}'
        | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_align_by_width() {
        let mut view = View::new();
        view.title("T").table(
            &["key", "value"],
            vec![vec!["日本".into(), "a".into()], vec!["x".into(), "b\u{1b}[0m".into()]],
        );
        assert_eq!(view.plain(), "T\nkey   value\n日本  a\nx     b\\u001b[0m\n");
    }

    #[test]
    fn what_commands_or_deceives_is_shown() {
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
