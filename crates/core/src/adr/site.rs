//! Where a record says what its status is.

use std::ops::Range;

use super::text;
use crate::Document;
use crate::frontmatter::{self, Split};

/// How a status is written, which decides how it is rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A key of the front matter.
    FrontMatter,
    /// A line `Status: x`, with or without a bullet.
    Line,
    /// A header of `Key: value` lines from the first line on.
    Header,
    /// The first line under a heading.
    Section,
    /// The heading itself: `## Status: x`.
    Heading,
    /// A cell of a table.
    Cell,
    /// An item of a list-table.
    ListTable,
}

/// Where a status is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) style: Style,
    /// The bytes of its value in the file.
    pub(super) bytes: Range<usize>,
    /// Its line.
    pub(super) line: usize,
    /// The bytes of the section that the status stands in, up to the next heading.
    pub(super) section: Range<usize>,
}

impl Site {
    /// Returns what it says, without what is struck out or commented out.
    pub(super) fn value(&self, shown: &str) -> String {
        shown[self.word(shown).start..self.bytes.end].trim().to_owned()
    }
}

impl Site {
    /// Returns the bytes of the status word alone.
    pub(super) fn word(&self, shown: &str) -> Range<usize> {
        let value = &shown[self.bytes.clone()];
        let after_box =
            value.find("] ").filter(|_| checkbox(value).is_some()).map_or(0, |at| at + 2);
        let start = after_box + value[after_box..].find(char::is_alphabetic).unwrap_or(0);
        let len = value[start..].find(|c: char| !c.is_alphabetic()).unwrap_or(value.len() - start);
        self.bytes.start + start..self.bytes.start + start + len
    }
}

/// Returns whether a list item has a box, and if so whether it is ticked.
fn checkbox(line: &str) -> Option<bool> {
    let item = line.trim_start().trim_start_matches(['-', '*', '+']).trim_start().to_lowercase();
    if item.starts_with("[x] ") { Some(true) } else { item.starts_with("[ ] ").then_some(false) }
}

/// Finds the status of a record; `shown` is `text` without what only looks like it.
pub(super) fn find(document: &Document, text: &str, shown: &str) -> Option<Site> {
    in_front_matter(document, text).or_else(|| in_body(text, shown))
}

fn in_front_matter(document: &Document, text: &str) -> Option<Site> {
    let Split::Block { yaml, .. } = frontmatter::split(text) else { return None };
    document.fields.get("status")?.as_str()?;
    let root = crate::yaml::parse(&text[yaml.clone()]).ok()??;
    let entry = root.entry("status")?;
    let bytes = yaml.start + entry.value.bytes.start..yaml.start + entry.value.bytes.end;
    Some(Site { style: Style::FrontMatter, section: bytes.clone(), bytes, line: entry.line + 1 })
}

fn in_body(text: &str, shown: &str) -> Option<Site> {
    let start = match frontmatter::split(text) {
        Split::Block { body, .. } => body,
        _ => 0,
    };
    let all: Vec<(usize, &str)> = text::lines(shown).filter(|(at, _)| *at >= start).collect();
    let first_line = shown[..start].matches('\n').count() + 1;
    let section_end = |from: usize| {
        (from..all.len())
            .find(|&at| text::heading(all[at].1, all.get(at + 1).map(|next| next.1)).is_some())
            .map_or(text.len(), |at| all[at].0)
    };
    let value_at = |at: usize, range: Range<usize>, style: Style| {
        let offset = all[at].0;
        Site {
            style,
            bytes: offset + range.start..offset + range.end,
            line: first_line + at,
            section: offset..section_end(at + 1),
        }
    };
    let header = all.first().is_some_and(|(_, line)| {
        text::key_value(line).is_some_and(|(_, value)| {
            !value.is_empty() && !line.starts_with(['|', '-', '*', '>', '#'])
        })
    });
    let mut in_header = header;
    for (at, (_, line)) in all.iter().enumerate() {
        in_header &= !line.trim().is_empty();
        if let Some(heading) = text::heading(line, all.get(at + 1).map(|next| next.1)) {
            let (name, inline) = heading.split_once(':').unwrap_or((heading, ""));
            if text::bare(name) != "status" {
                continue;
            }
            if !inline.trim().is_empty() {
                let from = line.len() - line.trim_end().len();
                let start = line.find(':').map_or(0, |colon| colon + 1);
                return Some(value_at(
                    at,
                    text::trimmed(line, start..line.len() - from),
                    Style::Heading,
                ));
            }
            let body_from = if line.starts_with('#') { at + 1 } else { at + 2 };
            if let Some(site) = under_heading(&all, body_from, section_end(body_from))
                .map(|(at, range, style)| value_at(at, range, style))
            {
                return Some(site);
            }
        }
        if let Some(item) =
            line.trim_start().strip_prefix("* - ").filter(|item| text::bare(item) == "status")
        {
            let next = at + 1;
            let value = all.get(next).and_then(|(_, line)| {
                line.trim_start()
                    .strip_prefix("- ")
                    .map(|value| (line.len() - value.len(), line.len()))
            });
            if let (Some((start, end)), false) = (value, item.is_empty()) {
                return Some(value_at(next, start..end, Style::ListTable));
            }
        }
        if let Some((key, value)) = text::key_value(line).filter(|(key, _)| key == "status") {
            let style = match () {
                () if line.trim_start().starts_with('|') => Style::Cell,
                () if in_header => Style::Header,
                () => Style::Line,
            };
            if !value.is_empty() && !key.is_empty() {
                return Some(value_at(at, value, style));
            }
            let next = (at + 1..all.len().min(at + 3)).find(|&next| !all[next].1.trim().is_empty());
            if let Some(next) = next
                .filter(|&next| style == Style::Line && all[next].1.contains(char::is_alphabetic))
            {
                return Some(value_at(
                    next,
                    text::trimmed(all[next].1, 0..all[next].1.len()),
                    Style::Line,
                ));
            }
        }
    }
    None
}

/// The first line under a `Status` heading that says something.
fn under_heading(
    all: &[(usize, &str)],
    from: usize,
    end: usize,
) -> Option<(usize, Range<usize>, Style)> {
    let lines = (from..all.len()).take_while(|&at| all[at].0 < end);
    let mut stage_table = false;
    for at in lines {
        let line = all[at].1;
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let row = line.trim_start().starts_with('|');
        if line.trim().is_empty()
            || line.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '+' | '='))
        {
            continue;
        }
        if row && cells.len() == 2 && text::bare(cells[1]) == "status" {
            stage_table = true;
            continue;
        }
        if row && stage_table {
            if cells
                .get(1)
                .is_some_and(|mark| mark.contains('✅') || mark.to_lowercase().contains("[x]"))
            {
                let start = line.find(cells[0])?;
                return Some((at, start..start + cells[0].len(), Style::Cell));
            }
            continue;
        }
        if let Some((key, value)) =
            text::key_value(line).filter(|(key, value)| key == "status" && !value.is_empty())
        {
            let style = if row { Style::Cell } else { Style::Line };
            return (!key.is_empty()).then_some((at, value, style));
        }
        if row || checkbox(line) == Some(false) {
            continue;
        }
        return Some((at, text::trimmed(line, 0..line.len()), Style::Section));
    }
    None
}
