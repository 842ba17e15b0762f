//! Splits Markdown into headings, paragraphs and list items. Code, quotes and tables are left out.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// A heading, or a paragraph that is entirely bold.
    Heading,
    Paragraph,
    /// A list item.
    Item,
    /// A list item with a checkbox.
    Task {
        done: bool,
    },
}

/// A heading, a paragraph or a list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) text: String,
    /// Index of the block that introduces this one: a paragraph with a colon before a list, else
    /// the heading.
    pub(super) introduced_by: Option<usize>,
    /// The number of an item in its list: as written, or counted from 1. Nested lists have none.
    pub(super) number: Option<u64>,
    /// Whether the number is written.
    pub(super) is_numbered: bool,
}

/// What a line break inside a paragraph means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreaks {
    /// The paragraph goes on, as in Markdown.
    Join,
    /// A new sentence begins, as in messages that people type, unless the line was wrapped.
    Separate,
}

/// A shorter line was not wrapped by an editor, in bytes.
const MIN_WRAPPED_LINE_BYTES: usize = 60;

/// Splits Markdown into blocks.
pub(super) fn split_blocks(text: &str, line_breaks: LineBreaks) -> Vec<Block> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let separates_lines = line_breaks == LineBreaks::Separate;
    let mut splitter = BlockSplitter { separates_lines, ..BlockSplitter::default() };
    for event in Parser::new_ext(text, options) {
        splitter.handle_event(event);
    }
    splitter.finish_block();
    splitter.blocks
}

#[derive(Default)]
struct BlockSplitter {
    blocks: Vec<Block>,
    /// The kind of the present block, if it has begun.
    kind: Option<BlockKind>,
    /// The text of the present block.
    text: String,
    /// Whether some of the present block's text is not bold.
    has_regular_text: bool,
    bold_depth: usize,
    /// Number of open quotes, tables and code blocks.
    skip_depth: usize,
    list_depth: usize,
    /// Index of the last heading.
    heading: Option<usize>,
    /// Index of the paragraph that introduces the present list.
    list_introduction: Option<usize>,
    /// The number of the next item of the outermost list.
    next_number: u64,
    /// Whether the outermost list is numbered.
    is_numbered_list: bool,
    /// The number of the present item.
    number: Option<u64>,
    separates_lines: bool,
    /// Length of the present block's text at the last line break.
    line_start: usize,
}

impl BlockSplitter {
    fn handle_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::Table(_)) => {
                self.finish_block();
                self.skip_depth += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Table) => {
                self.skip_depth = self.skip_depth.saturating_sub(1);
            }
            _ if self.skip_depth > 0 => {}
            Event::Start(Tag::Heading { .. }) => self.begin_block(BlockKind::Heading),
            Event::Start(Tag::Item) => {
                self.begin_block(BlockKind::Item);
                if self.list_depth == 1 {
                    self.number = Some(self.next_number);
                    self.next_number += 1;
                }
            }
            Event::Start(Tag::Paragraph) if self.kind.is_none() || !self.text.is_empty() => {
                self.begin_block(BlockKind::Paragraph);
            }
            Event::Start(Tag::List(start)) => {
                self.finish_block();
                self.list_depth += 1;
                if self.list_depth == 1 {
                    self.next_number = start.unwrap_or(1);
                    self.is_numbered_list = start.is_some();
                }
            }
            Event::End(TagEnd::List(_)) => {
                self.finish_block();
                self.list_depth = self.list_depth.saturating_sub(1);
                self.list_introduction = self.list_introduction.filter(|_| self.list_depth > 0);
            }
            Event::End(TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item) => {
                self.finish_block();
            }
            Event::Start(Tag::Strong) => self.bold_depth += 1,
            Event::End(TagEnd::Strong) => self.bold_depth = self.bold_depth.saturating_sub(1),
            Event::TaskListMarker(done) => self.kind = Some(BlockKind::Task { done }),
            Event::Code(code) => self.push_text(&format!("`{code}`")),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.push_text(&text);
            }
            Event::SoftBreak | Event::HardBreak if self.separates_lines && !self.is_wrapped() => {
                self.finish_block();
            }
            Event::SoftBreak | Event::HardBreak => {
                self.push_text(" ");
                self.line_start = self.text.len();
            }
            _ => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        self.has_regular_text |= self.bold_depth == 0 && !text.trim_matches([':', ' ']).is_empty();
        self.text.push_str(text);
    }

    /// Returns whether the present line probably ends because an editor wrapped it.
    fn is_wrapped(&self) -> bool {
        self.text.len() - self.line_start >= MIN_WRAPPED_LINE_BYTES
            && !self.text.trim_end().ends_with(['.', '!', '?', ':', ';'])
    }

    fn begin_block(&mut self, kind: BlockKind) {
        self.finish_block();
        self.kind = Some(kind);
    }

    fn finish_block(&mut self) {
        let kind = self.kind.take().unwrap_or(BlockKind::Paragraph);
        let number = self.number.take();
        let text = std::mem::take(&mut self.text);
        self.line_start = 0;
        let is_bold = !std::mem::take(&mut self.has_regular_text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return;
        }
        let kind = if is_bold && kind == BlockKind::Paragraph { BlockKind::Heading } else { kind };
        let index = self.blocks.len();
        let introduced_by = self.list_introduction.or(self.heading);
        match kind {
            BlockKind::Heading => (self.heading, self.list_introduction) = (Some(index), None),
            BlockKind::Paragraph => self.list_introduction = text.ends_with(':').then_some(index),
            BlockKind::Item | BlockKind::Task { .. } => {}
        }
        let is_numbered = number.is_some() && self.is_numbered_list;
        self.blocks.push(Block { kind, text, introduced_by, number, is_numbered });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_quotes_and_tables_are_left_out() {
        let text = "**Decisions:**\n\n- use *SQLite*\n  - nested\n- [ ] later\n\nWhy:\n1. fast\n\n```\ncode\n```\n\
                    > quoted\n\n| a |\n|---|\n| b |\n\nA `b`\nVec<String>.";
        let blocks: Vec<(BlockKind, String, Option<usize>)> = split_blocks(text, LineBreaks::Join)
            .into_iter()
            .map(|block| (block.kind, block.text, block.introduced_by))
            .collect();
        assert_eq!(
            blocks,
            [
                (BlockKind::Heading, "Decisions:".into(), None),
                (BlockKind::Item, "use SQLite".into(), Some(0)),
                (BlockKind::Item, "nested".into(), Some(0)),
                (BlockKind::Task { done: false }, "later".into(), Some(0)),
                (BlockKind::Paragraph, "Why:".into(), Some(0)),
                (BlockKind::Item, "fast".into(), Some(4)),
                (BlockKind::Paragraph, "A `b` Vec<String>.".into(), Some(0)),
            ]
        );
    }
}
