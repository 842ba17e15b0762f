//! Splits a markdown document into headings, list items, paragraphs, rows of tables and code. Comments are skipped.

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
    /// A row of a table below its header.
    TableRow {
        /// The line.
        line: usize,
        /// The cells, each with the header of its column: `Port: 8080; Host: db`.
        text: String,
    },
    /// A code block.
    Code {
        /// The first line, which is the fence if there is one.
        line: usize,
        /// The code.
        text: String,
    },
}

/// A region that is no markdown until it is closed.
enum RawRegion {
    Fence { mark: char, length: usize, code: String },
    Comment,
}

/// A line-based parser of blocks.
#[derive(Default)]
struct BlockParser<'d> {
    blocks: Vec<MarkdownBlock<'d>>,
    /// The open code fence or comment, and the line where it starts.
    raw: Option<(RawRegion, usize)>,
    /// The indentation of the open list.
    list: Option<usize>,
    /// The header of the open table.
    table_header: Option<Vec<&'d str>>,
    after_blank: bool,
}

/// Returns the blocks of a document, and a problem if a code fence or a comment is never closed.
pub(super) fn read(document: &Document) -> (Vec<MarkdownBlock<'_>>, Option<Problem>) {
    let headings: HashMap<usize, &Heading> =
        document.headings.iter().map(|heading| (heading.line, heading)).collect();
    let mut parser = BlockParser::default();
    let mut lines = document.prose.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let number = document.prose_line + index;
        let next = lines.peek().map(|(_, next)| *next);
        parser.push_line(number, line, next, headings.get(&number).copied());
    }
    let unclosed = parser.raw.map(|(region, line)| {
        let (what, end) = match region {
            RawRegion::Fence { mark, length, .. } => {
                ("code fence", mark.to_string().repeat(length))
            }
            RawRegion::Comment => ("comment", "-->".to_owned()),
        };
        let message = format!("this {what} is never closed, so nothing after it is read");
        Problem::at(&document.path, line, message).hint(format!("close it with {end}"))
    });
    (parser.blocks, unclosed)
}

impl<'d> BlockParser<'d> {
    fn push_line(
        &mut self,
        number: usize,
        line: &'d str,
        next: Option<&str>,
        heading: Option<&'d Heading>,
    ) {
        let text = without_quote_marks(line);
        if let Some((region, start)) = self.raw.take() {
            return self.push_raw(region, start, line, text);
        }
        let after_blank = std::mem::replace(&mut self.after_blank, text.is_empty());
        let table_header = self.table_header.take();
        let indent = indent_of(line);
        if text.is_empty() {
            return;
        }
        if indent >= 4 && self.is_indented_code(after_blank) {
            return self.push_indented_code(number, line);
        }
        if let Some(heading) = heading {
            self.list = None;
            self.blocks.push(MarkdownBlock::Heading(heading));
        } else if let Some(header) = table_header.filter(|_| text.contains('|')) {
            self.push_table_row(number, text, header);
        } else if text.contains('|') && next.is_some_and(is_table_separator) {
            self.table_header = Some(cells(text).collect());
        } else if let Some(region) = RawRegion::starting_at(text) {
            self.open_raw(region, text, number);
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

    fn push_indented_code(&mut self, line: usize, code: &str) {
        let code = code.strip_prefix("    ").unwrap_or_else(|| code.trim_start()).trim_end();
        match self.blocks.last_mut() {
            Some(MarkdownBlock::Code { text, line: start })
                if *start + text.lines().count() == line =>
            {
                text.push('\n');
                text.push_str(code);
            }
            _ => self.blocks.push(MarkdownBlock::Code { line, text: code.to_owned() }),
        }
    }

    fn open_raw(&mut self, region: RawRegion, text: &str, number: usize) {
        let is_closed = matches!(region, RawRegion::Comment) && region.ends_at(text);
        self.raw = (!is_closed).then_some((region, number));
    }

    /// Adds a line to an open region, which stays open unless the line ends it.
    fn push_raw(&mut self, mut region: RawRegion, start: usize, line: &str, text: &str) {
        let is_end = region.ends_at(text);
        match &mut region {
            RawRegion::Fence { code, .. } if is_end => {
                let text = code.trim_end().to_owned();
                if !text.is_empty() {
                    self.blocks.push(MarkdownBlock::Code { line: start, text });
                }
            }
            RawRegion::Fence { code, .. } => {
                code.push_str(line.trim_end());
                code.push('\n');
            }
            RawRegion::Comment => {}
        }
        self.raw = (!is_end).then_some((region, start));
    }

    fn push_table_row(&mut self, line: usize, row: &str, header: Vec<&'d str>) {
        let is_separator = is_table_separator(row);
        let named_cells = cells(row).zip(header.iter().copied().chain(std::iter::repeat("")));
        let parts: Vec<String> = named_cells
            .filter(|(cell, _)| !cell.is_empty())
            .map(|(cell, name)| match name {
                "" => cell.to_owned(),
                name => format!("{name}: {cell}"),
            })
            .collect();
        if !is_separator && !parts.is_empty() {
            self.blocks.push(MarkdownBlock::TableRow { line, text: parts.join("; ") });
        }
        self.table_header = Some(header);
    }

    fn push_item(&mut self, line: usize, indent: usize, item: &str) {
        let nested = self.list.is_some_and(|list| indent >= list + 2);
        if !nested {
            self.list = Some(indent);
        }
        let region = RawRegion::starting_at(item);
        let text = if region.is_some() { String::new() } else { item.to_owned() };
        self.blocks.push(MarkdownBlock::Item { line, nested, text });
        if let Some(region) = region {
            self.open_raw(region, item, line);
        }
    }

    fn push_text(&mut self, line: usize, indent: usize, added: &str, after_blank: bool) {
        let in_list = self.list.is_some_and(|list| !after_blank || indent >= list + 2);
        if !in_list {
            self.list = None;
        }
        let open_block = self.blocks.iter_mut().rfind(|block| match block {
            MarkdownBlock::Code { .. } | MarkdownBlock::TableRow { .. } => !in_list,
            _ => true,
        });
        match open_block {
            Some(MarkdownBlock::Item { text, .. }) if in_list => join(text, added),
            Some(MarkdownBlock::Paragraph { text, .. }) if !after_blank && !in_list => {
                join(text, added);
            }
            _ => self.blocks.push(MarkdownBlock::Paragraph { line, text: added.to_owned() }),
        }
    }
}

impl RawRegion {
    fn starting_at(text: &str) -> Option<Self> {
        if text.starts_with("<!--") {
            return Some(RawRegion::Comment);
        }
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        let is_inline = mark == '`' && info.contains('`');
        (length >= 3 && !is_inline).then_some(RawRegion::Fence {
            mark,
            length,
            code: String::new(),
        })
    }

    fn ends_at(&self, text: &str) -> bool {
        match self {
            RawRegion::Comment => text.contains("-->"),
            RawRegion::Fence { mark, length, .. } => {
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

/// Returns a line without the marks of a quotation.
fn without_quote_marks(line: &str) -> &str {
    line.trim().trim_start_matches(['>', ' ', '\t'])
}

/// Returns the cells of a row of a table.
fn cells(row: &str) -> impl Iterator<Item = &str> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    row.strip_suffix('|').unwrap_or(row).split('|').map(str::trim)
}

/// Returns whether a line stands between the header of a table and its rows: `|---|:-:|`.
fn is_table_separator(line: &str) -> bool {
    let line = without_quote_marks(line);
    line.contains('|')
        && cells(line)
            .all(|cell| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':')))
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
            MarkdownBlock::TableRow { line, text } => format!("{line} | {text}"),
            MarkdownBlock::Code { line, text } => format!("{line} ` {text}"),
        });
        shown.chain(unclosed.map(|problem| plain_text(&problem.describe()))).collect()
    }

    #[test]
    fn comments_are_skipped() {
        let text = "---\nname: x\n---\nTitle\n=====\nOne\ntwo.\n\n    code\n- a\n  b\n  - c\n    d\n\n  e\n* f\n```sh\n- no\n```\n1. g\n2024. It\n<!-- - no\n- no -->\n- - -\nend\n";
        assert_eq!(
            outline(text),
            [
                "4 # Title",
                "6 One two.",
                "9 ` code",
                "10 - a b",
                "12   - c d e",
                "16 - f",
                "17 ` - no",
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
        assert_eq!(outline("- ```sh\n  x\n  ```\n- `a`\n"), ["1 - ", "1 `   x", "4 - `a`"]);
    }

    #[test]
    fn rows_of_tables_name_their_columns() {
        let table =
            "Ports:\n\n| Host | Port |\n|---|:--:|\n| db | 5432 |\n| | 80 | extra |\n\na | b\n";
        assert_eq!(
            outline(table),
            ["1 Ports:", "5 | Host: db; Port: 5432", "6 | Port: 80; extra", "8 a | b"]
        );
    }

    #[test]
    fn quoted_text_has_no_marks() {
        assert_eq!(outline("> One\n> two.\n>\n> - a\n"), ["1 One two.", "4 - a"]);
    }

    #[test]
    fn lines_of_indented_code_are_one_block() {
        assert_eq!(
            outline("Text.\n\n    a\n      b\n\nEnd.\n"),
            ["1 Text.", "3 ` a\n  b", "6 End."]
        );
    }

    #[test]
    fn an_item_continues_after_its_code() {
        assert_eq!(outline("- a\n  ```\n  x\n  ```\n  b\n"), ["1 - a b", "2 `   x"]);
    }
}
