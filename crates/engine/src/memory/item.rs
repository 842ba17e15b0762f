//! A memory in the form in which operations return and print it.

use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::memory::MemoryEntry;
use heirloom_core::recall::DocumentPart;
use heirloom_core::record::{Body, EventAction, FactSection};
use heirloom_core::{Value, day};
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::{Role, View, span};
use crate::workspace::memory_document::{MemoryDocument, entry_ref};

/// A memory: a record of the log, an entry of a memory document, or a section of another document.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct MemoryItem {
    /// Its id; commands accept the last 8 characters.
    pub(crate) id: String,
    /// Its kind: fact, episode, pattern, workflow, note, finding, decision, blocker, question,
    /// lesson or session.
    pub(crate) kind: String,
    /// The section of a fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) section: Option<FactSection>,
    /// Its text.
    pub(crate) text: String,
    /// The key of a fact, if it states a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<String>,
    /// The value of the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// The scope in which a fact holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) scope: Option<String>,
    /// The first day on which it is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_from: Option<String>,
    /// The first day on which it is no longer true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) valid_to: Option<String>,
    /// Whether it stays on this machine and out of git.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) private: bool,
    /// Whether it is active, superseded or archived.
    pub(crate) standing: Standing,
    /// The ids of the memories that superseded it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaced_by: Vec<String>,
    /// The status of a decision record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<String>,
    /// Whether a question or a blocker is resolved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) resolved: bool,
    /// Whether it is pinned to working memory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) pinned: bool,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    /// How sure the author was, from 0 to 1, if stated.
    pub(crate) confidence: Option<f64>,
    /// How often it was reinforced.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) reinforced: usize,
    /// Its author.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) by: String,
    /// The day on which it was recorded, if known.
    pub(crate) date: Option<String>,
    /// The path and line where it is written, or the source that its author stated.
    pub(crate) source: String,
    /// The source that its author stated.
    #[serde(skip)]
    pub(crate) stated_source: Option<String>,
    /// All fields of the record, if requested.
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
    /// Makes an item of a record.
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
            resolved: !memory.events(EventAction::Resolve, &name).is_empty(),
            pinned: is_pinned(memory, &name),
            tags: record.tags.clone(),
            confidence: record.confidence,
            reinforced: memory.reinforcement_count(&name),
            by: record.by.clone(),
            date: Some(day::of_timestamp(record.at).to_string()),
            source: format!("{}:{}", item.place.path, item.place.line),
            stated_source: record.source.clone(),
            record: None,
            score: None,
            id: name,
        }
    }

    /// Makes an item of an entry.
    pub(crate) fn of_entry(
        memory: &Memory,
        document: &MemoryDocument,
        entry: &MemoryEntry,
    ) -> Self {
        let name = entry_ref(&entry.id);
        let standing = memory.standing(&name);
        MemoryItem {
            standing,
            replaced_by: replaced_by(memory, &name, standing),
            resolved: entry.resolved,
            pinned: is_pinned(memory, &name),
            reinforced: memory.reinforcement_count(&name),
            by: document.owner().unwrap_or_default().to_owned(),
            date: document.date_of(entry).map(|date| date.to_string()),
            source: format!("{}:{}", document.path, entry.line),
            ..MemoryItem::new(&entry.id, entry.kind.word(), &entry.full_text())
        }
    }

    /// Makes an item without optional fields.
    pub(crate) fn new(id: &str, kind: &str, text: &str) -> Self {
        MemoryItem {
            id: id.to_owned(),
            kind: kind.to_owned(),
            text: text.to_owned(),
            ..MemoryItem::default()
        }
    }

    /// Makes an item of a part of a document. `subject` is the name by which the log refers to it.
    pub(crate) fn of_part(memory: &Memory, subject: &str, part: &DocumentPart) -> Self {
        let standing = memory.standing(subject).max(part.standing);
        MemoryItem {
            standing,
            replaced_by: replaced_by(memory, subject, standing),
            status: part.status.clone(),
            resolved: part.resolved,
            pinned: is_pinned(memory, subject),
            tags: part.tags.clone(),
            reinforced: memory.reinforcement_count(subject),
            by: part.by.clone(),
            date: part.date.map(|date| date.to_string()),
            source: format!("{}:{}", part.path, part.line),
            ..MemoryItem::new(&part.id, &part.kind, &part.text)
        }
    }

    /// Returns the name by which the log refers to it.
    pub(crate) fn name(&self) -> String {
        if uuid::Uuid::parse_str(&self.id).is_ok() { self.id.clone() } else { entry_ref(&self.id) }
    }
}

/// Returns whether a memory is pinned. The pin of a superseded memory passes to its successors.
fn is_pinned(memory: &Memory, name: &str) -> bool {
    !memory.events(EventAction::Pin, name).is_empty() && memory.standing(name) == Standing::Active
}

fn replaced_by(memory: &Memory, name: &str, standing: Standing) -> Vec<String> {
    if standing == Standing::Superseded { memory.heads(name) } else { vec![] }
}

/// Prints items, each with a line of details.
pub(crate) fn show_items(view: &mut View, items: &[MemoryItem]) {
    let names = super::MemorySlice::short_names(items.iter().map(|item| item.id.as_str()));
    for (item, name) in items.iter().zip(names) {
        show_item(view, item, name);
    }
}

/// Prints an item under a short form of its id.
pub(crate) fn show_item(view: &mut View, item: &MemoryItem, name: &str) {
    let mut head = vec![span(Role::Key, name), "  ".into()];
    if item.pinned {
        head.push("📌 ".into());
    }
    head.push(item.text.replace('\n', " ").into());
    view.line(head);
    let kind = match item.section {
        Some(section) => section.title().to_owned(),
        None => match &item.status {
            Some(status) => format!("{}, {status}", item.kind),
            None => item.kind.clone(),
        },
    };
    let mut details = vec![kind];
    details.extend(item.date.clone());
    if !item.by.is_empty() {
        details.push(item.by.clone());
    }
    if let Some(confidence) = item.confidence {
        details.push(format!("confidence {confidence}"));
    }
    if item.reinforced > 0 {
        details.push(format!("reinforced {}×", item.reinforced));
    }
    if item.resolved {
        details.push("resolved".to_owned());
    }
    details.extend(item.scope.iter().map(|scope| format!("in {scope}")));
    details.extend(item.valid_from.iter().map(|day| format!("true from {day}")));
    details.extend(item.valid_to.iter().map(|day| format!("true until {day}")));
    if item.private {
        details.push("private".to_owned());
    }
    details.extend(item.tags.iter().map(|tag| format!("#{tag}")));
    let mut line = vec![
        span(Role::Dim, format!("          {} · ", details.join(" · "))),
        span(Role::Source, &item.source),
    ];
    if item.standing != Standing::Active {
        let mut label = format!("  [{}", item.standing.word());
        if !item.replaced_by.is_empty() {
            let heads: Vec<&str> =
                item.replaced_by.iter().map(|head| super::MemorySlice::short_name(head)).collect();
            label.push_str(&format!(" by {}", heads.join(", ")));
        }
        line.push(span(Role::Warning, format!("{label}]")));
    }
    view.line(line);
}
