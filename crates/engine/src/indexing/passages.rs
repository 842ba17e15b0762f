//! Splits documents into passages: one per entry of a memory document, and one per section of any other. A file of decisions
//! or lessons has both: what is no entry is a section.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use heirloom_core::adr::{self, Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::memory::{self, MemoryEntry, MemoryFormat};
use heirloom_core::recall::{DocumentPart, Passage, filter_term, section_name};
use heirloom_core::record::Referent;
use heirloom_core::{Document, Problem, day, path};
use heirloom_store::layout::{DocumentRole, HierarchyDocument};
use jiff::civil::Date;

use crate::workspace::catalog;
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::template;

/// Number of words after which a section is split at the next blank line.
const SECTION_SPLIT_WORDS: usize = 160;

/// Where a document comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentClass {
    /// A document of a level.
    OfLevel,
    /// A decision record.
    Adr,
    /// A document in the archive.
    Archived,
    /// A document that is searched and belongs to no level.
    Reference,
}

/// Returns the date that a document states.
pub(crate) fn stated_date(document: &Document) -> Option<Date> {
    let mut keys = ["updated", "date", "created"].iter();
    keys.find_map(|key| document.field(key).and_then(day::parse))
}

/// The content of a document before git dates it.
pub(super) enum Content {
    /// The entries of a memory document, and its problems. A file of decisions or lessons also has sections.
    Entries(Box<MemoryDocument>, Vec<Problem>, Option<Box<Sections>>),
    /// The sections of any other document.
    Sections(Box<Sections>),
}

/// A document that is split at its headings.
pub(super) struct Sections {
    placed: HierarchyDocument,
    class: DocumentClass,
    /// Its sections without untouched template text.
    sections: Vec<Section>,
    /// The decision record, if the document is one.
    pub(super) adr: Option<Adr>,
}

impl Sections {
    /// Splits a document that was read.
    pub(super) fn of(placed: HierarchyDocument, class: DocumentClass) -> Self {
        let is_record = class == DocumentClass::Adr;
        let adr = is_record.then(|| adr::read_document(&placed.document, &placed.text));
        let mut sections = match entries_of(&placed, class) {
            Entries::All => vec![],
            Entries::None => split_document(&placed.document),
            Entries::Some(ranges) => {
                let rest = without_ranges(&placed.text, &ranges);
                split_document(&Document::parse(&placed.document.path, &rest))
            }
        };
        sections.retain(|section| {
            let title = placed.document.title.as_deref().unwrap_or_default();
            let is_redundant = is_record && is_status_or_date(section, title);
            // A rule or a fence alone says nothing.
            let has_words = section.text.contains(char::is_alphanumeric);
            has_words && !is_redundant && !template::is_template_text(&section.text)
        });
        Sections { placed, class, sections, adr }
    }

    /// Returns whether the document states no date.
    pub(super) fn is_undated(&self) -> bool {
        stated_date(&self.placed.document).is_none()
    }

    /// Returns the passages and the problems of the document. `file_date` applies if the document
    /// states no date; `is_replaced` says whether another decision record replaced this one.
    pub(super) fn passages(
        &self,
        file_date: Option<Date>,
        is_replaced: bool,
    ) -> (Vec<Passage>, Vec<Problem>) {
        let header = PassageHeader::new(self, file_date, is_replaced);
        let document = &self.placed.document;
        // The title of a plan or a decision record can be found even if the document says nothing else.
        let has_own_title = document.title.is_some()
            && (self.adr.is_some()
                || self.placed.role == DocumentRole::Main && !self.placed.selectors.is_empty());
        let title_only = [Section { heading: String::new(), line: 1, text: String::new() }];
        let sections = match self.sections.is_empty() && has_own_title {
            true => title_only.as_slice(),
            false => &self.sections,
        };
        let passages = sections.iter().enumerate().map(|(index, one)| header.passage(index, one));
        (passages.collect(), document.problems.clone())
    }
}

impl Content {
    /// Reads the entries of a memory document; leaves other documents as they are.
    pub(super) fn of(sections: Sections, dates: &Rc<EntryDates>) -> Self {
        let has_prose = match entries_of(&sections.placed, sections.class) {
            Entries::None => return Content::Sections(Box::new(sections)),
            Entries::All => false,
            Entries::Some(_) => !sections.sections.is_empty(),
        };
        let Sections { placed, class, sections, adr } = sections;
        let mut problems = placed.document.problems.clone();
        let prose = has_prose.then(|| {
            let placed = HierarchyDocument { text: String::new(), ..placed.clone() };
            Box::new(Sections { placed, class, sections, adr })
        });
        let document = MemoryDocument::from_placed(placed, dates);
        problems.extend(document.content.problems.iter().cloned());
        Content::Entries(Box::new(document), problems, prose)
    }

    /// Returns the text of the document.
    pub(super) fn text(&self) -> &str {
        match self {
            Content::Entries(document, ..) => &document.text,
            Content::Sections(sections) => &sections.placed.text,
        }
    }

    /// Returns the memory document, if the document is one.
    pub(super) fn memory_document(&self) -> Option<&MemoryDocument> {
        match self {
            Content::Entries(document, ..) => Some(document),
            Content::Sections(_) => None,
        }
    }

    /// Returns the sections, unless the document has entries only.
    pub(super) fn sections(&self) -> Option<&Sections> {
        match self {
            Content::Entries(_, _, sections) => sections.as_deref(),
            Content::Sections(sections) => Some(sections),
        }
    }

    /// Returns whether git has to date the document or one of its entries.
    pub(super) fn is_undated(&self) -> bool {
        match self {
            Content::Entries(document, _, sections) => {
                document.has_undated() || sections.as_deref().is_some_and(Sections::is_undated)
            }
            Content::Sections(sections) => sections.is_undated(),
        }
    }
}

/// Returns whether a section of a decision record consists of its status or its date. Every passage
/// shows both anyway.
fn is_status_or_date(section: &Section, title: &str) -> bool {
    let text = section.text.trim_start_matches(['>', ' ']);
    match section.heading.as_str() {
        heading if heading.eq_ignore_ascii_case("status") => text.split_whitespace().count() == 1,
        heading if heading.is_empty() || heading == title => {
            let date = text.strip_prefix("Date:").map(str::trim);
            date.is_some_and(|date| day::parse(date).is_some())
        }
        _ => false,
    }
}

/// Which part of a document consists of entries.
enum Entries {
    None,
    All,
    /// These byte ranges of a file of decisions or lessons. The rest is prose.
    Some(Vec<Range<usize>>),
}

/// Returns which part of a document is split into entries. A file of decisions or lessons without a single one is read
/// like any other document.
fn entries_of(placed: &HierarchyDocument, class: DocumentClass) -> Entries {
    match placed.role.memory_format() {
        None => Entries::None,
        Some(_) if class == DocumentClass::Archived => Entries::None,
        Some(MemoryFormat::Sections) => Entries::All,
        Some(format @ MemoryFormat::Learnings(_)) => {
            let content = memory::read_as(format, &placed.document.path, &placed.text);
            match content.entries.is_empty() {
                true => Entries::None,
                false => Entries::Some(content.entries.into_iter().map(|one| one.bytes).collect()),
            }
        }
    }
}

/// Returns a text in which only the line breaks of some ranges are left, so that lines keep their numbers.
fn without_ranges(text: &str, ranges: &[Range<usize>]) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut end = 0;
    for range in ranges {
        rest.push_str(&text[end..range.start]);
        rest.extend(text[range.clone()].chars().filter(|c| *c == '\n'));
        end = range.end;
    }
    rest.push_str(&text[end..]);
    rest
}

/// Returns the passages of a memory document.
pub(super) fn entry_passages(document: &MemoryDocument) -> Vec<Passage> {
    let entries = document.content.entries.iter();
    let mut passages: Vec<Passage> = entries.map(|entry| entry_passage(document, entry)).collect();
    // Names are unique, but an entry may have been copied together with its id.
    let mut counts: HashMap<String, usize> = HashMap::new();
    for passage in &mut passages {
        let count = counts.entry(passage.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            passage.name = format!("{}+{count}", passage.name);
        }
    }
    passages
}

fn entry_passage(document: &MemoryDocument, entry: &MemoryEntry) -> Passage {
    let part = DocumentPart {
        id: entry.id.clone(),
        kind: entry.kind.as_str().to_owned(),
        title: entry.title.clone(),
        category: entry.category.clone(),
        tags: entry.tags.clone(),
        text: entry.full_text(),
        by: document.owner().unwrap_or_default().to_owned(),
        date: document.date_of(entry),
        path: document.path.clone(),
        line: entry.line,
        resolved: entry.resolved,
        ..DocumentPart::default()
    };
    let subject = Referent::entry(&entry.id);
    let mut filter_terms =
        vec![filter_term("kind", &part.kind).into(), filter_term("level", &document.level).into()];
    filter_terms
        .extend(document.selectors.iter().map(|(level, name)| filter_term(level, name).into()));
    filter_terms.extend(part.tags.iter().map(|tag| filter_term("tag", tag).into()));
    filter_terms.extend(part.category.iter().map(|one| filter_term("category", one).into()));
    Passage {
        name: format!("{subject}@{}", document.path),
        subject_override: Some(subject),
        text: part.text.clone(),
        title: part.title.clone(),
        summary: None,
        filter_terms,
        may_instruct: true,
        group: Some(format!("document:{}", document.path)),
        position: i64::try_from(entry.line).unwrap_or_default(),
        day: part.date,
        confidence: None,
        duplicate_of: entry.marks.get("promoted").map(Referent::entry),
        standing: Standing::Active,
        part: Some(part),
    }
}

/// The text under one heading, or a part of it.
struct Section {
    heading: String,
    line: usize,
    text: String,
}

/// What all passages of a document have in common.
struct PassageHeader<'d> {
    document: &'d Document,
    kind: &'d str,
    title: String,
    date: Option<Date>,
    standing: Standing,
    status: Option<String>,
    /// What the log refers to the document by.
    subject: Option<Referent>,
    selectors: &'d Selectors,
    /// Whether its text may state standing instructions: a decision is no instruction, and the archive instructs no more.
    may_instruct: bool,
}

impl<'d> PassageHeader<'d> {
    fn new(sections: &'d Sections, file_date: Option<Date>, is_replaced: bool) -> Self {
        let Sections { placed, class, adr, .. } = sections;
        let document = &placed.document;
        let kind = match (class, placed.role) {
            (DocumentClass::Adr, _) => "adr",
            (DocumentClass::Archived | DocumentClass::Reference, _) => "document",
            (DocumentClass::OfLevel, DocumentRole::Main) => placed.level.as_str(),
            (DocumentClass::OfLevel, _) => "context",
        };
        let project = placed.selectors.get("project").map(String::as_str);
        let (standing, id) = match (class, adr) {
            (DocumentClass::Archived, _) => (Standing::Archived, None),
            (DocumentClass::Reference, _) => (Standing::Active, Some(document.path.clone())),
            (_, None) => (Standing::Active, Some(catalog::id_of(placed))),
            (_, Some(adr)) => {
                let standing = match is_replaced || adr.status.is_retired() {
                    true => Standing::Superseded,
                    false => Standing::Active,
                };
                (standing, Some(catalog::id_of_adr(&adr.id, project)))
            }
        };
        let title = match adr {
            Some(adr) => format!("{}: {}", adr.id, adr.title),
            None => document.title.clone().unwrap_or_else(|| document.path.clone()),
        };
        PassageHeader {
            document,
            kind,
            title,
            date: stated_date(document).or(file_date),
            standing,
            status: adr.as_ref().map(status_label),
            subject: id.map(Referent::Document),
            selectors: &placed.selectors,
            may_instruct: *class == DocumentClass::OfLevel,
        }
    }

    /// Returns the words of a section's heading, of the document's title and of its file's name, each once. They count for
    /// every part of the section; the title of a document may still be that of its template.
    fn title_words(&self, heading: &str) -> String {
        let name = path::name_in_words(&self.document.path);
        let parts = [heading, &self.title, &name];
        let mut words: Vec<&str> = Vec::new();
        for word in parts.into_iter().flat_map(str::split_whitespace) {
            if !words.iter().any(|known| known.eq_ignore_ascii_case(word)) {
                words.push(word);
            }
        }
        words.join(" ")
    }

    /// Makes the passage of one section. `index` counts the sections of the document from 0.
    fn passage(&self, index: usize, section: &Section) -> Passage {
        let title = &self.title;
        let text = match section.heading.as_str() {
            _ if section.text.is_empty() => title.clone(),
            "" => format!("{title}: {}", section.text),
            heading if heading == title => format!("{title}: {}", section.text),
            heading => format!("{title} › {heading}: {}", section.text),
        };
        let name = section_name(&self.document.path, index + 1);
        let part = DocumentPart {
            id: name.clone(),
            kind: self.kind.to_owned(),
            text: text.clone(),
            date: self.date,
            path: self.document.path.clone(),
            line: section.line,
            tags: self.document.field_list("tags"),
            status: self.status.clone(),
            standing: self.standing,
            ..DocumentPart::default()
        };
        let mut filter_terms = vec![filter_term("kind", self.kind).into()];
        filter_terms
            .extend(self.selectors.iter().map(|(level, name)| filter_term(level, name).into()));
        filter_terms.extend(part.tags.iter().map(|tag| filter_term("tag", tag).into()));
        // Decision records are found by the commits that changed them.
        let is_decision = self.kind == "adr";
        filter_terms.extend(is_decision.then(|| filter_term("path", &part.path).into()));
        Passage {
            subject_override: self.subject.clone(),
            name,
            text,
            title: Some(self.title_words(&section.heading)),
            summary: None,
            filter_terms,
            may_instruct: self.may_instruct,
            group: Some(format!("document:{}", self.document.path)),
            position: i64::try_from(section.line).unwrap_or_default(),
            day: self.date,
            confidence: None,
            duplicate_of: None,
            standing: self.standing,
            part: Some(part),
        }
    }
}

/// Returns the status of a decision record for display.
fn status_label(adr: &Adr) -> String {
    match &adr.unknown_status {
        Some(stated) => stated.to_lowercase(),
        None if adr.status == Status::Unknown => "no status".to_owned(),
        None => adr.status.as_str().to_owned(),
    }
}

/// Splits a document at its headings, and long sections at their paragraphs.
fn split_document(document: &Document) -> Vec<Section> {
    let mut sections = Vec::new();
    for part in document.sections() {
        let heading = part.heading.map_or("", |heading| heading.text.as_str());
        split_section(heading, document.prose_line + part.start, &part.lines, &mut sections);
    }
    sections
}

/// Splits the lines under a heading, the first of which has the number `start`.
fn split_section(heading: &str, start: usize, lines: &[&str], sections: &mut Vec<Section>) {
    let mut text = String::new();
    let mut words = 0;
    let mut first_line = None;
    let mut flush = |text: &mut String, first_line: &mut Option<usize>| {
        let trimmed = text.trim();
        if !trimmed.is_empty() {
            let (heading, line) = (heading.to_owned(), first_line.unwrap_or(start));
            sections.push(Section { heading, line, text: trimmed.to_owned() });
        }
        text.clear();
        *first_line = None;
    };
    for (at, line) in without_comments(lines).iter().enumerate() {
        let line = if is_rule(line) { "" } else { line };
        let words_in_line = line.split_whitespace().count();
        if words_in_line == 0 && words >= SECTION_SPLIT_WORDS {
            flush(&mut text, &mut first_line);
            words = 0;
            continue;
        }
        if first_line.is_none() && words_in_line > 0 {
            first_line = Some(start + at);
        }
        words += words_in_line;
        text.push_str(line);
        text.push('\n');
    }
    flush(&mut text, &mut first_line);
}

/// Returns whether a line is a horizontal rule, which says nothing.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let is_mark = |mark: char| line.chars().all(|c| c == mark || c == ' ');
    line.len() >= 3 && ['-', '*', '_'].into_iter().any(is_mark)
}

/// Blanks HTML comments that begin a line, because a reader of the rendered text does not see them.
/// Code blocks and unclosed comments are left as they are.
fn without_comments<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    const OPEN: &str = "<!--";
    const CLOSE: &str = "-->";
    let last_close = lines.iter().rposition(|line| line.contains(CLOSE));
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let mut visible = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if !in_comment && let Some(line_fence) = leading_fence(trimmed) {
            fence = match fence {
                None => Some(line_fence),
                Some(open) if line_fence.starts_with(open) => None,
                open => open,
            };
        }
        let opens = fence.is_none() && trimmed.starts_with(OPEN) && last_close >= Some(at);
        if !in_comment && !opens {
            visible.push(*line);
            continue;
        }
        let rest = if in_comment { trimmed } else { &trimmed[OPEN.len()..] };
        in_comment = !rest.contains(CLOSE);
        visible.push(rest.split_once(CLOSE).map_or("", |(_, after)| after));
    }
    visible
}

/// Returns the code fence that a line begins with.
fn leading_fence(line: &str) -> Option<&str> {
    let length = |character: char| line.len() - line.trim_start_matches(character).len();
    let length = length('`').max(length('~'));
    (length >= 3).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(text: &str) -> String {
        without_comments(&text.split('\n').collect::<Vec<_>>()).join("|")
    }

    #[test]
    fn html_comments_outside_code_blocks_are_blanked() {
        assert_eq!(visible("<!-- b --> c"), " c");
        assert_eq!(visible("a\n  <!-- b\nc\nd --> e\nf"), "a||| e|f");
        assert_eq!(visible("<!-- b\nc"), "<!-- b|c");
        assert_eq!(visible("```\n<!-- b -->\n```\n<!-- c -->d"), "```|<!-- b -->|```|d");
        assert_eq!(visible("~~~\n<!-- b\n```\n-->\n~~~\nx"), "~~~|<!-- b|```|-->|~~~|x");
        assert_eq!(visible("````\n```\n<!-- b -->\n````"), "````|```|<!-- b -->|````");
        assert_eq!(
            visible("Open with `<!--`\nx\nclose with `-->`"),
            "Open with `<!--`|x|close with `-->`"
        );
    }

    #[test]
    fn many_unclosed_comments_are_read_in_linear_time() {
        let text = "<!--\n".repeat(200_000);
        assert_eq!(visible(&text).len(), text.len());
    }

    #[test]
    fn a_section_that_is_only_the_status_or_the_date_is_redundant() {
        let is_redundant = |heading: &str, text: &str| {
            let section = Section { heading: heading.into(), line: 1, text: text.into() };
            is_status_or_date(&section, "ADR001: T")
        };
        assert!(is_redundant("Status", "> Accepted"));
        assert!(is_redundant("ADR001: T", "Date: 2022-12-12"));
        assert!(!is_redundant("Status", "Superseded by ADR-0009"));
        assert!(!is_redundant("Format", "Date: ISO 8601 only"));
    }
}
