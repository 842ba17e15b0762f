//! `fact show`, `episode show`, `pattern show`, `workflow show`: one record, whole.

use std::marker::PhantomData;

use heirloom_core::Value;
use heirloom_core::fold::Standing;
use heirloom_core::record::{Action, Body, short};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::kinds::RecordKind;
use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, PointInTime, show_items};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Error, Operation, Session, Spec};

pub(crate) struct RecordShow<K>(PhantomData<K>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Its id, or the end of it.
    id: String,
    /// As known on this day.
    #[serde(default)]
    as_of: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    #[serde(flatten)]
    thing: MemoryItem,
    /// Other records that say the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// What it replaced, newest first, and what those replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<MemoryItem>,
    /// Why it was archived.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archived_because: Vec<String>,
    /// What it is related to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relations: Vec<Relation>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Relation {
    /// Where it starts.
    from: String,
    /// What it says.
    relation: &'static str,
    /// Where it leads.
    to: String,
}

impl<K: RecordKind> Operation for RecordShow<K> {
    type Request = Request;
    type Response = Shown;
    const SPEC: Spec = K::SHOW;

    fn run(session: &Session, request: Request) -> Result<Shown, Error> {
        let when = PointInTime::read(request.as_of.as_deref(), None)?;
        let known =
            MemoryQuery::new().ids(std::slice::from_ref(&request.id)).at(when).read(session)?;
        let id = known.find_record(&request.id)?;
        let item = known.memory.item(id).filter(|item| item.record.kind() == K::KIND);
        let item = item.ok_or_else(|| {
            let kind = known.memory.record(id).map_or("record", |record| record.kind().word());
            Error::bad_input(format!("`{}` is a {kind}, and no {}", request.id, K::KIND.word()))
                .hint(format!("use `heir {kind} show {}`", request.id))
        })?;
        let mut thing = MemoryItem::of_record(&known.memory, &item);
        thing.record = serde_json::to_value(item.record).ok();
        let name = item.id.to_string();
        let relations =
            known.memory.edges().into_keys().filter(|(from, to, _)| *from == name || *to == name);
        Ok(Shown {
            aliases: known
                .memory
                .aliases(item.id)
                .into_iter()
                .filter(|alias| *alias != item.id)
                .map(|alias| alias.to_string())
                .collect(),
            archived_because: reasons(&known, &name),
            history: history(&known, item.id),
            relations: relations
                .map(|(from, to, relation)| Relation { from, relation: relation.word(), to })
                .collect(),
            thing,
        })
    }
}

/// Why a record was archived, as far as anybody said.
fn reasons(known: &MemorySlice, name: &str) -> Vec<String> {
    let events = known.memory.events(Action::Archive, name).into_iter();
    events
        .filter_map(|id| match &known.memory.record(id)?.body {
            Body::Event(event) if !event.reason.is_empty() => Some(event.reason.clone()),
            _ => None,
        })
        .collect()
}

/// Follows what a record replaced.
fn history(known: &MemorySlice, id: Uuid) -> Vec<MemoryItem> {
    let mut seen = vec![known.memory.canonical(&id.to_string())];
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
            history.extend(known.thing(old));
            next.extend(
                Uuid::parse_str(old).map(|id| known.memory.aliases(id)).unwrap_or_default(),
            );
        }
    }
    history
}

impl Answer for Shown {
    fn view(&self) -> View {
        let mut view = View::new();
        show_items(&mut view, std::slice::from_ref(&self.thing));
        let rows = self.thing.record.as_ref().and_then(Value::as_object).into_iter().flatten();
        let rows = rows
            .filter(|(key, _)| !["v", "kind", "supersedes"].contains(&key.as_str()))
            .map(|(key, value)| {
                vec![span(Role::Key, format!("   {key}")), present::value(value).into()]
            });
        view.table(&[], rows.collect());
        for reason in &self.archived_because {
            view.line([span(Role::Warning, format!("   archived: {reason}"))]);
        }
        for relation in &self.relations {
            view.line([span(
                Role::Value,
                format!(
                    "   {} {} {}",
                    MemorySlice::short_name(&relation.from),
                    relation.relation,
                    MemorySlice::short_name(&relation.to)
                ),
            )]);
        }
        if !self.aliases.is_empty() {
            let ids: Vec<&str> = self.aliases.iter().map(|id| short(id)).collect();
            view.line([span(Role::Dim, format!("   also recorded as {}", ids.join(", ")))]);
        }
        if !self.history.is_empty() {
            view.title(if self.thing.standing == Standing::Active {
                "In place of"
            } else {
                "Before it"
            });
            show_items(&mut view, &self.history);
        }
        view
    }
}
