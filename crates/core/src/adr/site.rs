//! Locates the status of a record in its text.

use std::ops::Range;

use super::text;
use crate::Document;
use crate::frontmatter::{self, FrontMatterLocation};

/// How a status is written, which decides how it is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatusStyle {
    /// A key of the front matter.
    FrontMatter,
    /// A line `Status: x`, with or without a bullet.
    Line,
    /// A line of an RFC 822 header, which starts on the first line of the text.
    Header,
    /// The first line under a `Status` heading.
    Section,
    /// The heading itself: `## Status: x`.
    Heading,
    /// A cell of a table.
    Cell,
    /// An item of a reStructuredText list-table.
    ListTable,
}

/// The place of a status in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatusSite {
    pub(super) style: StatusStyle,
    /// The byte range of the value.
    pub(super) bytes: Range<usize>,
    /// The line of the value, from 1.
    pub(super) line: usize,
    /// The byte range from the line of the value to the next heading.
    pub(super) section: Range<usize>,
}

impl StatusSite {
    /// Returns the value from its status word on.
    pub(super) fn value(&self, visible: &str) -> String {
        visible[self.word(visible).start..self.bytes.end].trim().to_owned()
    }

    /// Returns the byte range of the status word alone.
    pub(super) fn word(&self, visible: &str) -> Range<usize> {
        let value = &visible[self.bytes.clone()];
        let after_checkbox =
            value.find("] ").filter(|_| checkbox(value).is_some()).map_or(0, |at| at + 2);
        let start = after_checkbox + value[after_checkbox..].find(char::is_alphabetic).unwrap_or(0);
        let len = value[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(value.len() - start);
        self.bytes.start + start..self.bytes.start + start + len
    }
}

/// Returns whether the checkbox of a list item is ticked; `None` if the line has no checkbox.
fn checkbox(line: &str) -> Option<bool> {
    let item = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start().to_lowercase();
    if item.starts_with("[x] ") { Some(true) } else { item.starts_with("[ ] ").then_some(false) }
}

/// Finds the status of a record; `visible` is `text` as [`text::visible`] returns it.
pub(super) fn find(document: &Document, text: &str, visible: &str) -> Option<StatusSite> {
    find_in_front_matter(document, text).or_else(|| find_in_body(text, visible))
}

fn find_in_front_matter(document: &Document, text: &str) -> Option<StatusSite> {
    let FrontMatterLocation::Block { yaml, .. } = frontmatter::split(text) else { return None };
    document.fields.get("status")?.as_str()?;
    let root = crate::yaml::parse(&text[yaml.clone()]).ok()??;
    let entry = root.entry("status")?;
    let bytes = yaml.start + entry.value.bytes.start..yaml.start + entry.value.bytes.end;
    Some(StatusSite {
        style: StatusStyle::FrontMatter,
        section: bytes.clone(),
        bytes,
        line: entry.line + 1,
    })
}

fn find_in_body(text: &str, visible: &str) -> Option<StatusSite> {
    let body = BodyLines::new(text, visible);
    let mut in_header = body.starts_with_header();
    (0..body.lines.len()).find_map(|index| {
        in_header &= !body.line(index).trim().is_empty();
        let heading = body.heading(index);
        if heading.is_some_and(|heading| !is_status_heading(heading)) {
            return None;
        }
        heading
            .and_then(|heading| body.find_at_heading(index, heading))
            .or_else(|| body.find_in_list_table(index))
            .or_else(|| body.find_in_field(index, in_header))
    })
}

/// Returns whether a heading is `Status` or `Status: x`.
fn is_status_heading(heading: &str) -> bool {
    text::plain(heading.split(':').next().unwrap_or_default()) == "status"
}

/// The lines of a text after its front matter.
struct BodyLines<'t> {
    /// Each line with its byte offset in the text.
    lines: Vec<(usize, &'t str)>,
    /// The number of the first line in the file, from 1.
    first_line: usize,
    /// The length of the text in bytes.
    text_len: usize,
}

impl<'t> BodyLines<'t> {
    fn new(text: &str, visible: &'t str) -> Self {
        let start = frontmatter::body_start(text);
        BodyLines {
            lines: text::lines(visible).filter(|(offset, _)| *offset >= start).collect(),
            first_line: visible[..start].matches('\n').count() + 1,
            text_len: text.len(),
        }
    }

    fn line(&self, index: usize) -> &'t str {
        self.lines[index].1
    }

    /// Returns the text of the heading at a line.
    fn heading(&self, index: usize) -> Option<&'t str> {
        text::heading(self.line(index), self.lines.get(index + 1).map(|next| next.1))
    }

    /// Returns the byte offset of the first heading at or after a line, or the length of the text.
    fn section_end(&self, from: usize) -> usize {
        (from..self.lines.len())
            .find(|&index| self.heading(index).is_some())
            .map_or(self.text_len, |index| self.lines[index].0)
    }

    /// Describes a status at a byte range of a line.
    fn site(&self, index: usize, range: Range<usize>, style: StatusStyle) -> StatusSite {
        let offset = self.lines[index].0;
        StatusSite {
            style,
            bytes: offset + range.start..offset + range.end,
            line: self.first_line + index,
            section: offset..self.section_end(index + 1),
        }
    }

    /// Returns whether the body starts with `Key: value`, as an RFC 822 header does.
    fn starts_with_header(&self) -> bool {
        self.lines.first().is_some_and(|(_, line)| {
            let is_markup = line.starts_with(['|', '-', '*', '>', '#']);
            !is_markup && text::key_value(line).is_some_and(|(_, value)| !value.is_empty())
        })
    }

    /// Finds the status in a `Status` heading (`## Status: x`) or under it.
    fn find_at_heading(&self, index: usize, heading: &str) -> Option<StatusSite> {
        let line = self.line(index);
        let inline = heading.split_once(':').map_or("", |(_, inline)| inline);
        if !inline.trim().is_empty() {
            let start = line.find(':').map_or(0, |colon| colon + 1);
            let range = text::trim_range(line, start..line.trim_end().len());
            return Some(self.site(index, range, StatusStyle::Heading));
        }
        let underline_lines = usize::from(!line.starts_with('#'));
        self.find_under_heading(index + 1 + underline_lines)
    }

    /// Finds the first line of a `Status` section that states a status.
    fn find_under_heading(&self, from: usize) -> Option<StatusSite> {
        let end = self.section_end(from);
        let mut in_stage_table = false;
        for index in (from..self.lines.len()).take_while(|&index| self.lines[index].0 < end) {
            let line = self.line(index);
            let cells: Vec<&str> =
                line.trim().trim_matches('|').split('|').map(str::trim).collect();
            let is_row = line.trim_start().starts_with('|');
            if is_blank_or_rule(line) {
                continue;
            }
            if is_row && cells.len() == 2 && text::plain(cells[1]) == "status" {
                in_stage_table = true;
                continue;
            }
            if is_row && in_stage_table {
                if cells.get(1).is_some_and(|cell| is_ticked(cell)) {
                    let start = line.find(cells[0])?;
                    let range = start..start + cells[0].len();
                    return Some(self.site(index, range, StatusStyle::Cell));
                }
                continue;
            }
            if let Some((_, value)) =
                text::key_value(line).filter(|(key, value)| key == "status" && !value.is_empty())
            {
                let style = if is_row { StatusStyle::Cell } else { StatusStyle::Line };
                return Some(self.site(index, value, style));
            }
            if is_row || checkbox(line) == Some(false) {
                continue;
            }
            let range = text::trim_range(line, 0..line.len());
            return Some(self.site(index, range, StatusStyle::Section));
        }
        None
    }

    /// Finds the status in the item after `* - Status` of a list-table.
    fn find_in_list_table(&self, index: usize) -> Option<StatusSite> {
        let key = self.line(index).trim_start().strip_prefix("* - ")?;
        let (_, value_line) = self.lines.get(index + 1).filter(|_| text::plain(key) == "status")?;
        let value = value_line.trim_start().strip_prefix("- ")?;
        let range = value_line.len() - value.len()..value_line.len();
        Some(self.site(index + 1, range, StatusStyle::ListTable))
    }

    /// Finds the status in a line `Status: x` or a row `| Status | x |`, or on the line after a
    /// lone `Status:`.
    fn find_in_field(&self, index: usize, in_header: bool) -> Option<StatusSite> {
        let line = self.line(index);
        let (_, value) = text::key_value(line).filter(|(key, _)| key == "status")?;
        let style = if line.trim_start().starts_with('|') {
            StatusStyle::Cell
        } else if in_header {
            StatusStyle::Header
        } else {
            StatusStyle::Line
        };
        if !value.is_empty() {
            return Some(self.site(index, value, style));
        }
        let mut next_lines = index + 1..self.lines.len().min(index + 3);
        let next = next_lines.find(|&next| !self.line(next).trim().is_empty())?;
        let next_line = self.line(next);
        let is_value = style == StatusStyle::Line && next_line.contains(char::is_alphabetic);
        is_value.then(|| {
            self.site(next, text::trim_range(next_line, 0..next_line.len()), StatusStyle::Line)
        })
    }
}

/// Returns whether a line is empty or the border of a table.
fn is_blank_or_rule(line: &str) -> bool {
    line.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '+' | '='))
}

fn is_ticked(cell: &str) -> bool {
    cell.contains('✅') || cell.to_lowercase().contains("[x]")
}
