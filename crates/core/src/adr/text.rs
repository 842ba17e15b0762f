//! Lines, headings and fields of a record's text.

use std::ops::Range;

use crate::frontmatter;

/// Fields of the record itself are within this many lines from the start.
const MAX_FIELD_LINES: usize = 40;

/// An underlined title is within this many lines from the start.
const MAX_TITLE_LINES: usize = 60;

/// Replaces HTML comments, fenced code and struck-out text by spaces, so that byte offsets and lines
/// stay the same.
pub(super) fn visible(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut blank = |range: Range<usize>| {
        bytes[range]
            .iter_mut()
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b' ');
    };
    // In the front matter, `<!--` does not open a comment.
    let body = frontmatter::body_start(text);
    let comments = between(&text[body..], "<!--", "-->");
    let comments = comments.into_iter().map(|range| range.start + body..range.end + body);
    for range in comments.chain(fenced_blocks(text)).chain(struck_out(text)) {
        blank(range);
    }
    // Only whole characters were replaced, so the text is still UTF-8.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the ranges from each `open` to the next `close`, or to the end of the text.
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

fn struck_out(text: &str) -> Vec<Range<usize>> {
    between(text, "~~", "~~")
        .into_iter()
        .filter(|range| !text[range.clone()].contains('\n') && range.len() > 4)
        .collect()
}

fn fenced_blocks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(usize, &str)> = None;
    for (start, line) in lines(text) {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some((start, mark)),
            (Some((from, open_mark)), Some(mark)) if open_mark == mark => {
                found.push(from..start + line.len());
                open = None;
            }
            _ => {}
        }
    }
    found.extend(open.map(|(from, _)| from..text.len()));
    found
}

/// Returns each line with its byte offset, without its line break.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// Splits `Key: value`, `- **Key:** value` or `| Key | value |` into the key in lower case and the byte
/// range of the value. A key has one to three words.
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
        let key = plain(cell);
        return is_key(&key).then(|| (key, trim_range(line, value_start..value_start + value_len)));
    }
    let colon = body_start + line[body_start..].find(':')?;
    let key = plain(&line[body_start..colon]);
    let mut value_start = colon + 1;
    value_start +=
        line[value_start..].len() - line[value_start..].trim_start_matches(['*', '_']).len();
    is_key(&key).then(|| (key, trim_range(line, value_start..line.len())))
}

fn is_key(key: &str) -> bool {
    !key.is_empty()
        && key.split_whitespace().count() <= 3
        && key.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '_'))
}

/// Returns a text in lower case without the markup around it.
pub(super) fn plain(text: &str) -> String {
    text.trim()
        .trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '#' | ':') || c.is_whitespace())
        .to_lowercase()
}

/// Narrows a range of a line to exclude white space at both ends.
pub(super) fn trim_range(line: &str, range: Range<usize>) -> Range<usize> {
    let part = &line[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..(start + part.trim().len())
}

/// Returns the value of the first of these fields near the start of a text.
pub(super) fn field(text: &str, keys: &[&str]) -> Option<String> {
    lines(text).take(MAX_FIELD_LINES).find_map(|(_, line)| {
        let (key, value) = key_value(line)?;
        (keys.contains(&key.as_str()) && !value.is_empty()).then(|| line[value].to_owned())
    })
}

/// Returns the text of a heading: a markdown line with `#`, or a line that `next` underlines.
pub(super) fn heading<'t>(line: &'t str, next: Option<&str>) -> Option<&'t str> {
    if let Some(rest) = line.strip_prefix('#') {
        let text = rest.trim_start_matches('#');
        return (text.is_empty() || text.starts_with([' ', '\t']))
            .then(|| text.trim().trim_end_matches('#').trim());
    }
    let underline = next?.trim_end();
    let mark = underline.chars().next().filter(|mark| "=-~^*#+\"'`_".contains(*mark))?;
    let is_underlined = underline.len() >= 3
        && underline.chars().all(|c| c == mark)
        && !line.trim().is_empty()
        && !line.starts_with([' ', '|', '-', '*', '=', '>']);
    is_underlined.then(|| line.trim())
}

/// Returns the first underlined heading near the start of a text.
pub(super) fn underlined_title(text: &str) -> Option<String> {
    let first_lines: Vec<&str> = text.lines().take(MAX_TITLE_LINES).collect();
    first_lines.windows(2).find_map(|pair| heading(pair[0], Some(pair[1]))).map(str::to_owned)
}
