//! The memory of an agent or a plan: a markdown document whose sections hold entries.
//!
//! People may reorder, reword and add prose anywhere. An entry is a bullet or a table row under a
//! heading that says what it is; what is written by a program is one line, so that two branches
//! which each add one merge by union.

mod counters;
mod edit;
mod escape;
mod form;
mod read;
mod rows;
mod sections;
mod template;

pub use counters::{Counters, readable};
pub use edit::{Refusal, add, add_session, mark, remove, resolve};
pub use read::read;
pub use rows::is_settled;
pub use template::{agent, plan};

use std::ops::Range;

use indexmap::IndexMap;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Problem, Value, day};

/// Whose memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// An agent's.
    Agent,
    /// A plan's.
    Plan,
}

/// What an entry is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// Something that was discovered.
    Finding,
    /// Something that was decided.
    Decision,
    /// Something that stands in the way, or stood.
    Blocker,
    /// Something that nobody knows yet, or knew.
    Question,
    /// Something that would be done differently.
    Lesson,
    /// A note on a session of work.
    Session,
}

impl EntryKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [EntryKind; 6] = [
        EntryKind::Finding,
        EntryKind::Decision,
        EntryKind::Blocker,
        EntryKind::Question,
        EntryKind::Lesson,
        EntryKind::Session,
    ];

    /// Returns its word.
    pub fn word(self) -> &'static str {
        match self {
            EntryKind::Finding => "finding",
            EntryKind::Decision => "decision",
            EntryKind::Blocker => "blocker",
            EntryKind::Question => "question",
            EntryKind::Lesson => "lesson",
            EntryKind::Session => "session",
        }
    }

    /// Reads its word.
    pub fn from_word(word: &str) -> Option<Self> {
        EntryKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Returns whether it is open until somebody settles it.
    pub fn is_task(self) -> bool {
        matches!(self, EntryKind::Blocker | EntryKind::Question)
    }
}

/// What is said of an entry beside its text.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// What was chosen.
    Choice,
    /// Why.
    Rationale,
    /// How far it has got.
    Status,
    /// Whom it concerns.
    Affects,
    /// When.
    Date,
    /// Who found it.
    FoundBy,
    /// What else its writer said of it, as a JSON object.
    Metadata,
}

impl Field {
    const ALL: [Field; 7] = [
        Field::Choice,
        Field::Rationale,
        Field::Status,
        Field::Affects,
        Field::Date,
        Field::FoundBy,
        Field::Metadata,
    ];

    /// The title of its column in a table.
    fn column(self) -> &'static str {
        match self {
            Field::Choice => "Choice",
            Field::Rationale => "Rationale",
            Field::Status => "Status",
            Field::Affects => "Affects Agents",
            Field::Date => "Date",
            Field::FoundBy => "Found By",
            Field::Metadata => "Metadata",
        }
    }

    /// Its word behind a bullet: `(found by: 001)`.
    fn word(self) -> &'static str {
        match self {
            Field::Choice => "choice",
            Field::Rationale => "rationale",
            Field::Status => "status",
            Field::Affects => "affects",
            Field::Date => "date",
            Field::FoundBy => "found by",
            Field::Metadata => "metadata",
        }
    }

    fn from_column(title: &str) -> Option<Self> {
        let title = title.trim().to_lowercase();
        Field::ALL
            .into_iter()
            .find(|field| title == field.column().to_lowercase() || title == field.word())
    }
}

/// What is said of an entry beside its text.
pub type Fields = IndexMap<Field, String>;

/// An entry to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry<'e> {
    /// What it is.
    pub kind: EntryKind,
    /// Its text.
    pub text: &'e str,
    /// What is said of it.
    pub fields: Fields,
    /// Whether it is settled already, and how.
    pub resolved: bool,
    /// What its comment says: `id`, `from`, `added`.
    pub marks: IndexMap<String, String>,
}

/// An entry of a memory document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What it is.
    pub kind: EntryKind,
    /// Which of its kind it is, from 1, in the order of the document; of a session, its number.
    pub number: usize,
    /// Its id: what its comment says, else a hash of its kind, text and ordinal among equals.
    pub id: String,
    /// Its text.
    pub text: String,
    /// What is said of it.
    pub fields: Fields,
    /// Whether it is settled.
    pub resolved: bool,
    /// How it was settled.
    pub resolution: Option<String>,
    /// What its comment says, the id included.
    pub marks: IndexMap<String, String>,
    /// Its first line.
    pub line: usize,
    /// Its bytes, line breaks included.
    pub bytes: Range<usize>,
    form: Form,
}

/// How an entry is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Form {
    Bullet,
    /// A row of a table, with the table's columns.
    Row(Vec<String>),
    Session,
}

/// What a memory document holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Notebook {
    /// The entries, in the order of the document.
    pub entries: Vec<Entry>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// Returns the text of an entry without the comments that hold its marks.
fn without_marks(text: &str) -> String {
    let mut bare = text.to_owned();
    for comment in form::mark_comments(text).into_iter().rev() {
        let start = bare[..comment.start].trim_end_matches(' ').len();
        bare.replace_range(start..comment.end, "");
    }
    bare
}

/// Returns the bytes of every comment in a document that Heirloom wrote for itself (ids, sessions,
/// promotions): the whole line where a comment is alone on it. Code is left as it is.
pub fn marker_comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for row in sections::rows(text).iter().filter(|row| !row.is_opaque) {
        let comments = form::marker_comments(row.text);
        let is_alone = matches!(comments.as_slice(), [one]
            if one.start == 0 && row.text[one.end..].trim().is_empty());
        if is_alone {
            found.push(row.bytes.clone());
            continue;
        }
        let start = row.bytes.start;
        found
            .extend(comments.into_iter().map(|comment| start + comment.start..start + comment.end));
    }
    found
}

/// Returns the mark that says on which day Heirloom added an entry, for [`NewEntry::marks`] and
/// [`mark`].
pub fn added_mark(day: Date) -> (String, String) {
    (form::ADDED.to_owned(), day.to_string())
}

/// Which entry a typed name means.
#[derive(Debug, Clone, PartialEq)]
pub enum Which<'n> {
    /// This one.
    One(&'n Entry),
    /// Any of these.
    Several(Vec<&'n Entry>),
    /// None.
    Nothing,
}

/// A shorter tail of an id would soon mean several.
const SHORTEST_TAIL: usize = 4;

impl Entry {
    /// Returns its ordinal name: `finding-3`.
    pub fn name(&self) -> String {
        format!("{}-{}", self.kind.word(), self.number)
    }

    /// Returns whether its id is written beside it, so that people may reword it.
    pub fn is_marked(&self) -> bool {
        self.marks.contains_key("id")
    }

    /// Returns the day that is written beside it: the one that it states, else the one on which
    /// Heirloom added it.
    pub fn own_date(&self) -> Option<Date> {
        self.field(Field::Date).and_then(day::parse).or_else(|| self.added())
    }

    /// Returns the day on which Heirloom added it.
    fn added(&self) -> Option<Date> {
        self.marks.get(form::ADDED).and_then(|written| day::parse(written))
    }

    /// Returns what is said of it.
    pub fn field(&self, field: Field) -> Option<&str> {
        self.fields.get(&field).map(String::as_str)
    }

    /// Returns what else its writer said of it: the JSON that is written there, or the words of
    /// somebody who wrote something else.
    pub fn metadata(&self) -> Option<Value> {
        let written = self.field(Field::Metadata)?;
        Some(serde_json::from_str(written).unwrap_or_else(|_| Value::String(written.to_owned())))
    }

    /// Returns all that it says in one line: a decision with its choice and its reason.
    pub fn sentence(&self) -> String {
        let mut text = self.text.clone();
        if let Some(choice) = self.field(Field::Choice) {
            text.push_str(&format!(": {choice}"));
        }
        if let Some(rationale) = self.field(Field::Rationale) {
            text.push_str(&format!(" ({rationale})"));
        }
        if let Some(resolution) = &self.resolution {
            text.push_str(&format!(" — {resolution}"));
        }
        let between = if self.kind == EntryKind::Session { "; " } else { " " };
        text.split('\n').map(str::trim).collect::<Vec<_>>().join(between)
    }
}

impl Notebook {
    /// Finds the entry that is meant: by ordinal name, by id, or by the end of an id.
    pub fn find(&self, typed: &str) -> Which<'_> {
        let typed = typed.trim().to_lowercase();
        let by_name: Vec<&Entry> =
            self.entries.iter().filter(|entry| entry.name() == typed).collect();
        let matches = if by_name.is_empty() {
            let whole: Vec<&Entry> =
                self.entries.iter().filter(|entry| entry.id == typed).collect();
            if whole.is_empty() && typed.len() >= SHORTEST_TAIL {
                self.entries.iter().filter(|entry| entry.id.ends_with(&typed)).collect()
            } else {
                whole
            }
        } else {
            by_name
        };
        match matches.as_slice() {
            [] => Which::Nothing,
            [one] => Which::One(one),
            _ => Which::Several(matches),
        }
    }

    /// Returns the entries of a kind.
    pub fn of(&self, kind: EntryKind) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.kind == kind)
    }
}
