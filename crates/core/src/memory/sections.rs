//! The lines of a memory document, and the sections that they form.

use std::ops::Range;

use super::{EntryKind, Owner};
use crate::frontmatter::{self, Split};

/// A line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row<'t> {
    /// Its text without the line break.
    pub(super) text: &'t str,
    /// Its bytes, line break included.
    pub(super) bytes: Range<usize>,
    /// Its number, from 1.
    pub(super) number: usize,
    /// Whether it is code or a comment, so that nothing in it counts.
    pub(super) is_opaque: bool,
}

/// A section that holds entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    /// What its entries are.
    pub(super) kind: EntryKind,
    /// Its rows, the heading first.
    pub(super) rows: Range<usize>,
    /// The level of its heading.
    pub(super) level: usize,
}

/// The titles under which a kind of entry is found, the ones that are written first.
const TITLES: &[(EntryKind, &[&str])] = &[
    (EntryKind::Finding, &["findings", "shared discoveries", "discoveries"]),
    (EntryKind::Decision, &["decisions", "plan decisions"]),
    (EntryKind::Blocker, &["blockers"]),
    (EntryKind::Question, &["open questions", "questions"]),
    (EntryKind::Lesson, &["lessons learned", "lessons", "lessons learnt"]),
    (EntryKind::Session, &["session log", "sessions", "session notes"]),
];

/// Returns the heading and the opening sentence of a new section.
pub(super) fn heading(kind: EntryKind, owner: Owner) -> (&'static str, &'static str) {
    match (kind, owner) {
        (EntryKind::Finding, Owner::Agent) => {
            ("Findings", "Things discovered while working on this task:")
        }
        (EntryKind::Finding, Owner::Plan) => {
            ("Shared Discoveries", "Findings relevant to multiple agents:")
        }
        (EntryKind::Decision, Owner::Agent) => ("Decisions", "Choices made during implementation:"),
        (EntryKind::Decision, Owner::Plan) => {
            ("Plan Decisions", "Decisions affecting the entire plan:")
        }
        (EntryKind::Blocker, _) => ("Blockers", "Current or resolved blockers:"),
        (EntryKind::Question, Owner::Agent) => {
            ("Open Questions", "What is not known yet for this task:")
        }
        (EntryKind::Question, Owner::Plan) => ("Open Questions", "Unresolved issues for the plan:"),
        (EntryKind::Lesson, _) => ("Lessons Learned", "What we'd do differently:"),
        (EntryKind::Session, _) => ("Session Log", "Brief notes from each work session:"),
    }
}

/// Splits a document's body into lines.
pub(super) fn rows(text: &str) -> Vec<Row<'_>> {
    let body = match frontmatter::split(text) {
        Split::Block { body, .. } => body,
        Split::None | Split::Unclosed => 0,
    };
    let first = 1 + text[..body].matches('\n').count();
    let mut at = body;
    let mut fence: Option<&str> = None;
    let mut in_comment = false;
    let mut rows = Vec::new();
    for (number, whole) in (first..).zip(text[body..].split_inclusive('\n')) {
        let line = whole.trim_end_matches(['\n', '\r']);
        let opaque_before = fence.is_some() || in_comment;
        let trimmed = line.trim_start();
        match fence {
            Some(open) => {
                let closes = trimmed.starts_with(open)
                    && trimmed.trim_matches(|c| open.starts_with(c)).trim().is_empty();
                if closes {
                    fence = None;
                }
            }
            None if in_comment => in_comment = !line.contains("-->"),
            None => {
                fence = ["```", "~~~"].into_iter().find(|open| trimmed.starts_with(open));
                in_comment = trimmed.starts_with("<!--") && !trimmed.contains("-->");
            }
        }
        rows.push(Row {
            text: line,
            bytes: at..at + whole.len(),
            number,
            is_opaque: opaque_before || fence.is_some() || in_comment,
        });
        at += whole.len();
    }
    rows
}

/// Returns the level and the title of a heading.
pub(super) fn heading_of<'t>(row: &Row<'t>) -> Option<(usize, &'t str)> {
    let text = row.text.trim_start_matches(' ');
    if row.is_opaque || row.text.len() - text.len() > 3 {
        return None;
    }
    let level = text.len() - text.trim_start_matches('#').len();
    let rest = &text[level..];
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// Finds the sections that hold entries.
pub(super) fn sections(rows: &[Row<'_>]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Option<Section> = None;
    for (at, row) in rows.iter().enumerate() {
        let Some((level, title)) = heading_of(row) else { continue };
        let inside = open.as_ref().is_some_and(|section| level > section.level);
        let is_log = open.as_ref().is_some_and(|section| section.kind == EntryKind::Session);
        let kind = kind_of(title).filter(|_| !(inside && is_log));
        if inside && kind.is_none() {
            continue;
        }
        sections.extend(open.take().map(|section| section.until(at)));
        open = kind.map(|kind| Section { kind, rows: at..at, level });
    }
    sections.extend(open.map(|section| section.until(rows.len())));
    sections
}

impl Section {
    fn until(self, end: usize) -> Self {
        Section { rows: self.rows.start..end, ..self }
    }
}

fn kind_of(title: &str) -> Option<EntryKind> {
    let title = title.trim_end_matches(':').to_lowercase();
    TITLES.iter().find(|(_, titles)| titles.contains(&title.as_str())).map(|(kind, _)| *kind)
}
