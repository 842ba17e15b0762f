//! Splits a markdown document into headings, list items and paragraphs. Code and comments are skipped,
//! because they are not memory.

use std::collections::HashMap;

use heirloom_core::document::Heading;
use heirloom_core::{Document, Problem, name};

/// A block of a markdown document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MarkdownBlock<'d> {
    /// A heading.
    Heading(&'d Heading),
    /// A list item, without the items nested in it.
    Item {
        /// The first line.
        line: usize,
        /// Whether it is nested in another item.
        nested: bool,
        /// The text.
        text: String,
    },
    /// Other text.
    Paragraph {
        /// The first line.
        line: usize,
        /// The text.
        text: String,
    },
}

/// A region that is skipped until it is closed.
enum SkippedRegion {
    Fence { mark: char, length: usize },
    Comment,
}

/// A line-based parser of blocks.
#[derive(Default)]
struct BlockParser<'d> {
    blocks: Vec<MarkdownBlock<'d>>,
    /// The open region that is being skipped, and the line where it starts.
    skipped: Option<(SkippedRegion, usize)>,
    /// The indentation of the open list.
    list: Option<usize>,
    after_blank: bool,
}

/// Returns the blocks of a document, and a problem if a code fence or a comment is never closed.
pub(super) fn read(document: &Document) -> (Vec<MarkdownBlock<'_>>, Option<Problem>) {
    let headings: HashMap<usize, &Heading> =
        document.headings.iter().map(|heading| (heading.line, heading)).collect();
    let mut parser = BlockParser::default();
    for (index, line) in document.prose.lines().enumerate() {
        let number = document.prose_line + index;
        parser.push_line(number, line, headings.get(&number).copied());
    }
    let unclosed = parser.skipped.map(|(skipped, line)| {
        let (what, end) = match skipped {
            SkippedRegion::Fence { mark, length } => {
                ("code fence", mark.to_string().repeat(length))
            }
            SkippedRegion::Comment => ("comment", "-->".to_owned()),
        };
        let message = format!("this {what} is never closed, so nothing after it is read");
        Problem::at(&document.path, line, message).hint(format!("close it with {end}"))
    });
    (parser.blocks, unclosed)
}

impl<'d> BlockParser<'d> {
    fn push_line(&mut self, number: usize, line: &str, heading: Option<&'d Heading>) {
        let text = line.trim();
        if let Some((skipped, _)) = &self.skipped {
            if skipped.ends_at(text) {
                self.skipped = None;
            }
            return;
        }
        let after_blank = std::mem::replace(&mut self.after_blank, text.is_empty());
        let indent = indent_of(line);
        if text.is_empty() || (indent >= 4 && self.is_indented_code(after_blank)) {
            return;
        }
        if let Some(heading) = heading {
            self.list = None;
            self.blocks.push(MarkdownBlock::Heading(heading));
        } else if let Some(skipped) = SkippedRegion::starting_at(text) {
            self.skip(skipped, text, number);
        } else if is_rule(text) {
            self.list = None;
        } else if let Some(item) = item_text(text) {
            self.push_item(number, indent, item);
        } else {
            self.push_text(number, indent, text, after_blank);
        }
    }

    /// Returns whether an indented line is code: it is not in a list, nor right after a paragraph line.
    fn is_indented_code(&self, after_blank: bool) -> bool {
        let continues_paragraph =
            matches!(self.blocks.last(), Some(MarkdownBlock::Paragraph { .. })) && !after_blank;
        self.list.is_none() && !continues_paragraph
    }

    fn skip(&mut self, skipped: SkippedRegion, text: &str, number: usize) {
        let is_closed = matches!(skipped, SkippedRegion::Comment) && skipped.ends_at(text);
        self.skipped = (!is_closed).then_some((skipped, number));
    }

    fn push_item(&mut self, line: usize, indent: usize, item: &str) {
        let nested = self.list.is_some_and(|list| indent >= list + 2);
        if !nested {
            self.list = Some(indent);
        }
        let skipped = SkippedRegion::starting_at(item);
        let text = if skipped.is_some() { String::new() } else { item.to_owned() };
        self.blocks.push(MarkdownBlock::Item { line, nested, text });
        if let Some(skipped) = skipped {
            self.skip(skipped, item, line);
        }
    }

    fn push_text(&mut self, line: usize, indent: usize, added: &str, after_blank: bool) {
        let in_list = self.list.is_some_and(|list| !after_blank || indent >= list + 2);
        if !in_list {
            self.list = None;
        }
        match self.blocks.last_mut() {
            Some(MarkdownBlock::Item { text, .. }) if in_list => join(text, added),
            Some(MarkdownBlock::Paragraph { text, .. }) if !after_blank && !in_list => {
                join(text, added);
            }
            _ => self.blocks.push(MarkdownBlock::Paragraph { line, text: added.to_owned() }),
        }
    }
}

impl SkippedRegion {
    fn starting_at(text: &str) -> Option<Self> {
        if text.starts_with("<!--") {
            return Some(SkippedRegion::Comment);
        }
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        let is_inline = mark == '`' && info.contains('`');
        (length >= 3 && !is_inline).then_some(SkippedRegion::Fence { mark, length })
    }

    fn ends_at(&self, text: &str) -> bool {
        match self {
            SkippedRegion::Comment => text.contains("-->"),
            SkippedRegion::Fence { mark, length } => {
                text.len() >= *length && text.chars().all(|c| c == *mark)
            }
        }
    }
}

fn join(text: &mut String, added: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(added);
}

fn indent_of(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).fold(0, |indent, c| match c {
        '\t' => (indent / 4 + 1) * 4,
        _ => indent + 1,
    })
}

/// Returns whether a line is a horizontal rule or the underline of a heading.
fn is_rule(text: &str) -> bool {
    let all = |mark: char| text.chars().all(|c| c == mark || c == ' ');
    text.len() >= 2 && (all('=') || all('-') || (text.len() >= 3 && (all('*') || all('_'))))
}

/// Returns the text of a list item, numbered or not; `None` for another line.
fn item_text(text: &str) -> Option<&str> {
    let (digits, rest) = name::split_leading_digits(text);
    let rest = match digits.len() {
        0 => text.strip_prefix(['-', '*', '+'])?,
        1..=3 => rest.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::plain_text;

    fn outline(text: &str) -> Vec<String> {
        let document = Document::parse("a.md", text);
        let (blocks, unclosed) = read(&document);
        let shown = blocks.iter().map(|block| match block {
            MarkdownBlock::Heading(heading) => format!("{} # {}", heading.line, heading.text),
            MarkdownBlock::Item { line, nested: false, text } => format!("{line} - {text}"),
            MarkdownBlock::Item { line, nested: true, text } => format!("{line}   - {text}"),
            MarkdownBlock::Paragraph { line, text } => format!("{line} {text}"),
        });
        shown.chain(unclosed.map(|problem| plain_text(&problem.describe()))).collect()
    }

    #[test]
    fn code_and_comments_are_skipped() {
        let text = "---\nname: x\n---\nTitle\n=====\nOne\ntwo.\n\n    code\n- a\n  b\n  - c\n    d\n\n  e\n* f\n```sh\n- no\n```\n1. g\n2024. It\n<!-- - no\n- no -->\n- - -\nend\n";
        assert_eq!(
            outline(text),
            [
                "4 # Title",
                "6 One two.",
                "10 - a b",
                "12   - c d e",
                "16 - f",
                "20 - g 2024. It",
                "25 end"
            ]
        );
    }

    #[test]
    fn an_unclosed_code_fence_is_a_problem() {
        assert_eq!(
            outline("- a\n~~~~\n~~~\n- b\n"),
            [
                "1 - a",
                "a.md:2: this code fence is never closed, so nothing after it is read (close it with ~~~~)"
            ]
        );
        assert_eq!(outline("- ```sh\n  x\n  ```\n- `a`\n"), ["1 - ", "4 - `a`"]);
    }
}
