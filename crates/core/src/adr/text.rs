//! The text of a record without what only looks like it, byte for byte in place.

use std::ops::Range;

use crate::frontmatter::{self, Split};

/// Blanks out HTML comments, fenced code and struck-out text. Offsets and lines stay the same.
pub(super) fn shown(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut blank = |range: Range<usize>| {
        bytes[range]
            .iter_mut()
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b' ');
    };
    // A title in the front matter may hold `<!--`, which opens no comment there.
    let body = match frontmatter::split(text) {
        Split::Block { body, .. } => body,
        Split::None | Split::Unclosed => 0,
    };
    let comments = between(&text[body..], "<!--", "-->");
    let comments = comments.into_iter().map(|range| range.start + body..range.end + body);
    for range in comments.chain(fences(text)).chain(struck(text)) {
        blank(range);
    }
    // Whole characters were blanked or none of their bytes: the text is still UTF-8.
    String::from_utf8(bytes).unwrap_or_default()
}

fn between(text: &str, open: &str, close: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(open).map(|offset| at + offset) {
        let end = text[start + open.len()..]
            .find(close)
            .map_or(text.len(), |offset| start + open.len() + offset + close.len());
        found.push(start..end);
        at = end;
    }
    found
}

fn struck(text: &str) -> Vec<Range<usize>> {
    between(text, "~~", "~~")
        .into_iter()
        .filter(|range| !text[range.clone()].contains('\n') && range.len() > 4)
        .collect()
}

fn fences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for (start, line) in lines(text) {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some((start, mark)),
            (Some((from, opened)), Some(mark)) if opened == mark => {
                found.push(from..start + line.len());
                open = None;
            }
            _ => {}
        }
    }
    found.extend(open.map(|(from, _)| from..text.len()));
    found
}

/// Returns each line with its offset, without its line break.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// Splits `- **Key:** value`, `| Key | value |`, `Key: value` into the key in lower case and where
/// the value is. A key is one to three words.
pub(super) fn key_value(line: &str) -> Option<(String, Range<usize>)> {
    let body_start = line.len()
        - line
            .trim_start_matches(|c: char| {
                c.is_whitespace() || matches!(c, '>' | '-' | '*' | '_' | '+' | '📆')
            })
            .len();
    if let Some(row) = line.trim_start().strip_prefix('|') {
        let row_start = line.len() - row.len();
        let (cell, rest) = row.split_once('|')?;
        let value_start = row_start + cell.len() + 1;
        let value_len = rest.rfind('|')?;
        let key = bare(cell);
        return is_key(&key).then(|| (key, trimmed(line, value_start..value_start + value_len)));
    }
    let colon = body_start + line[body_start..].find(':')?;
    let key = bare(&line[body_start..colon]);
    let mut value_start = colon + 1;
    value_start +=
        line[value_start..].len() - line[value_start..].trim_start_matches(['*', '_']).len();
    is_key(&key).then(|| (key, trimmed(line, value_start..line.len())))
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.split_whitespace().count() <= 3
        && key.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '_'))
}

/// Returns a text in lower case without markup around it.
pub(super) fn bare(text: &str) -> String {
    text.trim()
        .trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '#' | ':') || c.is_whitespace())
        .to_lowercase()
}

pub(super) fn trimmed(line: &str, range: Range<usize>) -> Range<usize> {
    let part = &line[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..(start + part.trim().len())
}

/// Returns the value of the first line that is one of these fields.
pub(super) fn field(text: &str, keys: &[&str]) -> Option<String> {
    lines(text).take(40).find_map(|(_, line)| {
        let (key, value) = key_value(line)?;
        (keys.contains(&key.as_str()) && !value.is_empty()).then(|| line[value].to_owned())
    })
}

/// Returns the text of a heading line: markdown's, or reStructuredText's with its underline next.
pub(super) fn heading<'t>(line: &'t str, next: Option<&str>) -> Option<&'t str> {
    if let Some(rest) = line.strip_prefix('#') {
        let text = rest.trim_start_matches('#');
        return (text.is_empty() || text.starts_with([' ', '\t']))
            .then(|| text.trim().trim_end_matches('#').trim());
    }
    let underline = next?.trim_end();
    let mark = underline.chars().next().filter(|mark| "=-~^*#+\"'`_".contains(*mark))?;
    let underlined = underline.len() >= 3
        && underline.chars().all(|c| c == mark)
        && !line.trim().is_empty()
        && !line.starts_with([' ', '|', '-', '*', '=', '>']);
    underlined.then(|| line.trim())
}

/// Returns the first underlined heading of a text.
pub(super) fn underlined_title(text: &str) -> Option<String> {
    let all: Vec<&str> = text.lines().take(60).collect();
    all.windows(2).find_map(|pair| heading(pair[0], Some(pair[1]))).map(str::to_owned)
}
