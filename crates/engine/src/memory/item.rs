//! A memory in the form in which operations return and print it.

use heirloom_core::fold::{Item, Memory, Standing};
use heirloom_core::memory::MemoryEntry;
use heirloom_core::recall::{DocumentPart, strip_section_prefix};
use heirloom_core::record::{
    Body, EventAction, FactSection, Origin, Record, Referent, ShortTexts, short_id, short_ids,
};
use heirloom_core::{Value, day};
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::pin_owner::PinOwner;
use crate::view::{Role, Span, View, span};
use crate::workspace::memory_document::MemoryDocument;

/// A memory: a record of the log, an entry of a memory document, or a section of another document.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct MemoryItem {
    /// What the log refers to it by.
    #[serde(skip)]
    pub(crate) referent: Referent,
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
    /// The category of a decision or a lesson, if stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
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
    /// Whether it is active, expired, superseded or archived.
    pub(crate) standing: Standing,
    /// The ids of the memories that superseded it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) replaced_by: Vec<Referent>,
    /// The status of a decision record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<String>,
    /// Whether a question, a blocker or a note is resolved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) resolved: bool,
    /// Whether it is pinned to working memory.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) pinned: bool,
    /// Why the document that it was made from no longer states it, if people changed the document since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outdated: Option<String>,
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
    /// The path of the file where it is written.
    #[serde(skip)]
    pub(crate) path: String,
    /// Its line in that file.
    #[serde(skip)]
    pub(crate) line: usize,
    /// The title of a record or an entry, if it has one.
    #[serde(skip)]
    pub(crate) title: Option<String>,
    /// The shorter texts that its author supplied.
    #[serde(skip)]
    pub(crate) short_texts: ShortTexts,
    /// All that an episode states; its text is the title.
    #[serde(skip)]
    pub(crate) statements: Option<String>,
    /// When the work of an episode began, or else when it was recorded.
    #[serde(skip)]
    pub(crate) began: Option<Timestamp>,
    /// The source that its author stated.
    #[serde(skip)]
    pub(crate) stated_source: Option<String>,
    /// The agents that pinned it; `None` for a shared pin.
    #[serde(skip)]
    pub(crate) pinned_by: Vec<Option<String>>,
    /// What it was made from.
    #[serde(skip)]
    pub(crate) origin: Option<Origin>,
    /// What an earlier version was made from, if a person replaced that by this text.
    #[serde(skip)]
    pub(crate) edited_origin: Option<Origin>,
    /// All fields of the record, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<Value>,
    /// How well it answers the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
}

/// Returns the origin of the version of a memory that a person edited, or edited again.
fn edited_origin(memory: &Memory, record: &Record) -> Option<Origin> {
    let mut seen: Vec<Uuid> = vec![record.id];
    let mut edited = record;
    while edited.origin.is_none() {
        let mut old = edited.supersedes.iter().filter_map(Referent::record_id);
        edited = old.find_map(|id| memory.record(id).filter(|_| !seen.contains(&id)))?;
        seen.push(edited.id);
    }
    edited.origin.clone().filter(|_| edited.id != record.id)
}

fn start_of_episode(record: &Record) -> Option<Timestamp> {
    let Body::Episode(episode) = &record.body else { return None };
    let seconds = i64::try_from(episode.duration_seconds.unwrap_or_default()).ok()?;
    record.at.checked_sub(SignedDuration::from_secs(seconds)).ok()
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl MemoryItem {
    /// Makes an item of a record.
    pub(crate) fn of_record(memory: &Memory, item: &Item<'_>) -> Self {
        let record = item.record;
        let referent = Referent::Record(item.id);
        let fact = match &record.body {
            Body::Fact(fact) => Some(fact),
            _ => None,
        };
        MemoryItem {
            section: fact.map(|fact| fact.section),
            key: fact.and_then(|fact| fact.key.clone()),
            value: fact.and_then(|fact| fact.value.clone()),
            scope: fact.and_then(|fact| fact.scope.clone()),
            valid_from: record.valid_from.map(|day| day.to_string()),
            valid_to: record.valid_to.map(|day| day.to_string()),
            private: record.is_private(),
            standing: item.standing,
            resolved: !memory.events(EventAction::Resolve, &referent).is_empty(),
            tags: record.tags.clone(),
            confidence: record.confidence,
            by: record.by.clone(),
            date: Some(day::of_timestamp(record.at).to_string()),
            title: record.title().map(str::to_owned),
            short_texts: record.levels.clone(),
            statements: matches!(record.body, Body::Episode(_))
                .then(|| record.statements().into_owned()),
            began: start_of_episode(record),
            stated_source: record.source.clone(),
            origin: record.origin.clone(),
            edited_origin: edited_origin(memory, record),
            ..MemoryItem::new(
                memory,
                referent,
                (&item.id.to_string(), record.kind().as_str(), record.text().into_owned()),
                item.standing,
                (&item.place.path, item.place.line),
            )
        }
    }

    /// Returns the item as it stands on a day: one that was true until then or before is expired.
    #[must_use]
    pub(crate) fn on(mut self, today: Date) -> Self {
        let end = self.valid_to.as_deref().and_then(day::parse);
        if self.standing == Standing::Active && end.is_some_and(|end| end <= today) {
            self.standing = Standing::Expired;
        }
        self
    }

    /// Makes an item of an entry.
    pub(crate) fn of_entry(
        memory: &Memory,
        document: &MemoryDocument,
        entry: &MemoryEntry,
    ) -> Self {
        let referent = Referent::entry(&entry.id);
        let standing = memory.standing(&referent);
        MemoryItem {
            title: entry.title.clone(),
            category: entry.category.clone(),
            tags: entry.tags.clone(),
            resolved: entry.resolved,
            by: document.owner().unwrap_or_default().to_owned(),
            date: document.date_of(entry).map(|date| date.to_string()),
            ..MemoryItem::new(
                memory,
                referent,
                (&entry.id, entry.kind.as_str(), entry.full_text()),
                standing,
                (&document.path, entry.line),
            )
        }
    }

    /// Makes an item of a part of a document. `subject` is what the log refers to it by.
    pub(crate) fn of_part(memory: &Memory, subject: &Referent, part: &DocumentPart) -> Self {
        let standing = memory.standing(subject).max(part.standing);
        MemoryItem {
            status: part.status.clone(),
            title: part.title.clone(),
            category: part.category.clone(),
            resolved: part.resolved,
            tags: part.tags.clone(),
            by: part.by.clone(),
            date: part.date.map(|date| date.to_string()),
            ..MemoryItem::new(
                memory,
                subject.clone(),
                (&part.id, &part.kind, part.text.clone()),
                standing,
                (&part.path, part.line),
            )
        }
    }

    /// Makes an item with what the log says about every memory, and without optional fields.
    fn new(
        memory: &Memory,
        referent: Referent,
        (id, kind, text): (&str, &str, String),
        standing: Standing,
        (path, line): (&str, usize),
    ) -> Self {
        // The pin of a superseded memory passes to its successors.
        let is_active = memory.standing(&referent) == Standing::Active;
        let pins = memory.events(EventAction::Pin, &referent).into_iter().filter(|_| is_active);
        let pins = pins.filter_map(|event| memory.record(event));
        let pinned_by: Vec<Option<String>> = pins.map(|pin| PinOwner::of(pin).agent()).collect();
        MemoryItem {
            id: id.to_owned(),
            kind: kind.to_owned(),
            section: None,
            text,
            category: None,
            key: None,
            value: None,
            scope: None,
            valid_from: None,
            valid_to: None,
            private: false,
            standing,
            // A document may state itself that it was superseded, which the log does not know.
            replaced_by: match memory.standing(&referent) {
                Standing::Superseded => memory.heads(&referent),
                Standing::Active | Standing::Expired | Standing::Archived => vec![],
            },
            status: None,
            resolved: false,
            pinned: !pinned_by.is_empty(),
            pinned_by,
            outdated: None,
            tags: vec![],
            confidence: None,
            reinforced: memory.reinforcement_count(&referent),
            by: String::new(),
            date: None,
            source: format!("{path}:{line}"),
            path: path.to_owned(),
            line,
            title: None,
            short_texts: ShortTexts::default(),
            statements: None,
            began: None,
            stated_source: None,
            origin: None,
            edited_origin: None,
            record: None,
            score: None,
            referent,
        }
    }

    /// Shows it as pinned only if it is in the working memory of an agent. A person sees the pins of all.
    pub(crate) fn show_pins_of(&mut self, agent: Option<&str>) {
        let is_seen = |owner: &Option<String>| match (owner, agent) {
            (Some(owner), Some(agent)) => owner == agent,
            _ => true,
        };
        self.pinned = self.pinned_by.iter().any(is_seen);
    }

    /// Returns a form of its id for people to read.
    pub(crate) fn short_id(&self) -> &str {
        short_memory_id(&self.id)
    }
}

/// Returns a form of the id of a memory for people to read. A section of a document is shown by its path.
pub(crate) fn short_memory_id(id: &str) -> &str {
    strip_section_prefix(id).unwrap_or_else(|| short_id(id))
}

/// Returns forms of the ids of memories that are shown together, each of a length at which it is
/// unambiguous.
pub(crate) fn short_item_ids<'i>(items: impl IntoIterator<Item = &'i MemoryItem>) -> Vec<&'i str> {
    let ids: Vec<&str> = items.into_iter().map(|item| item.id.as_str()).collect();
    let short = short_ids(&ids);
    ids.iter().zip(short).map(|(id, short)| strip_section_prefix(id).unwrap_or(short)).collect()
}

/// Prints items, each with a line of details.
pub(crate) fn show_items(view: &mut View, items: &[MemoryItem]) {
    for (item, name) in items.iter().zip(short_item_ids(items)) {
        show_item(view, item, name);
    }
}

/// A memory with less confidence is labelled as a guess.
const LOW_CONFIDENCE: f64 = 0.5;

/// The column of an item's details and of the further lines of its text: after a short id.
const DETAILS_INDENT: usize = 10;

/// Prints an item under a short form of its id.
pub(crate) fn show_item(view: &mut View, item: &MemoryItem, name: &str) {
    let mut head = vec![span(Role::Key, name), "  ".into()];
    if item.pinned {
        head.push("📌 ".into());
    }
    head.push(item.text.replace('\n', " ").into());
    view.wrapped_line(DETAILS_INDENT, head);
    let mut line = vec![span(Role::Dim, " ".repeat(DETAILS_INDENT))];
    line.extend(item_details(item));
    view.wrapped_line(DETAILS_INDENT, line);
}

/// Returns what is known about an item besides its text: kind, date, author, source, labels.
pub(crate) fn item_details(item: &MemoryItem) -> Vec<Span> {
    let kind = match item.section {
        Some(section) => section.title().to_owned(),
        None => match &item.status {
            Some(status) => format!("{}, {status}", item.kind),
            None => item.kind.clone(),
        },
    };
    let mut details = vec![kind];
    details.extend(item.category.clone());
    details.extend(item.date.clone());
    if !item.by.is_empty() {
        details.push(item.by.clone());
    }
    if let Some(confidence) = item.confidence {
        let label = if confidence < LOW_CONFIDENCE { "low confidence" } else { "confidence" };
        details.push(format!("{label} {confidence}"));
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
        span(Role::Dim, format!("{} · ", details.join(" · "))),
        span(Role::Source, &item.source),
    ];
    if item.standing != Standing::Active {
        let mut label = format!("  [{}", item.standing.as_str());
        if !item.replaced_by.is_empty() {
            let heads: Vec<_> = item.replaced_by.iter().map(Referent::short).collect();
            label.push_str(&format!(" by {}", heads.join(", ")));
        }
        line.push(span(Role::Warning, format!("{label}]")));
    }
    if let Some(reason) = &item.outdated {
        line.push(span(Role::Warning, format!("  [outdated: {reason}]")));
    }
    line
}
