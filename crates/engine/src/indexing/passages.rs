//! What documents hold that can be recalled: the entries of memory, and the sections of the rest.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use heirloom_core::adr::{self, Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::memory::Entry;
use heirloom_core::recall::{DocumentPart, Passage, mark};
use heirloom_core::{Document, Problem, day};
use heirloom_store::layout::{Part, Placed};
use jiff::civil::Date;

use crate::workspace::catalog;
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;
use crate::workspace::template;

/// A section of more words is cut at its paragraphs.
const SECTION_MAX_WORDS: usize = 160;

/// What a document is, beside its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentClass {
    /// A document of a level.
    OfLevel,
    /// A decision record.
    Adr,
    /// A document that was put away.
    Archived,
}

/// Returns the date that a document states.
pub(super) fn stated_date(document: &Document) -> Option<Date> {
    let mut keys = ["updated", "date", "created"].iter();
    keys.find_map(|key| document.field(key).and_then(day::parse))
}

/// What a document holds, read but not dated.
pub(super) enum Content {
    /// The entries of a memory document, and what could not be read of it.
    Entries(Box<MemoryDocument>, Vec<Problem>),
    /// The sections of any other.
    Sections(Box<Sections>),
}

/// A document that is cut at its headings.
pub(super) struct Sections {
    placed: Placed,
    class: DocumentClass,
    /// What it was cut into, template text left out.
    parts: Vec<Section>,
    /// What it says as a decision record.
    pub(super) adr: Option<Adr>,
}

impl Sections {
    /// Reads a document.
    pub(super) fn of(placed: Placed, class: DocumentClass) -> Self {
        let is_record = class == DocumentClass::Adr;
        let adr = is_record.then(|| adr::read_document(&placed.document, &placed.text));
        let mut parts = match has_entries(&placed, class) {
            true => vec![],
            false => sections(&placed.document),
        };
        parts.retain(|part| {
            let title = placed.document.title.as_deref().unwrap_or_default();
            let says_nothing_more = is_record && states_status_or_date(part, title);
            !says_nothing_more && !template::is_untouched(&part.text)
        });
        Sections { placed, class, parts, adr }
    }

    /// Returns whether it states no date.
    pub(super) fn is_undated(&self) -> bool {
        stated_date(&self.placed.document).is_none()
    }

    /// Returns its passages, and what could not be read of it. `date` is that of its file, in case
    /// that it states none; `is_replaced` says whether another decision record replaced this one.
    pub(super) fn passages(
        &self,
        date: Option<Date>,
        is_replaced: bool,
    ) -> (Vec<Passage>, Vec<Problem>) {
        let problems = self.placed.document.problems.clone();
        (of_sections(self, date, is_replaced), problems)
    }
}

impl Content {
    /// Takes a document that was read.
    pub(super) fn of(sections: Sections, dates: &Rc<EntryDates>) -> Self {
        if !has_entries(&sections.placed, sections.class) {
            return Content::Sections(Box::new(sections));
        }
        let mut problems = sections.placed.document.problems.clone();
        let noted = MemoryDocument::of(sections.placed, dates);
        problems.extend(noted.notebook.problems.iter().cloned());
        Content::Entries(Box::new(noted), problems)
    }

    /// Returns its text.
    pub(super) fn text(&self) -> &str {
        match self {
            Content::Entries(noted, _) => &noted.text,
            Content::Sections(sections) => &sections.placed.text,
        }
    }

    /// Returns the memory document that it is.
    pub(super) fn noted(&self) -> Option<&MemoryDocument> {
        match self {
            Content::Entries(noted, _) => Some(noted),
            Content::Sections(_) => None,
        }
    }

    /// Returns the other document that it is.
    pub(super) fn sections(&self) -> Option<&Sections> {
        match self {
            Content::Entries(..) => None,
            Content::Sections(sections) => Some(sections),
        }
    }

    /// Returns whether it needs a date that is not written in it.
    pub(super) fn is_undated(&self) -> bool {
        match self {
            Content::Entries(noted, _) => noted.has_undated(),
            Content::Sections(sections) => sections.is_undated(),
        }
    }
}

/// Returns whether a part of a decision record says nothing but its status or its date: every part is
/// shown with these.
fn states_status_or_date(part: &Section, title: &str) -> bool {
    let text = part.text.trim_start_matches(['>', ' ']);
    match part.heading.as_str() {
        heading if heading.eq_ignore_ascii_case("status") => text.split_whitespace().count() == 1,
        heading if heading.is_empty() || heading == title => {
            let date = text.strip_prefix("Date:").map(str::trim);
            date.is_some_and(|date| day::parse(date).is_some())
        }
        _ => false,
    }
}

/// Returns whether a document is read entry by entry.
fn has_entries(placed: &Placed, class: DocumentClass) -> bool {
    placed.part == Part::Memory && class != DocumentClass::Archived
}

/// Returns the passages of a memory document.
pub(super) fn of_entries(noted: &MemoryDocument) -> Vec<Passage> {
    let entries = noted.notebook.entries.iter();
    let mut passages: Vec<Passage> = entries.map(|entry| of_entry(noted, entry)).collect();
    // An entry may have been copied together with its id.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for passage in &mut passages {
        let times = seen.entry(passage.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            passage.name = format!("{}+{times}", passage.name);
        }
    }
    passages
}

fn of_entry(noted: &MemoryDocument, entry: &Entry) -> Passage {
    let part = DocumentPart {
        id: entry.id.clone(),
        kind: entry.kind.word().to_owned(),
        text: entry.sentence(),
        by: noted.owner().unwrap_or_default().to_owned(),
        date: noted.since(entry),
        path: noted.path.clone(),
        line: entry.line,
        resolved: entry.resolved,
        ..DocumentPart::default()
    };
    let subject = entry_ref(&entry.id);
    let mut marks = vec![mark("kind", &part.kind).into(), mark("level", &noted.level).into()];
    marks.extend(noted.selectors.iter().map(|(level, name)| mark(level, name).into()));
    Passage {
        name: format!("{subject}@{}", noted.path),
        own_subject: Some(subject),
        text: part.text.clone(),
        title: None,
        summary: None,
        marks,
        group: Some(format!("document:{}", noted.path)),
        position: i64::try_from(entry.line).unwrap_or_default(),
        day: part.date,
        confidence: None,
        repeats: entry.marks.get("promoted").map(|to| entry_ref(to)),
        standing: Standing::Active,
        part: Some(part),
    }
}

/// A part of a document under one heading.
struct Section {
    heading: String,
    line: usize,
    text: String,
}

fn of_sections(
    Sections { placed, class, parts, adr }: &Sections,
    date: Option<Date>,
    is_replaced: bool,
) -> Vec<Passage> {
    let document = &placed.document;
    let kind = match (class, placed.part) {
        (DocumentClass::Adr, _) => "adr",
        (DocumentClass::Archived, _) => "document",
        (DocumentClass::OfLevel, Part::Main) => placed.level.as_str(),
        (DocumentClass::OfLevel, _) => "context",
    };
    let project = placed.selectors.get("project").map(String::as_str);
    let (standing, called) = match (class, adr) {
        (DocumentClass::Archived, _) => (Standing::Archived, None),
        (_, None) => (Standing::Active, Some(catalog::id_of(placed))),
        (_, Some(adr)) => {
            let standing = match is_replaced || adr.status.is_retired() {
                true => Standing::Superseded,
                false => Standing::Active,
            };
            (standing, Some(catalog::id_of_record(&adr.id, project)))
        }
    };
    let title = match adr {
        Some(adr) => format!("{}: {}", adr.id, adr.title),
        None => document.title.clone().unwrap_or_else(|| document.path.clone()),
    };
    let date = stated_date(document).or(date);
    let mut passages = Vec::new();
    // A plan and a decision record have a title of their own, even if nothing else was written.
    let is_named = adr.is_some() || placed.part == Part::Main && !placed.selectors.is_empty();
    let title_alone = [Section { heading: String::new(), line: 1, text: String::new() }];
    let parts = match parts.is_empty() && document.title.is_some() && is_named {
        true => title_alone.as_slice(),
        false => parts,
    };
    for (at, section) in parts.iter().enumerate() {
        let said = match section.heading.as_str() {
            _ if section.text.is_empty() => title.clone(),
            "" => format!("{title}: {}", section.text),
            heading if heading == title => format!("{title}: {}", section.text),
            heading => format!("{title} › {heading}: {}", section.text),
        };
        let name = format!("document:{}#{}", document.path, at + 1);
        let part = DocumentPart {
            id: name.clone(),
            kind: kind.to_owned(),
            text: said.clone(),
            date,
            path: document.path.clone(),
            line: section.line,
            tags: document.field_list("tags"),
            status: adr.as_ref().map(stated_status),
            standing,
            ..DocumentPart::default()
        };
        let mut marks = vec![mark("kind", kind).into()];
        marks.extend(placed.selectors.iter().map(|(level, name)| mark(level, name).into()));
        marks.extend(part.tags.iter().map(|tag| mark("tag", tag).into()));
        passages.push(Passage {
            own_subject: called.as_ref().map(|id| format!("doc:{id}")),
            name,
            text: said,
            title: Some(section.heading.clone()).filter(|heading| !heading.is_empty()),
            summary: None,
            marks,
            group: Some(format!("document:{}", document.path)),
            position: i64::try_from(at).unwrap_or_default(),
            day: date,
            confidence: None,
            repeats: None,
            standing,
            part: Some(part),
        });
    }
    passages
}

/// Returns the status of a decision record as it is shown.
fn stated_status(adr: &Adr) -> String {
    match &adr.unknown_status {
        Some(stated) => stated.to_lowercase(),
        None if adr.status == Status::Unknown => "no status".to_owned(),
        None => adr.status.word().to_owned(),
    }
}

/// Cuts a document at its headings, and long parts at their paragraphs.
fn sections(document: &Document) -> Vec<Section> {
    let mut sections = Vec::new();
    for part in document.sections() {
        let heading = part.heading.map_or("", |heading| heading.text.as_str());
        cut(heading, document.prose_line, part.start, &part.lines, &mut sections);
    }
    sections
}

fn cut(heading: &str, offset: usize, start: usize, lines: &[&str], sections: &mut Vec<Section>) {
    let mut text = String::new();
    let mut words = 0;
    let mut first = None;
    let mut flush = |text: &mut String, first: &mut Option<usize>| {
        let said = text.trim();
        if !said.is_empty() {
            let line = offset + first.unwrap_or(start);
            sections.push(Section { heading: heading.to_owned(), line, text: said.to_owned() });
        }
        text.clear();
        *first = None;
    };
    for (at, line) in without_comments(lines).iter().enumerate() {
        let in_line = line.split_whitespace().count();
        if in_line == 0 && words >= SECTION_MAX_WORDS {
            flush(&mut text, &mut first);
            words = 0;
            continue;
        }
        if first.is_none() && in_line > 0 {
            first = Some(start + at);
        }
        words += in_line;
        text.push_str(line);
        text.push('\n');
    }
    flush(&mut text, &mut first);
}

/// Takes HTML comments out of lines, which a reader does not see: those that begin a line. Blocks of
/// code stay as they are, and so does a comment that is not closed.
fn without_comments<'l>(lines: &[&'l str]) -> Vec<Cow<'l, str>> {
    const OPEN: &str = "<!--";
    const CLOSE: &str = "-->";
    let last_close = lines.iter().rposition(|line| line.contains(CLOSE));
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let mut kept = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start();
        if !in_comment && let Some(own) = fence_of(bare) {
            fence = match fence {
                None => Some(own),
                Some(open) if own.starts_with(open) => None,
                open => open,
            };
        }
        let opens = fence.is_none() && bare.starts_with(OPEN) && last_close >= Some(at);
        if !in_comment && !opens {
            kept.push(Cow::Borrowed(*line));
            continue;
        }
        let rest = if in_comment { bare } else { &bare[OPEN.len()..] };
        in_comment = !rest.contains(CLOSE);
        let shown = rest.split_once(CLOSE).map_or("", |(_, after)| after);
        kept.push(Cow::Borrowed(shown));
    }
    kept
}

/// Returns the marks that begin or end a block of code, if a line begins with them.
fn fence_of(line: &str) -> Option<&str> {
    let length = |mark: char| line.len() - line.trim_start_matches(mark).len();
    let length = length('`').max(length('~'));
    (length >= 3).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        without_comments(&text.split('\n').collect::<Vec<_>>()).join("|")
    }

    #[test]
    fn comments_are_taken_out() {
        assert_eq!(shown("<!-- b --> c"), " c");
        assert_eq!(shown("a\n  <!-- b\nc\nd --> e\nf"), "a||| e|f");
        assert_eq!(shown("<!-- b\nc"), "<!-- b|c");
        assert_eq!(shown("```\n<!-- b -->\n```\n<!-- c -->d"), "```|<!-- b -->|```|d");
        assert_eq!(shown("~~~\n<!-- b\n```\n-->\n~~~\nx"), "~~~|<!-- b|```|-->|~~~|x");
        assert_eq!(shown("````\n```\n<!-- b -->\n````"), "````|```|<!-- b -->|````");
        assert_eq!(
            shown("Open with `<!--`\nx\nclose with `-->`"),
            "Open with `<!--`|x|close with `-->`"
        );
    }

    #[test]
    fn many_open_comments_take_no_longer_than_other_lines() {
        let text = "<!--\n".repeat(200_000);
        assert_eq!(shown(&text).len(), text.len());
    }

    #[test]
    fn a_part_that_states_only_the_status_or_the_date_says_nothing_more() {
        let part = |heading: &str, text: &str| Section {
            heading: heading.into(),
            line: 1,
            text: text.into(),
        };
        let states =
            |heading: &str, text: &str| states_status_or_date(&part(heading, text), "ADR001: T");
        assert!(states("Status", "> Accepted") && states("ADR001: T", "Date: 2022-12-12"));
        assert!(
            !states("Status", "Superseded by ADR-0009") && !states("Format", "Date: ISO 8601 only")
        );
    }
}
