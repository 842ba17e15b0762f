//! The blocks of a text in markdown, without code, quotes and tables.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a block of prose is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading, or a paragraph that is bold as a whole.
    Heading,
    /// A paragraph.
    Paragraph,
    /// An item of a list.
    Item,
    /// An item with a box, and whether the box is ticked.
    Task(bool),
}

/// A heading, a paragraph or an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// The block that introduces it: the paragraph with a colon before a list, else the heading.
    pub(super) under: Option<usize>,
}

/// Splits a text into its blocks.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut reading = Reading::default();
    for event in Parser::new_ext(text, options) {
        reading.event(event);
    }
    reading.flush();
    reading.blocks
}

#[derive(Default)]
struct Reading {
    blocks: Vec<Block>,
    kind: Option<Kind>,
    text: String,
    /// Whether some of the text is not bold.
    light: bool,
    bold: usize,
    /// How many quotes, tables and blocks of code are open.
    skipped: usize,
    /// The last heading and, while its list goes on, the paragraph that introduces it.
    heading: Option<usize>,
    lead: Option<usize>,
    lists: usize,
}

impl Reading {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::Table(_)) => {
                self.flush();
                self.skipped += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Table) => {
                self.skipped = self.skipped.saturating_sub(1);
            }
            _ if self.skipped > 0 => {}
            Event::Start(Tag::Heading { .. }) => self.begin(Kind::Heading),
            Event::Start(Tag::Item) => self.begin(Kind::Item),
            Event::Start(Tag::Paragraph) if self.kind.is_none() || !self.text.is_empty() => {
                self.begin(Kind::Paragraph);
            }
            Event::Start(Tag::List(_)) => {
                self.flush();
                self.lists += 1;
            }
            Event::End(TagEnd::List(_)) => {
                self.flush();
                self.lists = self.lists.saturating_sub(1);
                self.lead = self.lead.filter(|_| self.lists > 0);
            }
            Event::End(TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item) => self.flush(),
            Event::Start(Tag::Strong) => self.bold += 1,
            Event::End(TagEnd::Strong) => self.bold = self.bold.saturating_sub(1),
            Event::TaskListMarker(done) => self.kind = Some(Kind::Task(done)),
            Event::Code(code) => self.push(&format!("`{code}`")),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.push(&text),
            Event::SoftBreak | Event::HardBreak => self.push(" "),
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        self.light |= self.bold == 0 && !text.trim_matches([':', ' ']).is_empty();
        self.text.push_str(text);
    }

    fn begin(&mut self, kind: Kind) {
        self.flush();
        self.kind = Some(kind);
    }

    fn flush(&mut self) {
        let kind = self.kind.take().unwrap_or(Kind::Paragraph);
        let text = std::mem::take(&mut self.text);
        let bold = !std::mem::take(&mut self.light);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return;
        }
        let kind = if bold && kind == Kind::Paragraph { Kind::Heading } else { kind };
        let index = self.blocks.len();
        let under = self.lead.or(self.heading);
        match kind {
            Kind::Heading => (self.heading, self.lead) = (Some(index), None),
            Kind::Paragraph => self.lead = text.ends_with(':').then_some(index),
            Kind::Item | Kind::Task(_) => {}
        }
        self.blocks.push(Block { kind, text, under });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_leave_out_code_quotes_and_tables() {
        let text = "**Decisions:**\n\n- use *SQLite*\n  - nested\n- [ ] later\n\nWhy:\n1. fast\n\n```\ncode\n```\n\
                    > quoted\n\n| a |\n|---|\n| b |\n\nA `b`\nVec<String>.";
        let read: Vec<(Kind, String, Option<usize>)> =
            blocks(text).into_iter().map(|block| (block.kind, block.text, block.under)).collect();
        assert_eq!(
            read,
            [
                (Kind::Heading, "Decisions:".into(), None),
                (Kind::Item, "use SQLite".into(), Some(0)),
                (Kind::Item, "nested".into(), Some(0)),
                (Kind::Task(false), "later".into(), Some(0)),
                (Kind::Paragraph, "Why:".into(), Some(0)),
                (Kind::Item, "fast".into(), Some(4)),
                (Kind::Paragraph, "A `b` Vec<String>.".into(), Some(0)),
            ]
        );
    }
}
