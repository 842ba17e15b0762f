//! Reads the entries of a file of decisions or lessons.

use std::collections::HashSet;

use super::body::{self, is_rule};
use super::metadata::{self, Metadata, split_title};
use super::outline::{self, EntryLines};
use crate::Problem;
use crate::document::conflict_marker;
use crate::memory::ids::{assign_numbers_and_ids, find_repeated_ids};
use crate::memory::list_item::split_bullet;
use crate::memory::sections::{self, TextLine, closes_fence, opened_fence};
use crate::memory::{
    EntryField, EntryFields, EntryForm, EntryKind, MemoryEntries, MemoryEntry, comment, escape,
};

/// Reads the entries of a file of decisions or lessons. A file with conflict markers is not read.
pub fn read(path: &str, kind: EntryKind, text: &str) -> MemoryEntries {
    if let Some(problem) = conflict_marker(path, text) {
        return MemoryEntries { entries: vec![], problems: vec![problem] };
    }
    let lines = sections::split_lines(text);
    let mut problems = Vec::new();
    let mut entries: Vec<MemoryEntry> = outline::find_entries(&lines)
        .iter()
        .map(|found| read_entry(path, kind, &lines, found, &mut problems))
        .collect();
    // Two branches that learnt the same leave copies with one id.
    let mut seen = HashSet::new();
    entries.retain(|entry| {
        !entry.has_stored_id() || seen.insert((entry.marks.get("id").cloned(), entry.identity()))
    });
    assign_numbers_and_ids(&mut entries);
    problems.extend(unclosed_code(path, &lines));
    problems.extend(find_repeated_ids(path, &entries));
    problems.sort();
    MemoryEntries { entries, problems }
}

/// Returns a problem if a block of code is open at the end of the text, which hides the entries in it.
pub(super) fn unclosed_code(path: &str, lines: &[TextLine<'_>]) -> Option<Problem> {
    let start = lines.iter().rposition(|line| !line.is_opaque).map_or(0, |index| index + 1);
    let block = &lines[start..];
    let mut fences = block.iter().filter_map(|line| opened_fence(line.text));
    let mark = fences.next().filter(|mark| opened_fence(block[0].text) == Some(*mark))?;
    let is_closed = block[1..].iter().any(|line| closes_fence(line.text, mark));
    let message = "this block of code is not closed, so everything after it is read as code";
    (!is_closed)
        .then(|| Problem::at(path, block[0].number, message).hint(format!("close it with {mark}")))
}

fn read_entry(
    path: &str,
    kind: EntryKind,
    lines: &[TextLine<'_>],
    found: &EntryLines,
    problems: &mut Vec<Problem>,
) -> MemoryEntry {
    let own = &lines[found.lines.clone()];
    let bytes = own[0].bytes.start..own[own.len() - 1].bytes.end;
    let head = match found.is_bullet {
        true => split_bullet(own[0].text).map_or("", |(_, content)| content),
        false => outline::heading_of(&own[0]).map_or("", |(_, title)| title),
    };
    let (head, mut marks) = comment::take_marks(head);
    let dated = split_title(&head);
    let (title, opening) = match found.is_bullet {
        true => split_bold_title(dated.title),
        false => (Some(dated.title), ""),
    };
    let mut details = Details::default();
    let mut invalid_dates: Vec<(usize, String)> = Vec::new();
    let stated = dated.date.iter().map(|date| (own[0].number, (*date).to_owned()));
    let mut dates: Vec<(usize, String)> = stated.collect();
    let body = details.read_lines(own, found.is_bullet, &mut dates);
    for (line, text) in dates {
        match metadata::parse_date(&text) {
            Some(date) => details.date = details.date.or(Some(date)),
            None => invalid_dates.push((line, text)),
        }
    }
    problems.extend(invalid_dates.into_iter().map(|(line, text)| {
        Problem::at(path, line, format!("`{}` is not a day of the calendar", text.escape_default()))
            .hint("write the date as 2026-02-08")
    }));
    let group_date = found.group.date.as_deref().and_then(metadata::parse_date);
    details.date = details.date.or(group_date);
    for (key, value) in details.marks {
        marks.entry(key).or_insert(value);
    }
    let rest = match found.is_bullet {
        true => dedent(body),
        false => body::decode(body),
    };
    let text = [opening, rest.as_str()].join("\n");
    let title = title.map(escape::decode).filter(|title| !title.is_empty());
    let mut fields = EntryFields::new();
    fields.extend(details.date.map(|date| (EntryField::Date, date.to_string())));
    let text = body::normalise(&text);
    let form = match found.is_bullet {
        true => EntryForm::LearningBullet,
        false => EntryForm::LearningHeading,
    };
    MemoryEntry {
        kind,
        number: 0,
        id: String::new(),
        title,
        category: details.category.or_else(|| found.group.category.clone()),
        tags: metadata::unique_tags(details.tags.into_iter()),
        text,
        fields,
        resolved: false,
        resolution: None,
        marks,
        line: own[0].number,
        last_line: own[own.len() - 1].number,
        bytes,
        form,
    }
}

/// Splits `**Title**: text` or `**Title** — text`, else all is text.
fn split_bold_title(content: &str) -> (Option<&str>, &str) {
    let bold = ["**", "__"].into_iter().find_map(|mark| {
        let (title, rest) = content.strip_prefix(mark)?.split_once(mark)?;
        (!title.trim().is_empty()).then_some((title, rest))
    });
    match bold {
        Some((title, rest)) => {
            let title = title.trim().trim_end_matches([':', '.']);
            let rest = rest.trim_start().trim_start_matches([':', '-', '–', '—']).trim();
            (Some(title), rest)
        }
        None => (None, content),
    }
}

/// Joins the further lines of an item of a list without their indentation.
fn dedent(lines: &[TextLine<'_>]) -> String {
    let texts = lines.iter().map(|line| line.text).filter(|text| !text.trim().is_empty());
    let indent = texts.map(|text| text.len() - text.trim_start().len()).min().unwrap_or(0);
    let lines = lines.iter().map(|line| line.text.get(indent..).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// What the lines between the title and the text say.
#[derive(Default)]
struct Details {
    category: Option<String>,
    tags: Vec<String>,
    date: Option<jiff::civil::Date>,
    marks: indexmap::IndexMap<String, String>,
}

impl Details {
    /// Reads the metadata and returns the lines of the text.
    fn read_lines<'l, 't>(
        &mut self,
        own: &'l [TextLine<'t>],
        is_bullet: bool,
        dates: &mut Vec<(usize, String)>,
    ) -> &'l [TextLine<'t>] {
        let is_rule = |line: &TextLine<'_>| !is_bullet && !line.is_opaque && is_rule(line.text);
        let end = own.len() - usize::from(own.last().is_some_and(is_rule) && own.len() > 1);
        let mut start = 1;
        for (index, line) in own.iter().enumerate().take(end).skip(1) {
            let (text, marks) = comment::take_marks(line.text);
            let is_code = line.is_opaque;
            let is_comment = text.starts_with("<!--") && text.ends_with("-->");
            let is_skipped = !is_code && (text.is_empty() || is_comment);
            let stated = metadata::parse(&text).filter(|_| !is_code);
            match stated {
                Some(Metadata::Category(category)) => {
                    let category = Some(category).filter(|category| !category.is_empty());
                    self.category = self.category.take().or(category);
                }
                // A union merge may leave the tags of both branches.
                Some(Metadata::Tags(tags)) => self.tags.extend(tags),
                Some(Metadata::Date(text)) => dates.push((line.number, text)),
                None if is_skipped => {}
                None => break,
            }
            self.marks.extend(marks);
            start = index + 1;
        }
        &own[start..end.max(start)]
    }
}
