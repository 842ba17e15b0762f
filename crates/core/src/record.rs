//! One line of the memory log: who wrote what, when, and about what.
//!
//! On disk a record is one flat JSON object. Lines are never rewritten, so a field that this
//! version does not know stays where it is.

mod fault;
mod line;
mod plain_line;
mod words;

pub use fault::fault;
pub use line::{Damage, MAX_LINE, read, write};
pub use words::{Action, Kind, Relation, Section, Visibility};

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use uuid::Uuid;

use crate::{Value, day};

/// The version of the format that this code writes; a line with a greater one is newer than it.
pub const VERSION: u32 = 1;

/// Every field that a record of some kind may have.
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

/// A record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the format.
    pub v: u32,
    /// Its id, a UUIDv7.
    pub id: Uuid,
    /// What it says.
    #[serde(flatten)]
    pub body: Body,
    /// When it was recorded.
    pub at: Timestamp,
    /// Who recorded it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How sure the writer was, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Where it was learnt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What it is about: `commit:…`, `pr:…`, `adr:…`, `file:…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// The first day on which it is true.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "day")]
    pub valid_from: Option<Date>,
    /// The first day on which it is true no more.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "day")]
    pub valid_to: Option<Date>,
    /// Who may see it.
    #[serde(default, skip_serializing_if = "Visibility::is_shared")]
    pub visibility: Visibility,
    /// Shorter ways of saying it.
    #[serde(flatten)]
    pub levels: Levels,
    /// What it replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// What it was taken from; one origin is one record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The session or conversation in which it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Shorter ways of saying what a record says in full.
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

/// What a record says, by its kind. Most records are facts, so what takes more room than a fact lies
/// elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Body {
    /// One thing that is known.
    Fact(Fact),
    /// What happened in a stretch of work, and why.
    Episode(Box<Episode>),
    /// A shape that code takes here.
    Pattern(Box<Pattern>),
    /// Steps that are taken here.
    Workflow(Box<Workflow>),
    /// A relation between two things.
    Edge(Edge),
    /// Something to come back to.
    Note(Note),
    /// Something that was done to other records.
    Event(Event),
}

/// One thing that is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What sort of knowledge it is.
    pub section: Section,
    /// The knowledge in words; may be empty where there is a key and a value.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// A name for what it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What that name stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Where it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// What happened in a stretch of work, and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Episode {
    /// What to call it.
    pub title: String,
    /// The narrative.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// What was to be achieved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// What was done, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What was left open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// Files that were touched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Commits that were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// Records that were stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<String>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<u64>,
    /// How often somebody spoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// How often a tool was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
}

/// A shape that code takes here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Pattern {
    /// When it applies.
    pub trigger: String,
    /// The shape, as a structure or as text.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub template: Value,
    /// The shape in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// More about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// Steps that are taken here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Workflow {
    /// When it applies.
    pub trigger: String,
    /// The steps, in order.
    pub steps: Vec<String>,
    /// What a step is in detail.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The steps in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// More about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// A relation between two things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Where it starts.
    pub from: String,
    /// Where it leads.
    pub to: String,
    /// What it says.
    pub relation: Relation,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
}

/// Something to come back to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The note.
    pub content: String,
}

/// Something that was done to other records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What was done.
    pub action: Action,
    /// What it was done to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// The events that it undoes, by their ids; no event wins by its date.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undoes: Vec<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Record {
    /// Makes a record that says only this.
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
    pub fn kind(&self) -> Kind {
        match self.body {
            Body::Fact(_) => Kind::Fact,
            Body::Episode(_) => Kind::Episode,
            Body::Pattern(_) => Kind::Pattern,
            Body::Workflow(_) => Kind::Workflow,
            Body::Edge(_) => Kind::Edge,
            Body::Note(_) => Kind::Note,
            Body::Event(_) => Kind::Event,
        }
    }

    /// Returns whether it stays on this machine.
    pub fn is_private(&self) -> bool {
        self.visibility == Visibility::Private
    }

    /// Returns what it says in a line or a paragraph.
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

    /// Returns every word that it can be found by.
    pub fn searchable(&self) -> String {
        let mut parts: Vec<Cow<'_, str>> = vec![self.text()];
        match &self.body {
            Body::Fact(fact) => {
                let named = [&fact.key, &fact.value, &fact.scope];
                parts.extend(named.into_iter().flatten().map(|text| Cow::Borrowed(text.as_str())));
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
                parts.push(Cow::Owned(flat(&pattern.template)));
            }
            Body::Workflow(workflow) => {
                parts.push(Cow::Borrowed(&workflow.content));
                parts.push(Cow::Owned(workflow.steps.join(" ")));
                parts.extend(workflow.details.values().map(|value| Cow::Owned(flat(value))));
            }
            Body::Edge(_) | Body::Note(_) | Body::Event(_) => {}
        }
        parts.extend(self.levels.summary.as_deref().map(Cow::Borrowed));
        parts.extend(self.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())));
        parts.extend(self.artifacts.iter().map(|artifact| Cow::Borrowed(artifact.as_str())));
        parts.join("\n")
    }

    /// Returns everything that somebody wrote into it, for a check of what it gives away.
    pub fn written(&self) -> String {
        let mut written = vec![self.searchable()];
        match &self.body {
            Body::Fact(Fact { key: Some(key), value: Some(value), .. }) => {
                written.push(format!("{key} = {value}"));
            }
            Body::Edge(edge) => written.push(edge.content.clone()),
            Body::Event(event) => written.push(event.reason.clone()),
            Body::Episode(episode) => written.extend(episode.commits.iter().cloned()),
            _ => {}
        }
        let levels = [&self.levels.compressed, &self.levels.index, &self.source];
        written.extend(levels.into_iter().flatten().cloned());
        written.join("\n")
    }

    /// Returns every other thing that it names.
    pub fn names(&self) -> Vec<&str> {
        let body: Vec<&str> = match &self.body {
            Body::Edge(edge) => vec![&edge.from, &edge.to],
            Body::Event(event) => {
                event.targets.iter().chain(&event.undoes).map(String::as_str).collect()
            }
            Body::Episode(episode) => episode.stored.iter().map(String::as_str).collect(),
            _ => vec![],
        };
        self.supersedes.iter().map(String::as_str).chain(body).collect()
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

/// The words of a structure, keys included.
fn flat(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(flat).collect::<Vec<_>>().join(" "),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| format!("{key} {}", flat(value)))
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    }
}

/// Returns the short form of an id, which people type: its last 8 characters.
pub fn short(id: &str) -> &str {
    let start = id.len().saturating_sub(8);
    if id.is_char_boundary(start) { &id[start..] } else { id }
}

/// Returns the short forms of ids that are shown together, in their order: the last 8 characters, or
/// as many more as tell an id apart from the others. Equal ids are shown whole.
pub fn short_ids<'i>(ids: &[&'i str]) -> Vec<&'i str> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by(|&a, &b| ids[a].bytes().rev().cmp(ids[b].bytes().rev()));
    let shared = |a: usize, b: usize| {
        ids[a].bytes().rev().zip(ids[b].bytes().rev()).take_while(|(a, b)| a == b).count()
    };
    let mut shorts: Vec<&str> = ids.iter().map(|id| short(id)).collect();
    for (at, &own) in order.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| order[before]);
        let neighbours = before.into_iter().chain(order.get(at + 1).copied());
        let longest = neighbours.map(|other| shared(own, other)).max().unwrap_or(0);
        if longest >= shorts[own].len() {
            shorts[own] = tail(ids[own], longest + 1);
        }
    }
    shorts
}

/// Returns at least so many bytes of an id's end; a dash at its start would look like a flag.
fn tail(id: &str, bytes: usize) -> &str {
    let start = id.len().saturating_sub(bytes);
    let is_start = |at: &usize| id.is_char_boundary(*at) && !id[*at..].starts_with('-');
    (0..=start).rev().find(is_start).map_or(id, |start| &id[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_end_alike_are_shown_with_more_characters() {
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
