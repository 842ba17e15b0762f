//! Records: the lines of the memory log.
//!
//! On disk a record is one flat JSON object. Lines are never rewritten, so a field that this version does not know is
//! preserved.

mod fast_path;
mod line;
mod origin;
mod referent;
mod validation;
mod vocabulary;

pub use line::{LineError, MAX_LINE_BYTES, read, write};
pub use origin::Origin;
pub use referent::Referent;
pub use validation::find_invalid_field;
pub use vocabulary::{EventAction, FactSection, RecordKind, Relation, Visibility};

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use uuid::Uuid;

use crate::{Value, day};

/// The format version that this code writes; it does not read a line with a greater one.
pub const VERSION: u32 = 1;

/// The names of all fields of all kinds of records.
pub const FIELDS: &[&str] = &[
    "v",
    "id",
    "kind",
    "at",
    "by",
    "tags",
    "confidence",
    "source",
    "artifacts",
    "valid_from",
    "valid_to",
    "visibility",
    "summary",
    "compressed",
    "index",
    "supersedes",
    "origin",
    "session",
    "section",
    "content",
    "key",
    "value",
    "scope",
    "title",
    "goals",
    "decisions",
    "sequence",
    "outcome",
    "open",
    "files",
    "commits",
    "stored",
    "duration_seconds",
    "turns",
    "tool_calls",
    "trigger",
    "template",
    "hint",
    "steps",
    "details",
    "from",
    "to",
    "relation",
    "action",
    "targets",
    "undoes",
    "reason",
];

/// A line of the memory log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The format version.
    pub v: u32,
    /// Its id, a UUIDv7.
    pub id: Uuid,
    /// The fields of its kind.
    #[serde(flatten)]
    pub body: Body,
    /// When it was recorded.
    pub at: Timestamp,
    /// The agent or person that recorded it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The confidence of the writer, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The source of the knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The artifacts that it is about: `commit:…`, `pr:…`, `adr:…`, `file:…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// The first day on which it is true.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "day")]
    pub valid_from: Option<Date>,
    /// The first day on which it is no longer true.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "day")]
    pub valid_to: Option<Date>,
    /// Its audience.
    #[serde(default, skip_serializing_if = "Visibility::is_shared")]
    pub visibility: Visibility,
    /// Its text at shorter lengths.
    #[serde(flatten)]
    pub levels: Levels,
    /// The records and entries that it replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<Referent>,
    /// The source that it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The session or conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The text of a record at shorter lengths.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Levels {
    /// In a sentence or two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// In a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed: Option<String>,
    /// In a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
}

/// The fields of a record that depend on its kind. Most records are facts, so larger variants are boxed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Body {
    /// A piece of knowledge.
    Fact(Fact),
    /// The story of a session or a task.
    Episode(Box<Episode>),
    /// A code pattern of this project.
    Pattern(Box<Pattern>),
    /// A procedure of this project.
    Workflow(Box<Workflow>),
    /// A relation between two records or entries.
    Edge(RelationRecord),
    /// A reminder.
    Note(Note),
    /// An action on other records.
    Event(Event),
}

/// A piece of knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The section that it belongs to.
    pub section: FactSection,
    /// The text; may be empty if there are a key and a value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// The key, for a fact in the form of key and value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The value of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The part of the project for which it is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// The story of a session or a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Episode {
    /// The title.
    pub title: String,
    /// The narrative.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// The goals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// The decisions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// The actions, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<String>,
    /// The outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The open questions and tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// The changed files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// The records that were stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<Referent>,
    /// The duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u64>,
    /// The number of turns in the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// The number of tool calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
}

/// A code pattern of this project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Pattern {
    /// The situation in which it applies.
    pub trigger: String,
    /// The template, as a structure or as text.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub template: Value,
    /// The pattern in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Further explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A procedure of this project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Workflow {
    /// The situation in which it applies.
    pub trigger: String,
    /// The steps, in order.
    pub steps: Vec<String>,
    /// Details of the steps, by step.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The steps in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Further explanation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A relation between two records or entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationRecord {
    /// The source.
    pub from: Referent,
    /// The target.
    pub to: Referent,
    /// The relation.
    pub relation: Relation,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A reminder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The text.
    pub content: String,
}

/// An action on other records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The action.
    pub action: EventAction,
    /// The records and entries that it applies to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Referent>,
    /// The events that it undoes: dates do not decide, since clocks differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undoes: Vec<Referent>,
    /// The reason.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Record {
    /// Creates a record without optional fields.
    pub fn new(id: Uuid, at: Timestamp, by: &str, body: Body) -> Self {
        Record {
            v: VERSION,
            id,
            body,
            at,
            by: by.to_owned(),
            tags: vec![],
            confidence: None,
            source: None,
            artifacts: vec![],
            valid_from: None,
            valid_to: None,
            visibility: Visibility::Shared,
            levels: Levels::default(),
            supersedes: vec![],
            origin: None,
            session: None,
        }
    }

    /// Returns its kind.
    pub fn kind(&self) -> RecordKind {
        match self.body {
            Body::Fact(_) => RecordKind::Fact,
            Body::Episode(_) => RecordKind::Episode,
            Body::Pattern(_) => RecordKind::Pattern,
            Body::Workflow(_) => RecordKind::Workflow,
            Body::Edge(_) => RecordKind::Edge,
            Body::Note(_) => RecordKind::Note,
            Body::Event(_) => RecordKind::Event,
        }
    }

    /// Returns whether it stays on this machine.
    pub fn is_private(&self) -> bool {
        self.visibility == Visibility::Private
    }

    /// Returns its text in a line or a paragraph.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.body {
            Body::Fact(fact) => fact.text(),
            Body::Episode(episode) => Cow::Borrowed(&episode.title),
            Body::Pattern(pattern) => {
                with_detail(&pattern.trigger, pattern.hint.as_deref().unwrap_or(&pattern.content))
            }
            Body::Workflow(workflow) => match &workflow.hint {
                Some(hint) => with_detail(&workflow.trigger, hint),
                None => Cow::Owned(format!("{}: {}", workflow.trigger, workflow.steps.join(" → "))),
            },
            Body::Edge(edge) => {
                Cow::Owned(format!("{} {} {}", edge.from, edge.relation.word(), edge.to))
            }
            Body::Note(note) => Cow::Borrowed(&note.content),
            Body::Event(event) => Cow::Borrowed(event.action.word()),
        }
    }

    /// Returns the text that is indexed.
    pub fn indexed_text(&self) -> String {
        let mut parts: Vec<Cow<'_, str>> = vec![self.text()];
        match &self.body {
            Body::Fact(fact) => {
                let optional = [&fact.key, &fact.value, &fact.scope];
                parts.extend(
                    optional.into_iter().flatten().map(|text| Cow::Borrowed(text.as_str())),
                );
            }
            Body::Episode(episode) => {
                parts.push(Cow::Borrowed(&episode.content));
                let lists = [&episode.goals, &episode.decisions, &episode.sequence, &episode.open];
                parts.extend(lists.into_iter().flatten().map(|item| Cow::Borrowed(item.as_str())));
                parts.extend(episode.outcome.as_deref().map(Cow::Borrowed));
                parts.extend(episode.files.iter().map(|file| Cow::Borrowed(file.as_str())));
            }
            Body::Pattern(pattern) => {
                parts.push(Cow::Borrowed(&pattern.content));
                parts.push(Cow::Owned(flatten(&pattern.template)));
            }
            Body::Workflow(workflow) => {
                parts.push(Cow::Borrowed(&workflow.content));
                parts.push(Cow::Owned(workflow.steps.join(" ")));
                parts.extend(workflow.details.values().map(|value| Cow::Owned(flatten(value))));
            }
            Body::Edge(_) | Body::Note(_) | Body::Event(_) => {}
        }
        parts.extend(self.levels.summary.as_deref().map(Cow::Borrowed));
        parts.extend(self.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())));
        parts.extend(self.artifacts.iter().map(|artifact| Cow::Borrowed(artifact.as_str())));
        parts.join("\n")
    }

    /// Returns all free text in it, for the scan for secrets.
    pub fn all_text(&self) -> String {
        let mut texts = vec![self.indexed_text()];
        match &self.body {
            Body::Fact(Fact { key: Some(key), value: Some(value), .. }) => {
                texts.push(format!("{key} = {value}"));
            }
            Body::Edge(edge) => texts.push(edge.content.clone()),
            Body::Event(event) => texts.push(event.reason.clone()),
            Body::Episode(episode) => texts.extend(episode.commits.iter().cloned()),
            _ => {}
        }
        let levels = [&self.levels.compressed, &self.levels.index, &self.source];
        texts.extend(levels.into_iter().flatten().cloned());
        texts.join("\n")
    }

    /// Returns everything that it refers to.
    pub fn referents(&self) -> Vec<&Referent> {
        let body: Vec<&Referent> = match &self.body {
            Body::Edge(edge) => vec![&edge.from, &edge.to],
            Body::Event(event) => event.targets.iter().chain(&event.undoes).collect(),
            Body::Episode(episode) => episode.stored.iter().collect(),
            _ => vec![],
        };
        self.supersedes.iter().chain(body).collect()
    }
}

impl Fact {
    fn text(&self) -> Cow<'_, str> {
        match (&self.key, &self.value) {
            (Some(key), Some(value)) if self.content.is_empty() => {
                Cow::Owned(format!("{key}: {value}"))
            }
            _ => Cow::Borrowed(&self.content),
        }
    }
}

fn with_detail<'t>(head: &'t str, detail: &str) -> Cow<'t, str> {
    if detail.is_empty() { Cow::Borrowed(head) } else { Cow::Owned(format!("{head}: {detail}")) }
}

/// Returns all keys and values of a structure as text.
fn flatten(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(flatten).collect::<Vec<_>>().join(" "),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| format!("{key} {}", flatten(value)))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}

/// Returns the short form of an id for people to type: its last 8 characters.
pub fn short_id(id: &str) -> &str {
    let start = id.len().saturating_sub(8);
    if id.is_char_boundary(start) { &id[start..] } else { id }
}

/// Returns the short forms of ids that are shown together, in their order: the last 8 characters, or as many more as
/// make each unique. Equal ids are not shortened.
pub fn short_ids<'i>(ids: &[&'i str]) -> Vec<&'i str> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by(|&a, &b| ids[a].bytes().rev().cmp(ids[b].bytes().rev()));
    let shared_suffix_bytes = |a: usize, b: usize| {
        ids[a].bytes().rev().zip(ids[b].bytes().rev()).take_while(|(a, b)| a == b).count()
    };
    let mut shorts: Vec<&str> = ids.iter().map(|id| short_id(id)).collect();
    for (position, &index) in order.iter().enumerate() {
        let previous = position.checked_sub(1).map(|previous| order[previous]);
        let neighbours = previous.into_iter().chain(order.get(position + 1).copied());
        let shared = neighbours.map(|other| shared_suffix_bytes(index, other)).max().unwrap_or(0);
        if shared >= shorts[index].len() {
            shorts[index] = suffix(ids[index], shared + 1);
        }
    }
    shorts
}

/// Returns at least the last `min_bytes` of an id; the result never starts with a dash, which would look like a flag.
fn suffix(id: &str, min_bytes: usize) -> &str {
    let start = id.len().saturating_sub(min_bytes);
    let is_valid_start =
        |offset: &usize| id.is_char_boundary(*offset) && !id[*offset..].starts_with('-');
    (0..=start).rev().find(is_valid_start).map_or(id, |start| &id[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_a_common_suffix_get_longer_short_forms() {
        let ids = [
            "0198c0de-0000-7000-8000-00000000002a",
            "0198c0de-0000-7000-8001-00000000002a",
            "0198c0de-0000-7000-8000-000000000001",
            "3f2a00000002a",
            "é0000000002a",
            "short",
        ];
        assert_eq!(
            short_ids(&ids),
            ["0-00000000002a", "1-00000000002a", "00000001", "a00000002a", "é0000000002a", "short"]
        );
        assert_eq!(short_ids(&["aaaabbbbcccc", "aaaabbbbcccc"]), ["aaaabbbbcccc"; 2]);
        assert!(short_ids(&[]).is_empty());
        let all = ids.map(str::to_owned);
        for (id, short) in all.iter().zip(short_ids(&ids)) {
            assert_eq!(all.iter().filter(|other| other.ends_with(short)).count(), 1, "{id}");
        }
    }
}
