//! `fact show`, `episode show`, `pattern show`, `workflow show`: shows one record with its history.

use std::marker::PhantomData;

use heirloom_core::record::{Body, EventAction, RecordKind, Referent, short_id};
use heirloom_core::usage::UsageCounts;
use heirloom_core::{Hint, Value, day};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::kinds::{ListableKind, show_operation};
use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, OriginCheck, PointInTime, show_items};
use crate::usage::{Usage, UsageReport};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Error, Operation, Session, Spec};

pub(crate) struct RecordShow<K>(PhantomData<K>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id of the record, or the end of the id.
    id: String,
    /// Show what was known on this day.
    #[serde(default)]
    as_of: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordDetails {
    #[serde(flatten)]
    pub(crate) item: MemoryItem,
    /// Ids of other records with the same content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// Records that it replaced, directly or indirectly, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<MemoryItem>,
    /// Reasons for archiving it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archived_because: Vec<String>,
    /// Relations to other memories and documents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relations: Vec<RecordRelation>,
    /// How often it was used on this machine, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<UsageReport>,
    /// The workspace that it is of, if it is of another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workspace: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RecordRelation {
    /// Source of the relation.
    from: Referent,
    /// Kind of relation.
    relation: &'static str,
    /// Target of the relation.
    to: Referent,
}

impl<K: ListableKind> Operation for RecordShow<K> {
    type Request = Request;
    type Response = RecordDetails;
    const SPEC: Spec = K::SHOW;

    fn run(session: &Session, request: Request) -> Result<RecordDetails, Error> {
        let when = PointInTime::parse(request.as_of.as_deref(), None)?;
        let known =
            MemoryQuery::new().ids(std::slice::from_ref(&request.id)).at(when).read(session)?;
        let id = known.find_record(&request.id)?;
        let item = known.memory.item(id).filter(|item| item.record.kind() == K::KIND);
        let item = item.ok_or_else(|| {
            let kind = known.memory.record(id).map(heirloom_core::record::Record::kind);
            let actual = present::with_article(kind.map_or("record", RecordKind::as_str));
            let expected = present::with_article(K::KIND.as_str());
            let error = Error::bad_input(format!("`{}` is {actual}, not {expected}", request.id));
            match kind.and_then(show_operation) {
                Some(show) => error.hint(Hint::text("use ").call(show, [("id", &request.id)])),
                None => error,
            }
        })?;
        let today = when.as_of.map_or_else(|| session.today(), day::of_timestamp);
        let mut shown = MemoryItem::of_record(&known.memory, &item);
        shown.record = serde_json::to_value(item.record).ok();
        let mut details = RecordDetails::new(session, &known, shown, today);
        details.add_usage(&Usage::read(session));
        Ok(details)
    }
}

impl RecordDetails {
    /// Adds history and relations to a memory, as it stands on a day.
    pub(crate) fn new(
        session: &Session,
        known: &MemorySlice,
        item: MemoryItem,
        today: Date,
    ) -> Self {
        let mut item = item.on(today);
        OriginCheck::new(session).label(&mut item);
        item.show_pins_of(session.agent());
        let name = item.referent.clone();
        let relations =
            known.memory.edges().into_keys().filter(|(from, to, _)| *from == name || *to == name);
        let id = name.record_id();
        let aliases = id.map(|id| known.memory.aliases(id)).unwrap_or_default().into_iter();
        RecordDetails {
            aliases: aliases
                .filter(|alias| Some(*alias) != id)
                .map(|alias| alias.to_string())
                .collect(),
            archived_because: archive_reasons(known, &name),
            history: id.map(|id| history(known, id)).unwrap_or_default(),
            relations: relations
                .map(|(from, to, relation)| RecordRelation {
                    from,
                    relation: relation.as_str(),
                    to,
                })
                .collect(),
            item,
            usage: None,
            workspace: None,
        }
    }

    /// Adds how often it was used on this machine.
    pub(crate) fn add_usage(&mut self, usage: &Usage) {
        let counts = usage.counts(&self.item.referent);
        let is_used = self.workspace.is_none() && counts != UsageCounts::default();
        self.usage = is_used.then(|| UsageReport::of(&counts));
    }

    /// Wraps a memory that has no history.
    pub(crate) fn of_item(item: MemoryItem) -> Self {
        RecordDetails {
            item,
            aliases: vec![],
            history: vec![],
            archived_because: vec![],
            relations: vec![],
            usage: None,
            workspace: None,
        }
    }

    /// Names the workspace that it is of.
    pub(crate) fn in_workspace(self, name: &str) -> Self {
        RecordDetails { workspace: Some(name.to_owned()), ..self }
    }
}

/// Returns the stated reasons for archiving or withdrawing a record.
fn archive_reasons(known: &MemorySlice, record: &Referent) -> Vec<String> {
    let actions = [EventAction::Archive, EventAction::Undo].into_iter();
    let events = actions.flat_map(|action| known.memory.events(action, record));
    events
        .filter_map(|id| match &known.memory.record(id)?.body {
            Body::Event(event) if !event.reason.is_empty() => Some(event.reason.clone()),
            _ => None,
        })
        .collect()
}

/// Returns the records that a record replaced, directly or indirectly.
fn history(known: &MemorySlice, id: Uuid) -> Vec<MemoryItem> {
    let mut seen = vec![known.memory.canonical(&id.into())];
    let mut next: Vec<Uuid> = known.memory.aliases(id);
    let mut history = Vec::new();
    while let Some(id) = next.pop() {
        let Some(record) = known.memory.record(id) else { continue };
        for old in &record.supersedes {
            let canonical = known.memory.canonical(old);
            if seen.contains(&canonical) {
                continue;
            }
            seen.push(canonical);
            history.extend(known.item(old));
            next.extend(old.record_id().map(|id| known.memory.aliases(id)).unwrap_or_default());
        }
    }
    history
}

impl Answer for RecordDetails {
    fn view(&self) -> View {
        let mut view = View::new();
        show_items(&mut view, std::slice::from_ref(&self.item));
        let rows = self.item.record.as_ref().and_then(Value::as_object).into_iter().flatten();
        let rows = rows
            .filter(|(key, _)| !["v", "kind", "supersedes"].contains(&key.as_str()))
            .map(|(key, value)| {
                vec![span(Role::Key, format!("   {key}")), present::value(value).into()]
            });
        view.table(&[], rows.collect());
        show_additions(&mut view, self);
        view
    }
}

/// Prints why a memory was archived, its relations, how often it was used, and its history.
pub(crate) fn show_additions(view: &mut View, details: &RecordDetails) {
    for reason in &details.archived_because {
        view.line([span(Role::Warning, format!("   archived: {reason}"))]);
    }
    for RecordRelation { from, relation, to } in &details.relations {
        let relation = format!("   {} {relation} {}", from.short(), to.short());
        view.line([span(Role::Value, relation)]);
    }
    if !details.aliases.is_empty() {
        let ids: Vec<&str> = details.aliases.iter().map(|id| short_id(id)).collect();
        view.line([span(Role::Dim, format!("   also recorded as {}", ids.join(", ")))]);
    }
    if let Some(usage) = &details.usage {
        view.line([span(Role::Dim, format!("   {}", usage.describe()))]);
    }
    if !details.history.is_empty() {
        view.title(if !details.item.standing.is_retired() { "Replaces" } else { "Replaced" });
        show_items(view, &details.history);
    }
}
