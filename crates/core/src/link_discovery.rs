//! Proposes typed relations between memories, each with its evidence.
//!
//! The evidence is a name in a text with words that say what it is to the text (`mentions`, `cues`), a clause that says what
//! another memory states (`clauses`), a commit, a pull request or a decision record that two memories state (`artifacts`), or
//! a session of work in which a decision was made (`sessions`). A name without such words is no evidence: a wrong relation
//! costs a reviewer more than a missing one.

mod artifacts;
mod clauses;
mod cues;
mod finder;
mod mentions;
mod names;
mod proposal;
mod sessions;
#[cfg(test)]
mod tests;

pub use finder::{FoundLinks, KnownRelations, find_links};
pub use proposal::ProposedLink;

use jiff::civil::Date;

use crate::record::Referent;

/// A longer sentence is no evidence, in bytes: it is data, or generated, and comparing all of it with all of it would take long.
const SENTENCE_MAX_BYTES: usize = 2_000;

/// What a memory is to others, as far as relations depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkRole {
    /// A decision record.
    DecisionRecord,
    /// Another document, which texts name and whose own text is not read.
    Document,
    /// A decision.
    Decision,
    /// A constraint.
    Constraint,
    /// A known issue, a blocker or a finding.
    Problem,
    /// The story of a session.
    Episode,
    /// Another memory.
    Other,
}

/// A memory or a document that relations may connect.
#[derive(Debug, Clone)]
pub struct LinkableMemory {
    /// What the log refers to it by.
    pub referent: Referent,
    /// What it is to others.
    pub role: LinkRole,
    /// The name to show: the id of a decision record.
    pub name: Option<String>,
    /// Other names by which texts refer to it: its ids, its path, the name of its folder.
    pub names: Vec<String>,
    /// The number of a decision record.
    pub number: Option<u32>,
    /// The title.
    pub title: Option<String>,
    /// The text, as Markdown.
    pub text: String,
    /// The day on which it was recorded.
    pub day: Option<Date>,
    /// The id of the session in which it was recorded, or of which it is the episode.
    pub session: Option<String>,
    /// The artifacts that it is about: `commit:…`, `pr:…`, `adr:…`, `file:…`.
    pub artifacts: Vec<String>,
    /// What the session of an episode did; `None` for other memories.
    pub work: Option<SessionWork>,
    /// The decision record that it was made from, which it need not be related to.
    pub made_from: Option<String>,
    /// Whether it can be the reason for others: a rejected or superseded record cannot.
    pub is_current: bool,
}

/// What a session of work did.
#[derive(Debug, Clone, Default)]
pub struct SessionWork {
    /// The files that it changed.
    pub files: Vec<String>,
    /// The commits: `hash subject`.
    pub commits: Vec<String>,
    /// The memories that it stored.
    pub stored: Vec<Referent>,
    /// The decisions that were made in it.
    pub decisions: Vec<String>,
}

impl LinkableMemory {
    /// Creates a memory with a text alone.
    pub fn new(referent: Referent, role: LinkRole, text: impl Into<String>) -> Self {
        LinkableMemory {
            referent,
            role,
            name: None,
            names: vec![],
            number: None,
            title: None,
            text: text.into(),
            day: None,
            session: None,
            artifacts: vec![],
            work: None,
            made_from: None,
            is_current: true,
        }
    }

    /// Returns a name for people to read.
    pub(crate) fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.referent.short().into_owned())
    }
}
