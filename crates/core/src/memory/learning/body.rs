//! Escapes the lines of an entry's text that would change the structure of the file, with the backslash that markdown
//! renders as nothing.

use super::metadata;
use crate::memory::sections::{TextLine, closes_fence, opened_fence};

/// Escapes a text, so that it reads back unchanged as the body of an entry.
pub(super) fn encode(text: &str, newline: &str) -> String {
    let text = normalise(text);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut fence: Option<&str> = None;
    let mut is_start = true;
    let mut encoded: Vec<String> = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        if let Some(open) = fence {
            encoded.push((*line).to_owned());
            fence = fence.filter(|_| !closes_fence(line, open));
            continue;
        }
        let is_closed = |open: &str| lines[index + 1..].iter().any(|line| closes_fence(line, open));
        fence = opened_fence(line).filter(|open| is_closed(open));
        let colon = line.find(':').filter(|_| is_start && is_metadata(line));
        is_start = is_start && (colon.is_some() || line.trim().is_empty());
        let backslash = match colon {
            None if fence.is_none() && is_structure(line) => Some(indent(line)),
            colon => colon,
        };
        encoded.push(match backslash {
            Some(at) => format!("{}\\{}", &line[..at], &line[at..]),
            None => (*line).to_owned(),
        });
    }
    encoded.join(newline)
}

/// Unescapes the lines of a body.
pub(super) fn decode(lines: &[TextLine<'_>]) -> String {
    let mut is_start = true;
    let mut decoded: Vec<String> = Vec::with_capacity(lines.len());
    for line in lines {
        let text = line.text;
        let colon = text.find(':').filter(|_| is_start && !line.is_opaque && is_metadata(text));
        is_start = is_start && (colon.is_some() || text.trim().is_empty());
        let backslash = match colon {
            None if !line.is_opaque && is_structure(text) => Some(indent(text)),
            colon => colon.and_then(|colon| colon.checked_sub(1)),
        };
        let backslash = backslash.filter(|at| text[*at..].starts_with('\\'));
        decoded.push(match backslash {
            Some(at) => format!("{}{}", &text[..at], &text[at + 1..]),
            None => text.to_owned(),
        });
    }
    normalise(&decoded.join("\n"))
}

/// Returns a text as it reads back: without blank lines around it and with plain line breaks.
pub(super) fn normalise(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    let end = lines.iter().rposition(|line| !is_blank(line)).map_or(start, |last| last + 1);
    lines[start..end].join("\n").trim_end().to_owned()
}

/// Returns the byte offset of the first character that is no space.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The most spaces before a heading or a rule; markdown reads a line with more as code.
const STRUCTURE_MAX_INDENT: usize = 3;

/// Returns whether a line, without the backslashes that it starts with, is a heading, a rule, a fence, a comment, or a
/// conflict marker of git.
fn is_structure(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches('\\');
    let after_hashes = text.trim_start_matches('#');
    let is_heading = after_hashes.len() < text.len()
        && (after_hashes.is_empty() || after_hashes.starts_with([' ', '\t']));
    let is_block = is_heading || is_rule(text) || is_conflict_marker(text);
    text.starts_with("<!--")
        || opened_fence(text).is_some()
        || (is_block && indent(line) <= STRUCTURE_MAX_INDENT)
}

/// Returns whether a line, without the backslashes before its first colon, states metadata.
fn is_metadata(line: &str) -> bool {
    let Some((label, value)) = line.split_once(':') else { return false };
    metadata::parse(&format!("{}:{value}", label.trim_end_matches('\\'))).is_some()
}

/// Returns whether a line is a conflict marker of git.
pub(super) fn is_conflict_marker(line: &str) -> bool {
    crate::document::conflict_marker("", line).is_some()
}

/// Returns whether a line is a rule, also where markdown reads it as the underline of a heading.
pub(super) fn is_rule(line: &str) -> bool {
    let text = line.trim();
    let is_mark = |mark: char| text.chars().all(|c| c == mark || c == ' ');
    text.len() >= 3
        && indent(line) <= STRUCTURE_MAX_INDENT
        && ['-', '*', '_'].into_iter().any(is_mark)
}
