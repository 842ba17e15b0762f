//! One thing that is remembered, as it is answered.

use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::memory::Entry;
use heirloom_core::recall::DocumentPart;
use heirloom_core::record::{Action, Body, Section};
use heirloom_core::{Value, day};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{Role, View, span};
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;

/// One thing that is remembered.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct MemoryItem {
    /// Its id; the last 8 characters will do to name it.
    pub(crate) id: String,
    /// What it is: fact, episode, pattern, workflow, note, finding, decision, blocker, question,
    /// lesson or session.
    pub(crate) kind: String,
    /// The section of a fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) section: Option<Section>,
    /// What it says.
    pub(crate) text: String,
    /// A name for what a fact is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// What that name stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// Where a fact holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
    /// The first day on which it is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_from: Option<String>,
    /// The first day on which it is true no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_to: Option<String>,
    /// Whether it stays on this machine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) private: bool,
    /// How things stand with it.
    pub(crate) standing: Standing,
    /// What stands in its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaced_by: Vec<String>,
    /// The status that a decision record states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<String>,
    /// Whether it is settled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) resolved: bool,
    /// Whether it is pinned to working memory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) pinned: bool,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// How sure the writer was, if they said so.
    pub(crate) confidence: Option<f64>,
    /// How often it was learnt again.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) reinforced: usize,
    /// Who wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) by: String,
    /// When it was recorded, as far as it is known.
    pub(crate) date: Option<String>,
    /// Where it is written, or where a hit comes from if its writer said so.
    pub(crate) source: String,
    /// Where its writer says that it comes from.
    #[serde(skip)]
    pub(crate) said_source: Option<String>,
    /// Everything else that it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<Value>,
    /// How well it answers the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl MemoryItem {
    /// Takes a record.
    pub(crate) fn of_record(memory: &Memory, item: &Item<'_>) -> Self {
        let record = item.record;
        let name = item.id.to_string();
        let fact = match &record.body {
            Body::Fact(fact) => Some(fact),
            _ => None,
        };
        MemoryItem {
            kind: record.kind().word().to_owned(),
            section: fact.map(|fact| fact.section),
            text: record.text().into_owned(),
            key: fact.and_then(|fact| fact.key.clone()),
            value: fact.and_then(|fact| fact.value.clone()),
            scope: fact.and_then(|fact| fact.scope.clone()),
            valid_from: record.valid_from.map(|day| day.to_string()),
            valid_to: record.valid_to.map(|day| day.to_string()),
            private: record.is_private(),
            standing: item.standing,
            replaced_by: replaced_by(memory, &name, item.standing),
            status: None,
            resolved: !memory.events(Action::Resolve, &name).is_empty(),
            pinned: is_pinned(memory, &name),
            tags: record.tags.clone(),
            confidence: record.confidence,
            reinforced: memory.reinforced(&name),
            by: record.by.clone(),
            date: Some(day::of(record.at).to_string()),
            source: format!("{}:{}", item.place.path, item.place.line),
            said_source: record.source.clone(),
            record: None,
            score: None,
            id: name,
        }
    }

    /// Takes an entry.
    pub(crate) fn of_entry(memory: &Memory, document: &MemoryDocument, entry: &Entry) -> Self {
        let name = entry_ref(&entry.id);
        let standing = memory.standing(&name);
        MemoryItem {
            kind: entry.kind.word().to_owned(),
            section: None,
            text: entry.sentence(),
            key: None,
            value: None,
            scope: None,
            valid_from: None,
            valid_to: None,
            private: false,
            standing,
            replaced_by: replaced_by(memory, &name, standing),
            status: None,
            resolved: entry.resolved,
            pinned: is_pinned(memory, &name),
            tags: vec![],
            confidence: None,
            reinforced: memory.reinforced(&name),
            by: document.owner().unwrap_or_default().to_owned(),
            date: document.since(entry).map(|date| date.to_string()),
            source: format!("{}:{}", document.path, entry.line),
            said_source: None,
            record: None,
            score: None,
            id: entry.id.clone(),
        }
    }

    /// Makes a thing that says only this.
    pub(crate) fn said(id: &str, kind: &str, text: &str) -> Self {
        MemoryItem {
            id: id.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            ..MemoryItem::default()
        }
    }

    /// Takes a part of a document, which the log calls by a name.
    pub(crate) fn of_part(memory: &Memory, subject: &str, part: &DocumentPart) -> Self {
        let standing = memory.standing(subject).max(part.standing);
        MemoryItem {
            standing,
            replaced_by: replaced_by(memory, subject, standing),
            status: part.status.clone(),
            resolved: part.resolved,
            pinned: is_pinned(memory, subject),
            tags: part.tags.clone(),
            reinforced: memory.reinforced(subject),
            by: part.by.clone(),
            date: part.date.map(|date| date.to_string()),
            source: format!("{}:{}", part.path, part.line),
            ..MemoryItem::said(&part.id, &part.kind, &part.text)
        }
    }

    /// Returns the name under which it is stored.
    pub(crate) fn name(&self) -> String {
        if uuid::Uuid::parse_str(&self.id).is_ok() { self.id.clone() } else { entry_ref(&self.id) }
    }
}

/// What was replaced hands its pins on.
fn is_pinned(memory: &Memory, name: &str) -> bool {
    !memory.events(Action::Pin, name).is_empty() && memory.standing(name) == Standing::Active
}

fn replaced_by(memory: &Memory, name: &str, standing: Standing) -> Vec<String> {
    if standing == Standing::Superseded { memory.heads(name) } else { vec![] }
}

/// Shows things, one a line and a line with where each comes from.
pub(crate) fn show_items(view: &mut View, things: &[MemoryItem]) {
    let names = super::MemorySlice::short_names(things.iter().map(|thing| thing.id.as_str()));
    for (thing, name) in things.iter().zip(names) {
        show_item(view, thing, name);
    }
}

/// Shows a thing under a short form of its id.
pub(crate) fn show_item(view: &mut View, thing: &MemoryItem, name: &str) {
    let mut head = vec![span(Role::Key, name), "  ".into()];
    if thing.pinned {
        head.push("📌 ".into());
    }
    head.push(thing.text.replace('\n', " ").into());
    view.line(head);
    let what = match thing.section {
        Some(section) => section.title().to_owned(),
        None => match &thing.status {
            Some(status) => format!("{}, {status}", thing.kind),
            None => thing.kind.clone(),
        },
    };
    let mut about = vec![what];
    about.extend(thing.date.clone());
    if !thing.by.is_empty() {
        about.push(thing.by.clone());
    }
    if let Some(confidence) = thing.confidence {
        about.push(format!("confidence {confidence}"));
    }
    if thing.reinforced > 0 {
        about.push(format!("reinforced {}×", thing.reinforced));
    }
    if thing.resolved {
        about.push("resolved".to_owned());
    }
    about.extend(thing.scope.iter().map(|scope| format!("in {scope}")));
    about.extend(thing.valid_from.iter().map(|day| format!("true from {day}")));
    about.extend(thing.valid_to.iter().map(|day| format!("true until {day}")));
    if thing.private {
        about.push("private".to_owned());
    }
    about.extend(thing.tags.iter().map(|tag| format!("#{tag}")));
    let mut line = vec![
        span(Role::Dim, format!("          {} · ", about.join(" · "))),
        span(Role::Source, &thing.source),
    ];
    if thing.standing != Standing::Active {
        let mut label = format!("  [{}", thing.standing.word());
        if !thing.replaced_by.is_empty() {
            let heads: Vec<&str> =
                thing.replaced_by.iter().map(|head| super::MemorySlice::short_name(head)).collect();
            label.push_str(&format!(" by {}", heads.join(", ")));
        }
        line.push(span(Role::Warning, format!("{label}]")));
    }
    view.line(line);
}
