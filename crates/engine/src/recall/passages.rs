//! What documents hold that can be recalled: the entries of memory, and the sections of the rest.

use std::collections::HashMap;
use std::rc::Rc;

use heirloom_core::fold::{Memory, Standing};
use heirloom_core::memory::Entry;
use heirloom_core::recall::{Passage, mark};
use heirloom_core::{Document, Problem, adr, day};
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
    Sections(Box<Placed>, Sort),
}

impl Content {
    /// Reads a document.
    pub(super) fn of(placed: Placed, sort: Sort, dates: &Rc<EntryDates>) -> Self {
        if placed.part != Part::Memory || sort == Sort::Archived {
            return Content::Sections(Box::new(placed), sort);
        }
        let mut problems = placed.document.problems.clone();
        let noted = Noted::of(placed, dates);
        problems.extend(noted.notebook.problems.iter().cloned());
        Content::Entries(Box::new(noted), problems)
    }

    /// Returns its text.
    pub(super) fn text(&self) -> &str {
        match self {
            Content::Entries(noted, _) => &noted.text,
            Content::Sections(placed, _) => &placed.text,
        }
    }

    /// Returns the memory document that it is.
    pub(super) fn noted(&self) -> Option<&Noted> {
        match self {
            Content::Entries(noted, _) => Some(noted),
            Content::Sections(..) => None,
        }
    }

    /// Returns whether it needs a date that is not written in it.
    pub(super) fn is_undated(&self) -> bool {
        match self {
            Content::Entries(noted, _) => noted.has_undated(),
            Content::Sections(placed, _) => stated_date(&placed.document).is_none(),
        }
    }

    /// Returns its passages, and what could not be read of it; `date` is that of the file, for
    /// sections of a document that states none.
    pub(super) fn passages(
        self,
        date: Option<Date>,
    ) -> Result<(Vec<Passage>, Vec<Problem>), Error> {
        match self {
            Content::Entries(noted, problems) => Ok((of_entries(&noted)?, problems)),
            Content::Sections(placed, sort) => {
                Ok((of_sections(&placed, sort, date)?, placed.document.problems))
            }
        }
    }
}

fn of_entries(noted: &Noted) -> Result<Vec<Passage>, Error> {
    let passages = noted.notebook.entries.iter().map(|entry| of_entry(noted, entry));
    let mut passages: Vec<Passage> = passages.collect::<Result<_, _>>()?;
    // Somebody may have copied an entry with the id beside it.
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

fn of_sections(placed: &Placed, sort: Sort, date: Option<Date>) -> Result<Vec<Passage>, Error> {
    let document = &placed.document;
    let kind = match (sort, placed.part) {
        (Sort::Adr, _) => "adr",
        (Sort::Archived, _) => "document",
        (Sort::OfLevel, Part::Main) => placed.level.as_str(),
        (Sort::OfLevel, _) => "context",
    };
    let mut title = document.title.clone().unwrap_or_else(|| document.path.clone());
    let project = placed.selectors.get("project").map(String::as_str);
    let (standing, called) = match sort {
        Sort::Archived => (Standing::Archived, None),
        Sort::OfLevel => (Standing::Active, Some(catalog::id_of(placed))),
        Sort::Adr => {
            let adr = adr::read_document(document, &placed.text);
            let standing = match adr.status.is_retired() {
                true => Standing::Superseded,
                false => Standing::Active,
            };
            if !title.to_lowercase().contains(&adr.id.to_lowercase()) {
                title = format!("{}: {title}", adr.id);
            }
            (standing, Some(catalog::id_of_record(&adr.id, project)))
        }
    };
    let date = stated_date(document).or(date);
    let mut passages = Vec::new();
    let written_by_someone = |section: &Section<'_>| !template::is_untouched(&section.text);
    let mut written_sections: Vec<Section<'_>> =
        sections(document).into_iter().filter(written_by_someone).collect();
    // Who makes a plan or a decision record gives it a title at least.
    let is_named = sort == Sort::Adr || placed.part == Part::Main && !placed.selectors.is_empty();
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
