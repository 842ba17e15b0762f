//! `why`: says why an agent knows something, or does not.

use std::collections::HashSet;

use heirloom_core::adr::Status;
use heirloom_core::fold::Standing;
use heirloom_core::recall::{is_stop_word, terms};
use heirloom_core::record::EventAction;
use heirloom_core::{Hint, day};
use heirloom_index::StandingFilter;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::assembly::{ContextLine, Explanation, LeftOut};
use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, MemoryTarget};
use crate::recall::Search;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextWhy;

/// The share of the words of a text that a line must contain to be about it.
const MIN_COMMON_WORDS: f64 = 0.6;

/// Maximum number of lines that are shown.
const MAX_SHOWN: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What the agent knows or should know, in any words, or the id of a memory.
    text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Why {
    /// When the last context was assembled.
    assembled: String,
    /// The task that it was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// Lines of that context that say it.
    lines: Vec<ContextLine>,
    /// What was left out of it although it says it.
    left_out: Vec<LeftOut>,
    /// Ids of memories that say it and were no candidates.
    not_considered: Vec<String>,
    /// Memories that say it and are no longer part of any context.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    retired: Vec<RetiredMemory>,
}

/// A memory that is superseded, archived or expired.
#[derive(Debug, Serialize, JsonSchema)]
struct RetiredMemory {
    /// Id under which it can be read.
    id: String,
    /// Text.
    text: String,
    /// What happened to it: superseded by another memory, archived, no longer true.
    because: String,
    /// Path and line where it is written, or the source that its author stated.
    source: String,
}

impl Operation for ContextWhy {
    type Request = Request;
    type Response = Why;
    const SPEC: Spec = Spec {
        name: "context_why",
        usage: "why <text>...",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Say why the last assembled context contains something, or why it does not.",
    };

    fn run(session: &Session, request: Request) -> Result<Why, Error> {
        let Some(mut last) = Explanation::read_last(session)? else {
            return Err(Error::not_found("no context was assembled in this workspace yet", vec![])
                .hint(Hint::default().operation("context_assemble").then(" assembles one")));
        };
        let wanted = Wanted::new(&request.text);
        let mut lines = std::mem::take(&mut last.lines);
        lines.retain(|line| wanted.is_about(&line.id, &line.text));
        let mut left_out = std::mem::take(&mut last.left_out);
        left_out.retain(|one| wanted.is_about(&one.id, &one.text));
        let not_considered = match lines.is_empty() && left_out.is_empty() {
            true => memories_about(session, &request.text, &wanted)?,
            false => vec![],
        };
        lines.truncate(MAX_SHOWN);
        left_out.truncate(MAX_SHOWN);
        let retired = retired_memories(session, &request.text, &wanted)?;
        let Explanation { assembled, task, .. } = last;
        Ok(Why { assembled, task, lines, left_out, not_considered, retired })
    }
}

/// Returns the ids of memories that say something, or have an id.
fn memories_about(session: &Session, text: &str, wanted: &Wanted) -> Result<Vec<String>, Error> {
    let known = MemoryQuery::new().ids(std::slice::from_ref(&wanted.id)).read(session)?;
    let named = known.find(&wanted.id).ok().and_then(|target| known.item(&target.referent()));
    if let Some(item) = named.filter(|item| item.standing == Standing::Active) {
        return Ok(vec![item.short_id().to_owned()]);
    }
    let found = Search { query: text, limit: MAX_SHOWN, ..Search::default() }.run(session)?;
    let about = found.hits.into_iter().filter(|hit| wanted.is_about(&hit.item.id, &hit.item.text));
    Ok(about.map(|hit| hit.item.short_id().to_owned()).collect())
}

/// Returns the memories that say something, or have an id, and are superseded, archived or expired.
fn retired_memories(
    session: &Session,
    text: &str,
    wanted: &Wanted,
) -> Result<Vec<RetiredMemory>, Error> {
    let standing_filter = StandingFilter::Archive;
    let search = Search { query: text, limit: MAX_SHOWN, standing_filter, ..Search::default() };
    let found = search.run(session)?.hits.into_iter().map(|hit| hit.item);
    let mut items: Vec<MemoryItem> =
        found.filter(|item| wanted.is_about(&item.id, &item.text)).collect();
    let known = MemoryQuery::new()
        .ids(std::slice::from_ref(&wanted.id))
        .referents(items.iter().map(|item| item.referent.clone()))
        .read(session)?;
    let named = match known.find(&wanted.id) {
        Ok(MemoryTarget::Record(id)) => known.memory.item(id),
        _ => None,
    };
    let named = named.map(|item| MemoryItem::of_record(&known.memory, &item).on(session.today()));
    let is_new = |item: &MemoryItem| !items.iter().any(|other| other.id == item.id);
    let named = named.filter(|item| item.standing != Standing::Active && is_new(item));
    items.extend(named);
    let retired = |item: MemoryItem| RetiredMemory {
        id: item.short_id().to_owned(),
        because: retirement(&known, &item),
        text: item.text,
        source: item.source,
    };
    Ok(items.into_iter().map(retired).collect())
}

/// Returns whether a decision record states itself that it holds no more.
fn is_retired(status: &str) -> bool {
    [Status::Deprecated, Status::Superseded].iter().any(|retired| retired.as_str() == status)
}

/// Returns what happened to a memory, and when.
fn retirement(known: &MemorySlice, item: &MemoryItem) -> String {
    let day_of = |id: Uuid| known.memory.record(id).map(|record| day::of_timestamp(record.at));
    let on = |day: Option<Date>| day.map(|day| format!(" on {day}")).unwrap_or_default();
    match item.standing {
        Standing::Archived => {
            let events = known.memory.events(EventAction::Archive, &item.referent);
            format!("it was archived{}", on(events.into_iter().filter_map(day_of).min()))
        }
        Standing::Expired => match &item.valid_to {
            Some(day) => format!("it was true until {day}"),
            None => "it is no longer true".to_owned(),
        },
        Standing::Superseded | Standing::Active => {
            let new = item.replaced_by.iter().map(|new| {
                let day = new.record_id().and_then(day_of);
                format!("{}{}", new.short(), on(day))
            });
            match (new.collect::<Vec<_>>().join(", "), &item.status) {
                (new, _) if !new.is_empty() => format!("it was superseded by {new}"),
                (_, Some(status)) if is_retired(status) => format!("its status is {status}"),
                _ if item.kind == "adr" => "another decision record replaces it".to_owned(),
                _ => "it was superseded".to_owned(),
            }
        }
    }
}

/// What is looked for.
struct Wanted {
    id: String,
    words: HashSet<String>,
}

impl Wanted {
    fn new(text: &str) -> Self {
        let words = terms(text).into_iter().filter(|word| !is_stop_word(word)).collect();
        Wanted { id: text.trim().to_owned(), words }
    }

    /// Returns whether a memory has the id that is looked for, or most of the words.
    fn is_about(&self, id: &str, text: &str) -> bool {
        if !self.id.is_empty() && id.ends_with(&self.id) {
            return true;
        }
        let contained: HashSet<String> = terms(text).into_iter().collect();
        let common = self.words.intersection(&contained).count();
        common > 0 && common as f64 >= MIN_COMMON_WORDS * self.words.len() as f64
    }
}

impl Answer for Why {
    fn view(&self) -> View {
        let mut view = View::new();
        let task = self.task.as_ref().map(|task| format!(" for \"{task}\"")).unwrap_or_default();
        view.line([span(
            Role::Dim,
            format!("the last context{task}, assembled {}", self.assembled),
        )]);
        for line in &self.lines {
            view.wrapped_line(2, [line.text.as_str()]);
            let date = line.date.as_ref().map(|date| format!(" of {date}")).unwrap_or_default();
            let why = format!(
                "  because: {}; {}{date}, {} tier, value {:.3}, {} tokens · ",
                line.reason,
                line.kind,
                line.tier.as_str(),
                line.value,
                line.tokens
            );
            view.wrapped_line(2, [span(Role::Dim, why), span(Role::Source, &line.source)]);
        }
        for one in &self.left_out {
            view.wrapped_line(2, [format!("not in it: {} [{}]", one.text, one.id)]);
            let why = format!("  because {} ({} tokens) · ", one.because, one.tokens);
            view.wrapped_line(2, [span(Role::Dim, why), span(Role::Source, &one.source)]);
        }
        for one in &self.retired {
            view.wrapped_line(2, [format!("not in it: {} [{}]", one.text, one.id)]);
            let why = format!("  because {} · ", one.because);
            view.wrapped_line(2, [span(Role::Dim, why), span(Role::Source, &one.source)]);
        }
        let is_unknown = self.not_considered.is_empty() && !self.retired.is_empty();
        if self.lines.is_empty() && self.left_out.is_empty() && !is_unknown {
            let message = match self.not_considered.as_slice() {
                [] => "not in it: no memory says that".to_owned(),
                ids => format!(
                    "not in it: {} did not answer the task, files or errors well enough",
                    ids.join(", ")
                ),
            };
            view.line([message]);
        }
        view
    }
}
