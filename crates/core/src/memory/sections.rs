//! Splits a memory document into lines and sections.

use std::ops::Range;

use super::{EntryKind, MemoryOwner};
use crate::frontmatter;

/// A line of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextLine<'t> {
    /// Its text without the line break.
    pub(super) text: &'t str,
    /// Its byte range, line break included.
    pub(super) bytes: Range<usize>,
    /// Its number, from 1.
    pub(super) number: usize,
    /// Whether it is code or a comment, which contains no headings or entries.
    pub(super) is_opaque: bool,
}

/// A section with entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntrySection {
    /// The kind of its entries.
    pub(super) kind: EntryKind,
    /// The indices of its lines, the heading first.
    pub(super) lines: Range<usize>,
    /// The level of its heading.
    pub(super) level: usize,
}

/// The accepted titles of the section of each kind, in lower case.
const TITLES: &[(EntryKind, &[&str])] = &[
    (EntryKind::Finding, &["findings", "shared discoveries", "discoveries"]),
    (EntryKind::Decision, &["decisions", "plan decisions"]),
    (EntryKind::Blocker, &["blockers"]),
    (EntryKind::Question, &["open questions", "questions"]),
    (EntryKind::Lesson, &["lessons learned", "lessons", "lessons learnt", "learnings"]),
    (EntryKind::Session, &["session log", "sessions", "session notes"]),
];

/// Returns the heading and the first sentence of a new section.
pub(super) fn heading(kind: EntryKind, owner: MemoryOwner) -> (&'static str, &'static str) {
    match (kind, owner) {
        (EntryKind::Finding, MemoryOwner::Agent) => {
            ("Findings", "Things discovered while working on this task:")
        }
        (EntryKind::Finding, MemoryOwner::Plan) => {
            ("Shared Discoveries", "Findings relevant to multiple agents:")
        }
        (EntryKind::Finding, MemoryOwner::Level) => ("Findings", "What is known here:"),
        (EntryKind::Decision, MemoryOwner::Level) => ("Decisions", "Decisions that hold here:"),
        (EntryKind::Question, MemoryOwner::Level) => {
            ("Open Questions", "What is not known here yet:")
        }
        (EntryKind::Decision, MemoryOwner::Agent) => {
            ("Decisions", "Choices made during implementation:")
        }
        (EntryKind::Decision, MemoryOwner::Plan) => {
            ("Plan Decisions", "Decisions affecting the entire plan:")
        }
        (EntryKind::Blocker, _) => ("Blockers", "Current or resolved blockers:"),
        (EntryKind::Question, MemoryOwner::Agent) => {
            ("Open Questions", "What is not known yet for this task:")
        }
        (EntryKind::Question, MemoryOwner::Plan) => {
            ("Open Questions", "Unresolved issues for the plan:")
        }
        (EntryKind::Lesson, _) => ("Lessons Learned", "What we'd do differently:"),
        (EntryKind::Session, _) => ("Session Log", "Brief notes from each work session:"),
    }
}

/// Splits a document's body into lines.
pub(super) fn split_lines(text: &str) -> Vec<TextLine<'_>> {
    let body = frontmatter::body_start(text);
    let first_number = 1 + text[..body].matches('\n').count();
    let mut offset = body;
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let mut lines = Vec::new();
    for (number, whole) in (first_number..).zip(text[body..].split_inclusive('\n')) {
        let line = whole.trim_end_matches(['\n', '\r']);
        let was_opaque = fence.is_some() || in_comment;
        let trimmed = line.trim_start();
        match fence {
            Some(open) if closes_fence(line, open) => fence = None,
            Some(_) => {}
            None if in_comment => in_comment = !line.contains("-->"),
            None => {
                fence = opened_fence(line);
                in_comment = trimmed.starts_with("<!--") && !trimmed.contains("-->");
            }
        }
        lines.push(TextLine {
            text: line,
            bytes: offset..offset + whole.len(),
            number,
            is_opaque: was_opaque || fence.is_some() || in_comment,
        });
        offset += whole.len();
    }
    lines
}

/// Returns the mark of the fence that a line opens.
pub(super) fn opened_fence(line: &str) -> Option<&'static str> {
    ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark))
}

/// Returns whether a line closes a fence that was opened with a mark.
pub(super) fn closes_fence(line: &str, mark: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(mark) && line.trim_matches(|c| mark.starts_with(c)).trim().is_empty()
}

/// Returns the level and the title of a heading.
pub(super) fn heading_of<'t>(line: &TextLine<'t>) -> Option<(usize, &'t str)> {
    raw_heading_of(line).map(|(level, title)| (level, title.trim_end_matches('#').trim_end()))
}

/// Returns the level and the text of a heading, with the `#` that may close it.
pub(super) fn raw_heading_of<'t>(line: &TextLine<'t>) -> Option<(usize, &'t str)> {
    let text = line.text.trim_start_matches(' ');
    if line.is_opaque || line.text.len() - text.len() > 3 {
        return None;
    }
    let rest = text.trim_start_matches('#');
    let level = text.len() - rest.len();
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| (level, rest.trim()))
}

/// Finds the sections with entries.
pub(super) fn find_sections(lines: &[TextLine<'_>]) -> Vec<EntrySection> {
    let mut sections: Vec<EntrySection> = Vec::new();
    let mut open: Option<EntrySection> = None;
    for (index, line) in lines.iter().enumerate() {
        let Some((level, title)) = heading_of(line) else { continue };
        let is_inside = open.as_ref().is_some_and(|section| level > section.level);
        let is_log = open.as_ref().is_some_and(|section| section.kind == EntryKind::Session);
        let kind = kind_of(title).filter(|_| !(is_inside && is_log));
        if is_inside && kind.is_none() {
            continue;
        }
        sections.extend(open.take().map(|section| section.ending_at(index)));
        open = kind.map(|kind| EntrySection { kind, lines: index..index, level });
    }
    sections.extend(open.map(|section| section.ending_at(lines.len())));
    sections
}

impl EntrySection {
    fn ending_at(self, end: usize) -> Self {
        EntrySection { lines: self.lines.start..end, ..self }
    }
}

pub(super) fn kind_of(title: &str) -> Option<EntryKind> {
    let title = title.trim_end_matches(':').to_lowercase();
    TITLES.iter().find(|(_, titles)| titles.contains(&title.as_str())).map(|(kind, _)| *kind)
}
