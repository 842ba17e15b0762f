//! HTML comments in which Heirloom stores marks (id, date, origin) beside an entry.

use std::ops::Range;

use indexmap::IndexMap;
use jiff::civil::Date;

use super::list_item::split_bullet;

/// Splits the comments with marks off a text. If two comments set the same mark, the one that [`main_comment`] returns
/// wins.
pub(super) fn take_marks(content: &str) -> (String, IndexMap<String, String>) {
    let Some(main) = main_comment(content) else {
        return (content.trim().to_owned(), IndexMap::new());
    };
    let mut marks = IndexMap::new();
    let comments = entry_mark_comments(content);
    let others = comments.iter().filter(|range| **range != main);
    for range in std::iter::once(&main).chain(others) {
        for (key, value) in parse_marks(inside(content, range)) {
            marks.entry(key).or_insert(value);
        }
    }
    (remove_comments(content, &comments), marks)
}

/// Returns a text without the given comments.
fn remove_comments(content: &str, comments: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(content.len());
    let mut offset = 0;
    for range in comments {
        text.push_str(content[offset..range.start].trim_end());
        text.push(' ');
        offset = range.end + content[range.end..].len() - content[range.end..].trim_start().len();
    }
    text.push_str(&content[offset..]);
    text.trim().to_owned()
}

/// Parses the marks of a comment: `id:… added:…`, or a day alone.
fn parse_marks(inside: &str) -> Vec<(String, String)> {
    if is_day(inside) {
        return vec![(ADDED.to_owned(), inside.trim().to_owned())];
    }
    let words = inside.split_whitespace().filter_map(|word| word.split_once(':'));
    // An empty id is no id.
    let words = words.filter(|word| *word != ("id", ""));
    words.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Returns whether a comment consists of a day, as in `<!-- 2026-02-20 -->`.
fn is_day(inside: &str) -> bool {
    let inside = inside.trim();
    inside.len() == "2026-02-20".len() && inside.parse::<Date>().is_ok()
}

/// Returns the byte ranges of the comments with marks of an entry.
pub(super) fn entry_mark_comments(content: &str) -> Vec<Range<usize>> {
    let is_mark = |range: &Range<usize>| {
        let inside = inside(content, range).trim_start();
        inside.starts_with("id:") || inside.starts_with("added:") || is_day(inside)
    };
    comments(content).into_iter().filter(is_mark).collect()
}

/// Returns the byte ranges of all comments in a text.
fn comments(content: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = content[from..].find("<!--").map(|offset| from + offset) {
        let Some(length) = content[start..].find("-->") else { break };
        from = start + length + 3;
        found.push(start..from);
    }
    found
}

/// Returns the text inside of a comment, which is empty for `<!-->`.
fn inside<'t>(text: &'t str, comment: &Range<usize>) -> &'t str {
    let start = comment.start + 4;
    &text[start..start.max(comment.end - 3)]
}

/// Returns the byte range of the comment that new marks are written to: the one with the id, else the first one.
pub(super) fn main_comment(content: &str) -> Option<Range<usize>> {
    let all = entry_mark_comments(content);
    let has_id = |range: &&Range<usize>| inside(content, range).trim_start().starts_with("id:");
    all.iter().find(has_id).or(all.first()).cloned()
}

/// The mark with the day on which Heirloom added an entry.
pub(super) const ADDED: &str = "added";

/// The keys that a comment by Heirloom can start with.
const MARKER_KEYS: [&str; 5] = ["id", "session", "from", "promoted", ADDED];

/// Returns the byte ranges of all comments by Heirloom in a line, including the spaces before them.
pub(super) fn marker_comments(line: &str) -> Vec<Range<usize>> {
    // Outside of entries, a comment with a day was written by a person.
    let may_be_entry = split_bullet(line).is_some() || line.trim_start().starts_with('|');
    let is_marker = |range: &Range<usize>| {
        let inside = inside(line, range);
        let key = inside.trim_start().split(':').next().unwrap_or_default();
        MARKER_KEYS.contains(&key) || (may_be_entry && is_day(inside))
    };
    let with_spaces =
        |range: Range<usize>| line[..range.start].trim_end_matches([' ', '\t']).len()..range.end;
    comments(line).into_iter().filter(is_marker).map(with_spaces).collect()
}

/// Writes the comment with the marks of an entry.
pub(super) fn write_comment(marks: &IndexMap<String, String>) -> String {
    let marks: Vec<String> = marks.iter().map(|(key, value)| format!("{key}:{value}")).collect();
    if marks.is_empty() { String::new() } else { format!(" <!-- {} -->", marks.join(" ")) }
}
