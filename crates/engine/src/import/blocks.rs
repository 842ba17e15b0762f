//! The blocks of a markdown document that an importer can read: headings, list items and
//! paragraphs. Code and comments are no knowledge and are left out.

use std::collections::HashMap;

use heirloom_core::document::Heading;
use heirloom_core::{Document, Problem};

/// One block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block<'d> {
    /// A heading.
    Heading(&'d Heading),
    /// An item of a list, without the items in it.
    Item {
        /// Its first line.
        line: usize,
        /// Whether it is in another one.
        nested: bool,
        /// What it says.
        text: String,
    },
    /// Other text.
    Paragraph {
        /// Its first line.
        line: usize,
        /// What it says.
        text: String,
    },
}

/// What is skipped until it closes.
enum Skipped {
    Fence { mark: char, length: usize },
    Comment,
}

#[derive(Default)]
struct Scan<'d> {
    blocks: Vec<Block<'d>>,
    skipped: Option<(Skipped, usize)>,
    /// The indent of the list that is open.
    list: Option<usize>,
    after_blank: bool,
}

/// Reads the blocks of a document, and what never closes in it.
pub(super) fn read(document: &Document) -> (Vec<Block<'_>>, Option<Problem>) {
    let headings: HashMap<usize, &Heading> =
        document.headings.iter().map(|heading| (heading.line, heading)).collect();
    let mut scan = Scan::default();
    for (index, line) in document.prose.lines().enumerate() {
        let number = document.prose_line + index;
        scan.take(number, line, headings.get(&number).copied());
    }
    let unclosed = scan.skipped.map(|(skipped, line)| {
        let (what, end) = match skipped {
            Skipped::Fence { mark, length } => ("code fence", mark.to_string().repeat(length)),
            Skipped::Comment => ("comment", "-->".to_owned()),
        };
        let message = format!("this {what} never closes, so nothing after it is read");
        Problem::at(&document.path, line, message).hint(format!("close it with {end}"))
    });
    (scan.blocks, unclosed)
}

impl<'d> Scan<'d> {
    fn take(&mut self, number: usize, line: &str, heading: Option<&'d Heading>) {
        let text = line.trim();
        if let Some((skipped, _)) = &self.skipped {
            if skipped.ends_at(text) {
                self.skipped = None;
            }
            return;
        }
        let after_blank = std::mem::replace(&mut self.after_blank, text.is_empty());
        let indent = indent_of(line);
        if text.is_empty() || (indent >= 4 && self.is_code_here(after_blank)) {
            return;
        }
        if let Some(heading) = heading {
            self.list = None;
            self.blocks.push(Block::Heading(heading));
        } else if let Some(skipped) = Skipped::starting_at(text) {
            self.skip(skipped, text, number);
        } else if is_break(text) {
            self.list = None;
        } else if let Some(item) = item_text(text) {
            self.take_item(number, indent, item);
        } else {
            self.take_text(number, indent, text, after_blank);
        }
    }

    /// Indented text is code, but not in a list and not right after a line of a paragraph.
    fn is_code_here(&self, after_blank: bool) -> bool {
        let goes_on = matches!(self.blocks.last(), Some(Block::Paragraph { .. })) && !after_blank;
        self.list.is_none() && !goes_on
    }

    fn skip(&mut self, skipped: Skipped, text: &str, number: usize) {
        let is_closed = matches!(skipped, Skipped::Comment) && skipped.ends_at(text);
        self.skipped = (!is_closed).then_some((skipped, number));
    }

    fn take_item(&mut self, line: usize, indent: usize, item: &str) {
        let nested = self.list.is_some_and(|list| indent >= list + 2);
        if !nested {
            self.list = Some(indent);
        }
        let skipped = Skipped::starting_at(item);
        let text = if skipped.is_some() { String::new() } else { item.to_owned() };
        self.blocks.push(Block::Item { line, nested, text });
        if let Some(skipped) = skipped {
            self.skip(skipped, item, line);
        }
    }

    fn take_text(&mut self, line: usize, indent: usize, added: &str, after_blank: bool) {
        let in_list = self.list.is_some_and(|list| !after_blank || indent >= list + 2);
        if !in_list {
            self.list = None;
        }
        match self.blocks.last_mut() {
            Some(Block::Item { text, .. }) if in_list => join(text, added),
            Some(Block::Paragraph { text, .. }) if !after_blank && !in_list => join(text, added),
            _ => self.blocks.push(Block::Paragraph { line, text: added.to_owned() }),
        }
    }
}

impl Skipped {
    fn starting_at(text: &str) -> Option<Self> {
        if text.starts_with("<!--") {
            return Some(Skipped::Comment);
        }
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = text.trim_start_matches(mark);
        let length = text.len() - info.len();
        let is_inline = mark == '`' && info.contains('`');
        (length >= 3 && !is_inline).then_some(Skipped::Fence { mark, length })
    }

    fn ends_at(&self, text: &str) -> bool {
        match self {
            Skipped::Comment => text.contains("-->"),
            Skipped::Fence { mark, length } => {
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

/// A rule between paragraphs, or the line under a heading.
fn is_break(text: &str) -> bool {
    let all = |mark: char| text.chars().all(|c| c == mark || c == ' ');
    text.len() >= 2 && (all('=') || all('-') || (text.len() >= 3 && (all('*') || all('_'))))
}

/// Returns what an item of a list says, numbered or not.
fn item_text(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match digits {
        0 => text.strip_prefix(['-', '*', '+'])?,
        1..=3 => text[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Vec<String> {
        let document = Document::parse("a.md", text);
        let (blocks, unclosed) = read(&document);
        let shown = blocks.iter().map(|block| match block {
            Block::Heading(heading) => format!("{} # {}", heading.line, heading.text),
            Block::Item { line, nested: false, text } => format!("{line} - {text}"),
            Block::Item { line, nested: true, text } => format!("{line}   - {text}"),
            Block::Paragraph { line, text } => format!("{line} {text}"),
        });
        shown.chain(unclosed.map(|problem| problem.to_string())).collect()
    }

    #[test]
    fn blocks_are_read_and_code_is_not() {
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
    fn what_never_closes_is_a_problem() {
        assert_eq!(
            outline("- a\n~~~~\n~~~\n- b\n"),
            [
                "1 - a",
                "a.md:2: this code fence never closes, so nothing after it is read (close it with ~~~~)"
            ]
        );
        assert_eq!(outline("- ```sh\n  x\n  ```\n- `a`\n"), ["1 - ", "4 - `a`"]);
    }
}
