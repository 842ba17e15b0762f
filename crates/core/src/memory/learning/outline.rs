//! Finds where the entries of a file of decisions or lessons begin and end.

use std::collections::BTreeSet;
use std::ops::Range;

use super::body::is_rule;
use super::metadata::{self, split_title};
use crate::memory::bullet_lines::bullet_end;
use crate::memory::list_item::split_bullet;
use crate::memory::sections::{TextLine, kind_of, raw_heading_of};

/// The lines of one entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EntryLines {
    /// The indices of its lines, the one with its title first, without blank lines at the end.
    pub(super) lines: Range<usize>,
    /// Whether it is an item of a list.
    pub(super) is_bullet: bool,
    /// What the headings above it say about it.
    pub(super) group: Group,
}

/// What a heading says about the entries below it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Group {
    /// Their category.
    pub(super) category: Option<String>,
    /// Their date.
    pub(super) date: Option<String>,
}

/// A heading, with the lines that belong to it.
struct Heading<'t> {
    level: usize,
    title: &'t str,
    /// The index of its line.
    line: usize,
    /// The index after its own lines, which end at the next heading.
    own_end: usize,
    /// The position among all headings after those below it.
    next: usize,
    /// Whether it is the title of the document.
    is_title: bool,
    /// Whether it has a date, a category or tags, as only entries have.
    is_certain: bool,
}

/// Titles of parts of one decision or lesson, in lower case.
const PART_TITLES: [&str; 16] = [
    "alternatives",
    "background",
    "cause",
    "consequences",
    "context",
    "decision",
    "details",
    "fix",
    "impact",
    "options",
    "problem",
    "rationale",
    "root cause",
    "solution",
    "status",
    "why",
];

/// The most words of a heading that names a category of entries.
const CATEGORY_MAX_WORDS: usize = 2;

/// Finds the entries, in the order of the lines.
pub(super) fn find_entries(lines: &[TextLine<'_>]) -> Vec<EntryLines> {
    let headings = find_headings(lines);
    let levels: BTreeSet<usize> =
        headings.iter().filter(|heading| heading.is_certain).map(|heading| heading.level).collect();
    let has_dated_bullets = lines.iter().any(is_dated_bullet);
    let is_entry = |at: usize| {
        let heading = &headings[at];
        let below = &headings[at + 1..heading.next];
        if heading.is_certain {
            return true;
        }
        let has_text = heading.has_text(lines) || !below.is_empty();
        if !levels.is_empty() || has_dated_bullets {
            let is_of_level = levels.contains(&heading.level);
            return has_text && is_of_level && !below.iter().any(|inner| inner.is_certain);
        }
        let is_known_title = kind_of(heading.title).is_some();
        let is_group =
            !heading.has_text(lines) && below.first().is_some_and(|inner| !inner.is_part());
        let is_list = below.is_empty() && heading.group().is_some() && heading.is_list(lines);
        has_text && !heading.is_title && !is_known_title && !is_group && !is_list
    };
    let mut entries = Vec::new();
    let mut lists = vec![(0..headings.first().map_or(lines.len(), |heading| heading.line), None)];
    let mut groups: Vec<(usize, Group)> = Vec::new();
    let mut at = 0;
    while let Some(heading) = headings.get(at) {
        groups.retain(|(level, _)| *level < heading.level);
        let group = groups.last().map(|(_, group)| group.clone()).unwrap_or_default();
        if !is_entry(at) {
            let own = heading.group();
            let known = own.clone().unwrap_or_default();
            let group = Group {
                category: known.category.or(group.category),
                date: known.date.or(group.date),
            };
            lists.push((heading.line + 1..heading.own_end, own.map(|_| group.clone())));
            groups.push((heading.level, group));
            at += 1;
            continue;
        }
        let next = (at + 1..heading.next).find(|below| headings[*below].is_certain);
        let next = next.unwrap_or(heading.next);
        let limit = headings.get(next).map_or(lines.len(), |next| next.line);
        let end = end_of_entry(lines, heading.line, limit);
        entries.push(EntryLines { lines: heading.line..end, is_bullet: false, group });
        // What follows the rule is no part of the entry, but may hold a list.
        lists.push((end..limit, None));
        at = next;
    }
    let has_headings = !entries.is_empty();
    for (range, group) in lists {
        let is_dated = lines[range.clone()].iter().any(is_dated_bullet);
        if is_dated || group.is_some() || !(has_headings || has_dated_bullets) {
            add_bullets(lines, range, &group.unwrap_or_default(), &mut entries);
        }
    }
    entries.sort_by_key(|entry| entry.lines.start);
    entries
}

fn find_headings<'t>(lines: &[TextLine<'t>]) -> Vec<Heading<'t>> {
    let found: Vec<(usize, usize, &str)> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| {
            let (level, title) = heading_of(line)?;
            Some((index, level, title))
        })
        .collect();
    let heading = |(at, (line, level, title)): (usize, &(usize, usize, &'t str))| {
        let following = &found[at + 1..];
        let own_end = following.first().map_or(lines.len(), |(next, _, _)| *next);
        let below = following.iter().take_while(|(_, other, _)| other > level).count();
        let has_metadata = first_text(lines, line + 1..own_end).is_some_and(is_metadata);
        let dated = split_title(title);
        let is_dated = dated.date.is_some() && !dated.title.is_empty();
        let is_title = at == 0 && *level == 1 && following.iter().all(|(_, other, _)| *other > 1);
        Heading {
            level: *level,
            title,
            line: *line,
            own_end,
            next: at + 1 + below,
            is_title,
            is_certain: (is_dated || has_metadata) && !(is_title && below > 0),
        }
    };
    found.iter().enumerate().map(heading).collect()
}

/// Returns the level and the title of a heading. A title keeps a `#` that belongs to its last word: `Use C#`.
pub(super) fn heading_of<'t>(line: &TextLine<'t>) -> Option<(usize, &'t str)> {
    let (level, title) = raw_heading_of(line)?;
    let open = title.trim_end_matches('#');
    let is_closed = open.is_empty() || open.ends_with([' ', '\t']);
    Some((level, if is_closed { open.trim_end() } else { title }))
}

impl Heading<'_> {
    fn has_text(&self, lines: &[TextLine<'_>]) -> bool {
        first_text(lines, self.line + 1..self.own_end).is_some()
    }

    /// Returns whether its text is a list and nothing else.
    fn is_list(&self, lines: &[TextLine<'_>]) -> bool {
        let mut index = self.line + 1;
        while index < self.own_end {
            if is_bullet(&lines[index]) {
                index = bullet_end(lines, index, self.own_end);
            } else if lines[index].text.trim().is_empty() {
                index += 1;
            } else {
                return false;
            }
        }
        true
    }

    /// Returns what it says about the entries below it, if it is a category or a date.
    fn group(&self) -> Option<Group> {
        let dated = split_title(self.title);
        if let Some(date) = dated.date.filter(|_| dated.title.is_empty()) {
            return Some(Group { category: None, date: Some(date.to_owned()) });
        }
        let words = self.title.split_whitespace().count();
        let has_digit = self.title.contains(|c: char| c.is_ascii_digit());
        let is_category = (1..=CATEGORY_MAX_WORDS).contains(&words)
            && self.level > 1
            && !has_digit
            && kind_of(self.title).is_none();
        is_category.then(|| Group { category: Some(self.title.to_lowercase()), date: None })
    }

    /// Returns whether it is a part of one decision or lesson.
    fn is_part(&self) -> bool {
        let title = self.title.trim_end_matches(':').to_lowercase();
        PART_TITLES.contains(&title.as_str())
    }
}

/// Returns the first line that is not blank and no comment.
fn first_text<'l, 't>(lines: &'l [TextLine<'t>], range: Range<usize>) -> Option<&'l TextLine<'t>> {
    let says_something = |line: &&TextLine<'_>| {
        let text = line.text.trim();
        let is_comment = text.starts_with("<!--") && text.ends_with("-->");
        !text.is_empty() && !is_comment
    };
    lines[range].iter().find(says_something)
}

fn is_metadata(line: &TextLine<'_>) -> bool {
    !line.is_opaque && metadata::parse(line.text).is_some()
}

/// Returns whether a line begins an item of a list that is not part of another one.
fn is_bullet(line: &TextLine<'_>) -> bool {
    !line.is_opaque && !line.text.starts_with([' ', '\t']) && split_bullet(line.text).is_some()
}

fn is_dated_bullet(line: &TextLine<'_>) -> bool {
    let content = split_bullet(line.text).filter(|_| is_bullet(line));
    content.is_some_and(|(_, content)| {
        // The date of an item that states a sentence stands before it.
        let title = split_title(content);
        title.date.is_some() && !content.starts_with(title.title)
    })
}

/// Returns the index after the last line of an entry that begins with a heading: a rule, or the last line that is not
/// blank.
fn end_of_entry(lines: &[TextLine<'_>], heading: usize, limit: usize) -> usize {
    let is_rule = |line: &TextLine<'_>| !line.is_opaque && is_rule(line.text);
    let rule = (heading + 1..limit).find(|index| is_rule(&lines[*index]));
    let last = lines[heading..limit].iter().rposition(|line| !line.text.trim().is_empty());
    rule.map_or(heading + last.unwrap_or(0), |rule| rule) + 1
}

/// Adds the items of a list as entries.
fn add_bullets(
    lines: &[TextLine<'_>],
    range: Range<usize>,
    group: &Group,
    entries: &mut Vec<EntryLines>,
) {
    let mut index = range.start;
    while index < range.end {
        if !is_bullet(&lines[index]) {
            index += 1;
            continue;
        }
        let end = bullet_end(lines, index, range.end);
        entries.push(EntryLines { lines: index..end, is_bullet: true, group: group.clone() });
        index = end;
    }
}
