//! One line of an entry: its marker, its box, its text, what is said of it, its comment.

use std::ops::Range;

use indexmap::IndexMap;
use jiff::civil::Date;

use super::escape::{decode, encode, encode_field};
use super::{Field, Fields, NewEntry};

/// Returns a bullet's marker with the spaces around it, and what follows it.
pub(super) fn bullet(line: &str) -> Option<(&str, &str)> {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    if indent > 3 {
        return None;
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let marker = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = &text[marker..];
    let content = rest.trim_start_matches([' ', '\t']);
    let is_break = digits == 0 && is_thematic_break(text);
    ((rest.is_empty() || content.len() < rest.len()) && !is_break)
        .then(|| line.split_at(line.len() - content.len()))
}

fn is_thematic_break(text: &str) -> bool {
    let marks = text.chars().filter(|c| !c.is_whitespace()).count();
    let first = text.chars().next();
    marks >= 3 && text.chars().all(|c| c.is_whitespace() || Some(c) == first)
}

/// What a bullet says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) fields: Fields,
    pub(super) resolved: bool,
    pub(super) resolution: Option<String>,
    pub(super) marks: IndexMap<String, String>,
}

/// Reads what follows a bullet's marker.
pub(super) fn read(content: &str) -> Said {
    let (content, marks) = take_comment(content);
    let (resolved, content) = take_box(&content);
    let struck = content.strip_prefix("~~").and_then(|rest| rest.split_once("~~"));
    let (text, resolution) = match struck {
        Some((text, rest)) => {
            let rest = rest.trim();
            let (rest, fields) = take_fields(rest);
            let how = rest.trim().trim_start_matches(['—', '–', '-', ':']).trim();
            let resolution = (!how.is_empty()).then(|| decode(how));
            let (text, more) = take_fields(text);
            let fields: Fields = more.into_iter().chain(fields).collect();
            return Said { text: decode(text), fields, resolved: true, resolution, marks };
        }
        None if resolved => match content.rsplit_once(" — ") {
            Some((text, how)) => (text, Some(decode(how.trim()))),
            None => (content, None),
        },
        None => (content, None),
    };
    let (text, fields) = take_fields(text);
    Said { text: decode(text), fields, resolved, resolution, marks }
}

fn take_box(content: &str) -> (bool, &str) {
    for (mark, resolved) in [("[ ]", false), ("[x]", true), ("[X]", true)] {
        if let Some(rest) = content.strip_prefix(mark)
            && (rest.is_empty() || rest.starts_with([' ', '\t']))
        {
            return (resolved, rest.trim_start());
        }
    }
    (false, content)
}

/// Takes the comments that hold an entry's marks out of a text. A mark that two comments set has the
/// value of the comment that [`comment`] returns.
pub(super) fn take_comment(content: &str) -> (String, IndexMap<String, String>) {
    let Some(main) = comment(content) else {
        return (content.trim().to_owned(), IndexMap::new());
    };
    let mut marks = IndexMap::new();
    let comments = mark_comments(content);
    let others = comments.iter().filter(|range| (range.start, range.end) != main);
    for range in std::iter::once(&(main.0..main.1)).chain(others) {
        for (key, value) in marks_of(inside(content, range)) {
            marks.entry(key).or_insert(value);
        }
    }
    (without(content, &comments), marks)
}

/// Returns a text without some of its comments.
fn without(content: &str, comments: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(content.len());
    let mut at = 0;
    for range in comments {
        text.push_str(content[at..range.start].trim_end());
        text.push(' ');
        at = range.end + content[range.end..].len() - content[range.end..].trim_start().len();
    }
    text.push_str(&content[at..]);
    text.trim().to_owned()
}

/// Reads the marks of a comment: `id:… added:…`, or a day alone.
fn marks_of(inside: &str) -> Vec<(String, String)> {
    if is_day(inside) {
        return vec![(ADDED.to_owned(), inside.trim().to_owned())];
    }
    let words = inside.split_whitespace().filter_map(|word| word.split_once(':'));
    words.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Returns whether a comment holds a day and nothing else, as in `<!-- 2026-02-20 -->`.
fn is_day(inside: &str) -> bool {
    let inside = inside.trim();
    inside.len() == "2026-02-20".len() && inside.parse::<Date>().is_ok()
}

/// Returns the bytes of the comments that hold an entry's marks.
pub(super) fn mark_comments(content: &str) -> Vec<Range<usize>> {
    let is_mark = |range: &Range<usize>| {
        let inside = inside(content, range).trim_start();
        inside.starts_with("id:") || inside.starts_with("added:") || is_day(inside)
    };
    comments(content).into_iter().filter(is_mark).collect()
}

/// Returns the bytes of every comment of a text.
fn comments(content: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = content[from..].find("<!--").map(|at| from + at) {
        let Some(length) = content[start..].find("-->") else { break };
        from = start + length + 3;
        found.push(start..from);
    }
    found
}

/// Returns what a comment says; `<!-->` is one too.
fn inside<'t>(text: &'t str, comment: &Range<usize>) -> &'t str {
    let start = comment.start + 4;
    &text[start..start.max(comment.end - 3)]
}

/// Returns the bytes of the comment that new marks are written to: the one that holds the id, else
/// the first that holds the day.
pub(super) fn comment(content: &str) -> Option<(usize, usize)> {
    let all = mark_comments(content);
    let has_id = |range: &&Range<usize>| inside(content, range).trim_start().starts_with("id:");
    let main = all.iter().find(has_id).or(all.first())?;
    Some((main.start, main.end))
}

/// The mark that holds the day on which Heirloom wrote an entry.
pub(super) const ADDED: &str = "added";

/// The keys with which a comment of Heirloom's own begins.
const MARKER_KEYS: [&str; 5] = ["id", "session", "from", "promoted", ADDED];

/// Returns the bytes of every comment of Heirloom's own in a line, with the spaces before it.
pub(super) fn marker_comments(line: &str) -> Vec<Range<usize>> {
    // Outside entries, a day in a comment is a person's own.
    let may_be_entry = bullet(line).is_some() || line.trim_start().starts_with('|');
    let is_marker = |range: &Range<usize>| {
        let inside = inside(line, range);
        let key = inside.trim_start().split(':').next().unwrap_or_default();
        MARKER_KEYS.contains(&key) || (may_be_entry && is_day(inside))
    };
    let with_spaces =
        |range: Range<usize>| line[..range.start].trim_end_matches([' ', '\t']).len()..range.end;
    comments(line).into_iter().filter(is_marker).map(with_spaces).collect()
}

/// Writes the comment that holds an id.
pub(super) fn write_comment(marks: &IndexMap<String, String>) -> String {
    let marks: Vec<String> = marks.iter().map(|(key, value)| format!("{key}:{value}")).collect();
    if marks.is_empty() { String::new() } else { format!(" <!-- {} -->", marks.join(" ")) }
}

/// Takes what is said of a bullet off its end: `(date: 2026-02-22 · found by: 001)`.
fn take_fields(text: &str) -> (&str, Fields) {
    let none = (text, Fields::new());
    let Some(inside) = text.strip_suffix(')') else { return none };
    let Some(start) = inside.rfind('(') else { return none };
    if start > 0 && !inside[..start].ends_with(' ') {
        return none;
    }
    let mut fields = Fields::new();
    for part in inside[start + 1..].split(" · ") {
        let known = part.split_once(": ").and_then(|(word, value)| {
            let field = Field::ALL.into_iter().find(|field| field.word() == word)?;
            Some((field, decode(value.trim())))
        });
        let Some((field, value)) = known else { return none };
        fields.insert(field, value);
    }
    (text[..start].trim_end(), fields)
}

/// Writes what is said of a bullet.
fn write_fields(fields: &Fields) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(field, value)| format!("{}: {}", field.word(), encode_field(value)))
        .collect();
    if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(" · ")) }
}

/// Writes a text so that nothing at its end is taken for what is said of it.
fn write_text(text: &str) -> String {
    let written = encode(text.trim());
    match written.rfind('(') {
        Some(at) if !take_fields(&written).1.is_empty() => {
            format!("{}&#40;{}", &written[..at], &written[at + 1..])
        }
        _ => written,
    }
}

/// Writes what follows a bullet's marker.
pub(super) fn write(entry: &NewEntry<'_>) -> String {
    let text = write_text(entry.text);
    let fields = write_fields(&entry.fields);
    let comment = write_comment(&entry.marks);
    match (entry.kind.is_task(), entry.resolved) {
        (_, true) => format!("[x] ~~{text}~~{fields}{comment}"),
        (true, false) => format!("[ ] {text}{fields}{comment}"),
        (false, false) => format!("{text}{fields}{comment}"),
    }
}
