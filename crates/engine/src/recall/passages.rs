//! What documents hold that can be recalled: the entries of memory, and the sections of the rest.

use std::collections::HashMap;
use std::rc::Rc;

use heirloom_core::adr::{self, Adr};
use heirloom_core::fold::{Memory, Standing};
use heirloom_core::memory::Entry;
use heirloom_core::recall::{Passage, mark};
use heirloom_core::{Document, Problem, day};
use heirloom_store::layout::{Part, Placed};
use jiff::civil::Date;

use crate::memory::{EntryDates, Noted, Thing, entry_ref};
use crate::{Error, catalog, template};

/// A section of more words is cut at its paragraphs.
const LONGEST: usize = 160;

/// What a document is, beside its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
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
    Entries(Box<Noted>, Vec<Problem>),
    /// The sections of any other.
    Sections(Box<Sections>),
}

/// A document that is cut at its headings.
pub(super) struct Sections {
    placed: Placed,
    sort: Sort,
    /// What it says as a decision record.
    pub(super) adr: Option<Adr>,
}

impl Sections {
    /// Reads a document.
    pub(super) fn of(placed: Placed, sort: Sort) -> Self {
        let is_record = sort == Sort::Adr;
        let adr = is_record.then(|| adr::read_document(&placed.document, &placed.text));
        Sections { placed, sort, adr }
    }

    /// Returns its passages, and what could not be read of it. `date` is that of its file, in case
    /// that it states none; `is_replaced` says whether another decision record replaced this one.
    pub(super) fn passages(
        &self,
        date: Option<Date>,
        is_replaced: bool,
    ) -> Result<(Vec<Passage>, Vec<Problem>), Error> {
        let problems = self.placed.document.problems.clone();
        Ok((of_sections(self, date, is_replaced)?, problems))
    }
}

impl Content {
    /// Takes a document that was read.
    pub(super) fn of(sections: Sections, dates: &Rc<EntryDates>) -> Self {
        if sections.placed.part != Part::Memory || sections.sort == Sort::Archived {
            return Content::Sections(Box::new(sections));
        }
        let mut problems = sections.placed.document.problems.clone();
        let noted = Noted::of(sections.placed, dates);
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
    pub(super) fn noted(&self) -> Option<&Noted> {
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
            Content::Sections(sections) => stated_date(&sections.placed.document).is_none(),
        }
    }
}

/// Returns the passages of a memory document.
pub(super) fn of_entries(noted: &Noted) -> Result<Vec<Passage>, Error> {
    let passages = noted.notebook.entries.iter().map(|entry| of_entry(noted, entry));
    let mut passages: Vec<Passage> = passages.collect::<Result<_, _>>()?;
    // An entry may have been copied together with its id.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for passage in &mut passages {
        let times = seen.entry(passage.name.clone()).or_default();
        *times += 1;
        if *times > 1 {
            passage.name = format!("{}+{times}", passage.name);
        }
    }
    Ok(passages)
}

fn of_entry(noted: &Noted, entry: &Entry) -> Result<Passage, Error> {
    let thing = Thing::of_entry(&Memory::default(), noted, entry);
    let subject = entry_ref(&entry.id);
    let mut marks = vec![mark("kind", &thing.kind).into(), mark("level", &noted.level).into()];
    marks.extend(noted.selectors.iter().map(|(level, name)| mark(level, name).into()));
    Ok(Passage {
        name: format!("{subject}@{}", noted.path),
        own_subject: Some(subject),
        text: thing.text.clone(),
        title: None,
        summary: None,
        marks,
        group: Some(format!("document:{}", noted.path)),
        position: i64::try_from(entry.line).unwrap_or_default(),
        day: noted.since(entry),
        confidence: thing.confidence,
        repeats: entry.marks.get("promoted").map(|to| entry_ref(to)),
        standing: Standing::Active,
        data: Some(written(&thing)?),
    })
}

/// A part of a document under one heading.
struct Section<'d> {
    heading: &'d str,
    line: usize,
    text: String,
}

fn of_sections(
    Sections { placed, sort, adr }: &Sections,
    date: Option<Date>,
    is_replaced: bool,
) -> Result<Vec<Passage>, Error> {
    let document = &placed.document;
    let kind = match (sort, placed.part) {
        (Sort::Adr, _) => "adr",
        (Sort::Archived, _) => "document",
        (Sort::OfLevel, Part::Main) => placed.level.as_str(),
        (Sort::OfLevel, _) => "context",
    };
    let project = placed.selectors.get("project").map(String::as_str);
    let (standing, called) = match (sort, adr) {
        (Sort::Archived, _) => (Standing::Archived, None),
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
    let written_by_someone = |section: &Section<'_>| !template::is_untouched(&section.text);
    let mut written_sections: Vec<Section<'_>> =
        sections(document).into_iter().filter(written_by_someone).collect();
    // A plan and a decision record have a title of their own, even if nothing else was written.
    let is_named = adr.is_some() || placed.part == Part::Main && !placed.selectors.is_empty();
    if written_sections.is_empty() && document.title.is_some() && is_named {
        written_sections.push(Section { heading: "", line: 1, text: String::new() });
    }
    for (at, section) in written_sections.into_iter().enumerate() {
        let said = match section.heading {
            _ if section.text.is_empty() => title.clone(),
            "" => format!("{title}: {}", section.text),
            heading if heading == title => format!("{title}: {}", section.text),
            heading => format!("{title} › {heading}: {}", section.text),
        };
        let name = format!("document:{}#{}", document.path, at + 1);
        let thing = Thing {
            date: date.map(|date| date.to_string()),
            source: format!("{}:{}", document.path, section.line),
            tags: document.field_list("tags"),
            standing,
            ..Thing::said(&name, kind, &said)
        };
        let mut marks = vec![mark("kind", kind).into()];
        marks.extend(placed.selectors.iter().map(|(level, name)| mark(level, name).into()));
        marks.extend(thing.tags.iter().map(|tag| mark("tag", tag).into()));
        passages.push(Passage {
            own_subject: called.as_ref().map(|id| format!("doc:{id}")),
            name,
            text: said,
            title: Some(section.heading).filter(|heading| !heading.is_empty()).map(str::to_owned),
            summary: None,
            marks,
            group: Some(format!("document:{}", document.path)),
            position: i64::try_from(at).unwrap_or_default(),
            day: date,
            confidence: None,
            repeats: None,
            standing,
            data: Some(written(&thing)?),
        });
    }
    Ok(passages)
}

fn written(thing: &Thing) -> Result<String, Error> {
    serde_json::to_string(thing).map_err(|error| Error::system(error.to_string()))
}

/// Cuts a document at its headings, and long parts at their paragraphs.
fn sections(document: &Document) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    for part in document.sections() {
        let heading = part.heading.map_or("", |heading| heading.text.as_str());
        cut(heading, document.prose_line, part.start, &part.lines, &mut sections);
    }
    sections
}

fn cut<'d>(
    heading: &'d str,
    offset: usize,
    start: usize,
    lines: &[&str],
    sections: &mut Vec<Section<'d>>,
) {
    let mut text = String::new();
    let mut first = None;
    let mut flush = |text: &mut String, first: &mut Option<usize>| {
        let said = text.trim();
        if !said.is_empty() {
            let line = offset + first.unwrap_or(start);
            sections.push(Section { heading, line, text: said.to_owned() });
        }
        text.clear();
        *first = None;
    };
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() && text.split_whitespace().count() >= LONGEST {
            flush(&mut text, &mut first);
            continue;
        }
        if first.is_none() && !line.trim().is_empty() {
            first = Some(start + at);
        }
        text.push_str(line);
        text.push('\n');
    }
    flush(&mut text, &mut first);
}
