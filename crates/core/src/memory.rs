//! Memory documents of agents and plans: markdown documents with sections of entries.
//!
//! People may reorder, reword and add prose anywhere. An entry is a bullet or a table row; the heading above it
//! determines its kind. A program writes every entry on one line, so that a union merge keeps the entries of both
//! branches.

mod bullet;
mod bullet_lines;
mod comment;
mod counters;
mod edit;
mod edit_check;
mod escape;
mod ids;
pub mod learning;
mod list_item;
mod read;
mod sections;
mod table;
mod template;

pub use counters::{Counters, merge_repeated_counters};
pub use edit::{add, add_session, remove, resolve, set_marks};
pub use edit_check::EntryEditError;
pub use read::{read, read_as};
pub use table::is_resolved_status;
pub use template::{agent_template, level_template, plan_template};

use std::ops::Range;

use indexmap::IndexMap;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Problem, Value, day};

/// The kind of owner of a memory document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryOwner {
    /// An agent.
    Agent,
    /// A plan.
    Plan,
    /// Any other level, such as a sprint, a stage or a domain.
    Level,
}

/// The kind of an entry.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A discovery.
    Finding,
    /// A decision.
    Decision,
    /// An obstacle, open or resolved.
    Blocker,
    /// A question, open or answered.
    Question,
    /// A lesson for the next time.
    Lesson,
    /// A note on a work session.
    Session,
}

impl EntryKind {
    /// Every kind, in display order.
    pub const ALL: [EntryKind; 6] = [
        EntryKind::Finding,
        EntryKind::Decision,
        EntryKind::Blocker,
        EntryKind::Question,
        EntryKind::Lesson,
        EntryKind::Session,
    ];

    /// Returns its name in the format.
    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::Finding => "finding",
            EntryKind::Decision => "decision",
            EntryKind::Blocker => "blocker",
            EntryKind::Question => "question",
            EntryKind::Lesson => "lesson",
            EntryKind::Session => "session",
        }
    }

    /// Parses its name in the format.
    pub fn parse(word: &str) -> Option<Self> {
        EntryKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Returns whether it is open until it is resolved.
    pub fn is_task(self) -> bool {
        matches!(self, EntryKind::Blocker | EntryKind::Question)
    }
}

/// A field of an entry besides its text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EntryField {
    /// The chosen option.
    Choice,
    /// The reason.
    Rationale,
    /// The status.
    Status,
    /// The agents that it affects.
    Affects,
    /// The date.
    Date,
    /// The agent that found it.
    FoundBy,
    /// Further data of the writer, as a JSON object.
    Metadata,
}

impl EntryField {
    const ALL: [EntryField; 7] = [
        EntryField::Choice,
        EntryField::Rationale,
        EntryField::Status,
        EntryField::Affects,
        EntryField::Date,
        EntryField::FoundBy,
        EntryField::Metadata,
    ];

    /// Returns the title of its column in a table.
    fn column(self) -> &'static str {
        match self {
            EntryField::Choice => "Choice",
            EntryField::Rationale => "Rationale",
            EntryField::Status => "Status",
            EntryField::Affects => "Affects Agents",
            EntryField::Date => "Date",
            EntryField::FoundBy => "Found By",
            EntryField::Metadata => "Metadata",
        }
    }

    /// Returns its name at the end of a bullet: `(found by: 001)`.
    fn as_str(self) -> &'static str {
        match self {
            EntryField::Choice => "choice",
            EntryField::Rationale => "rationale",
            EntryField::Status => "status",
            EntryField::Affects => "affects",
            EntryField::Date => "date",
            EntryField::FoundBy => "found by",
            EntryField::Metadata => "metadata",
        }
    }

    fn from_column(title: &str) -> Option<Self> {
        let title = title.trim().to_lowercase();
        EntryField::ALL
            .into_iter()
            .find(|field| title == field.column().to_lowercase() || title == field.as_str())
    }
}

/// The fields of an entry besides its text.
pub type EntryFields = IndexMap<EntryField, String>;

/// An entry to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry<'e> {
    /// Its kind.
    pub kind: EntryKind,
    /// Its text.
    pub text: &'e str,
    /// Its fields.
    pub fields: EntryFields,
    /// Whether it is already resolved.
    pub resolved: bool,
    /// The marks in its comment: `id`, `from`, `added`.
    pub marks: IndexMap<String, String>,
}

/// An entry of a memory document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemoryEntry {
    /// Its kind.
    pub kind: EntryKind,
    /// Its position among entries of its kind, from 1; for a session, the number in its heading.
    pub number: usize,
    /// Its id: the one in its comment, else a hash of its kind, its text and its ordinal among equal texts.
    pub id: String,
    /// Its title, if it has one besides its text.
    pub title: Option<String>,
    /// Its category.
    pub category: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its text.
    pub text: String,
    /// Its fields.
    pub fields: EntryFields,
    /// Whether it is resolved.
    pub resolved: bool,
    /// How it was resolved.
    pub resolution: Option<String>,
    /// The marks in its comment, including the id.
    pub marks: IndexMap<String, String>,
    /// The number of its first line.
    pub line: usize,
    /// The number of its last line.
    pub last_line: usize,
    /// Its byte range, line breaks included.
    pub bytes: Range<usize>,
    form: EntryForm,
}

/// The markdown form of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum EntryForm {
    Bullet,
    /// A table row, with the column titles of the table.
    Row(Vec<String>),
    Session,
    /// A heading with its text, in a file of decisions or lessons.
    LearningHeading,
    /// An item of a list in a file of decisions or lessons.
    LearningBullet,
}

/// The format of a document with entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MemoryFormat {
    /// Sections of bullets and table rows.
    #[default]
    Sections,
    /// Decisions or lessons, as [`learning`] describes them. All are of one kind.
    Learnings(EntryKind),
}

/// The content of a memory document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct MemoryEntries {
    /// The entries, in the order of the document.
    pub entries: Vec<MemoryEntry>,
    /// The problems in the document.
    pub problems: Vec<Problem>,
}

/// Returns the text of an entry without the comments that contain its marks.
fn without_marks(text: &str) -> String {
    let mut bare = text.to_owned();
    for range in comment::entry_mark_comments(text).into_iter().rev() {
        let start = bare[..range.start].trim_end_matches(' ').len();
        bare.replace_range(start..range.end, "");
    }
    bare
}

/// Returns the byte ranges of all comments that Heirloom wrote (ids, sessions, promotions), outside of code. The range
/// of a comment that is alone on its line is the whole line.
pub fn marker_comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for line in sections::split_lines(text).iter().filter(|line| !line.is_opaque) {
        let comments = comment::marker_comments(line.text);
        let is_alone = matches!(comments.as_slice(), [only]
            if only.start == 0 && line.text[only.end..].trim().is_empty());
        if is_alone {
            found.push(line.bytes.clone());
            continue;
        }
        let start = line.bytes.start;
        found.extend(comments.into_iter().map(|range| start + range.start..start + range.end));
    }
    found
}

/// Returns the mark with the day on which Heirloom added an entry, for [`NewEntry::marks`] and [`set_marks`].
pub fn added_mark(day: Date) -> (String, String) {
    (comment::ADDED.to_owned(), day.to_string())
}

/// The result of looking up a typed entry name.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryMatch<'n> {
    /// Exactly this entry.
    One(&'n MemoryEntry),
    /// The name fits all of these entries.
    Several(Vec<&'n MemoryEntry>),
    /// No entry has this name.
    Nothing,
}

/// The shortest suffix of an id that is accepted: shorter ones are rarely unique.
const MIN_ID_SUFFIX_CHARS: usize = 4;

impl MemoryEntry {
    /// Returns its ordinal name: `finding-3`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.kind.as_str(), self.number)
    }

    /// Returns whether its id is stored in its comment, so that it survives rewording.
    pub fn has_stored_id(&self) -> bool {
        self.marks.contains_key("id")
    }

    /// Returns its date: the one in its fields, else the day on which Heirloom added it.
    pub fn date(&self) -> Option<Date> {
        self.field(EntryField::Date).and_then(day::parse).or_else(|| self.added())
    }

    /// Returns the day on which Heirloom added it.
    fn added(&self) -> Option<Date> {
        self.marks.get(comment::ADDED).and_then(|day| day::parse(day))
    }

    /// Returns the value of a field.
    pub fn field(&self, field: EntryField) -> Option<&str> {
        self.fields.get(&field).map(String::as_str)
    }

    /// Returns the further data of its writer: JSON, or a string if the text is not JSON.
    pub fn metadata(&self) -> Option<Value> {
        let text = self.field(EntryField::Metadata)?;
        Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
    }

    /// Returns the format of its document.
    pub fn format(&self) -> MemoryFormat {
        match self.form {
            EntryForm::Bullet | EntryForm::Row(_) | EntryForm::Session => MemoryFormat::Sections,
            EntryForm::LearningHeading | EntryForm::LearningBullet => {
                MemoryFormat::Learnings(self.kind)
            }
        }
    }

    /// Returns its full content: in one line, for a decision with its choice and its rationale; or its title and its
    /// text, which may have several lines.
    pub fn full_text(&self) -> String {
        if matches!(self.format(), MemoryFormat::Learnings(_)) {
            let title = self.title.as_deref().unwrap_or_default();
            let separator = if title.is_empty() || self.text.is_empty() { "" } else { ": " };
            return format!("{title}{separator}{}", self.text);
        }
        let mut text = self.text.clone();
        if let Some(choice) = self.field(EntryField::Choice) {
            text.push_str(&format!(": {choice}"));
        }
        if let Some(rationale) = self.field(EntryField::Rationale) {
            text.push_str(&format!(" ({rationale})"));
        }
        if let Some(resolution) = &self.resolution {
            text.push_str(&format!(" — {resolution}"));
        }
        let separator = if self.kind == EntryKind::Session { "; " } else { " " };
        text.split('\n').map(str::trim).collect::<Vec<_>>().join(separator)
    }
}

impl MemoryEntries {
    /// Finds an entry by its ordinal name, its id or a suffix of its id.
    pub fn find(&self, typed: &str) -> EntryMatch<'_> {
        let typed = typed.trim().to_lowercase();
        let by_name: Vec<&MemoryEntry> =
            self.entries.iter().filter(|entry| entry.name() == typed).collect();
        let matches = if by_name.is_empty() {
            let by_id: Vec<&MemoryEntry> =
                self.entries.iter().filter(|entry| entry.id == typed).collect();
            if by_id.is_empty() && typed.len() >= MIN_ID_SUFFIX_CHARS {
                self.entries.iter().filter(|entry| entry.id.ends_with(&typed)).collect()
            } else {
                by_id
            }
        } else {
            by_name
        };
        match matches.as_slice() {
            [] => EntryMatch::Nothing,
            [one] => EntryMatch::One(one),
            _ => EntryMatch::Several(matches),
        }
    }

    /// Returns the entries of a kind.
    pub fn entries_of(&self, kind: EntryKind) -> impl Iterator<Item = &MemoryEntry> {
        self.entries.iter().filter(move |entry| entry.kind == kind)
    }
}
