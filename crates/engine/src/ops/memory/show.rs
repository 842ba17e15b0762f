//! `memory show`: what an agent or a plan remembers.

use heirloom_core::fold::Standing;
use heirloom_core::memory::{Entry, EntryKind, Field};
use heirloom_core::record::{short, short_ids};
use heirloom_core::{Problem, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::MemoryQuery;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_document::entry_ref;
use crate::workspace::memory_file::MemoryFile;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number.
    plan_id: String,
    /// Agent of that plan; without one, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// Only entries of this kind.
    #[serde(default, rename = "type")]
    kind: Option<EntryKind>,
    /// Only blockers and questions that are open.
    #[serde(default)]
    open: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Shown {
    /// Whose memory it is.
    owner: String,
    /// Its file; it is made when something is first remembered.
    source: String,
    /// What was discovered.
    findings: Vec<String>,
    /// What was decided.
    decisions: Vec<Decision>,
    /// What stands in the way, or stood.
    blockers: Vec<Task>,
    /// What is not known, or was not.
    questions: Vec<Task>,
    /// What would be done differently.
    lessons: Vec<String>,
    /// Notes on sessions, newest first.
    sessions: Vec<SessionNote>,
    /// Every entry with its names.
    entries: Vec<Item>,
    /// What could not be read.
    problems: Vec<Problem>,
    #[serde(skip)]
    filtered: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Decision {
    /// What it is about.
    decision: String,
    /// What was chosen.
    choice: Option<String>,
    /// Why.
    rationale: Option<String>,
    /// Whom it concerns.
    affects: Option<String>,
    /// How far it has got.
    status: Option<String>,
    /// When.
    date: Option<String>,
    /// What else was said of it when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Task {
    /// What it is.
    text: String,
    /// Whether it is settled.
    resolved: bool,
    /// How.
    resolution: Option<String>,
    /// What else was said of it when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SessionNote {
    /// Its number.
    number: usize,
    /// When.
    date: Option<String>,
    /// What was noted.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    /// Its ordinal name, which changes when people reorder.
    name: String,
    /// Its id, which does not.
    id: String,
    /// What it is.
    #[serde(rename = "type")]
    kind: EntryKind,
    /// What it says, all of it.
    text: String,
    /// Whether it is settled.
    resolved: bool,
    /// How things stand with it.
    standing: Standing,
    /// When it was written: the day that it states, else the day on which it was added, else that of
    /// the commit that introduced its line, else that of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// What else was said of it when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
    /// Who found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    found_by: Option<String>,
    /// The entry of the plan's memory that it was promoted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted_to: Option<String>,
    /// The entry of an agent's memory that it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted_from: Option<String>,
    /// Its line.
    line: usize,
}

impl Operation for MemoryShow {
    type Request = Request;
    type Response = Shown;
    const SPEC: Spec = Spec {
        name: "get_agent_memory",
        usage: "memory show <planId> [agentId|--plan]",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show what an agent remembers of earlier sessions, or what its plan does: findings, decisions, blockers, questions, lessons and session notes.",
    };

    fn run(session: &Session, request: Request) -> Result<Shown, Error> {
        let book = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        let wanted = |entry: &&Entry| {
            request.kind.is_none_or(|kind| entry.kind == kind)
                && (!request.open || (entry.kind.is_task() && !entry.resolved))
        };
        let entries: Vec<&Entry> = book.notebook.entries.iter().filter(wanted).collect();
        // Whatever was done to an entry first wrote its id beside it.
        let marked = entries.iter().filter(|entry| entry.is_marked());
        let marked: Vec<String> = marked.map(|entry| entry_ref(&entry.id)).collect();
        let (memory, problems) = match marked.is_empty() {
            true => Default::default(),
            false => MemoryQuery::new().names_without_relations(marked).read_log(session),
        };
        let text = book.text.clone().unwrap_or_default();
        let dated = MemoryDocument::of_book(&book, text, &EntryDates::of(session.root()));
        let of = |kind: EntryKind| entries.iter().filter(move |entry| entry.kind == kind).copied();
        Ok(Shown {
            owner: book.whose(),
            findings: of(EntryKind::Finding).map(|entry| entry.text.clone()).collect(),
            decisions: of(EntryKind::Decision).map(decision).collect(),
            blockers: of(EntryKind::Blocker).map(task).collect(),
            questions: of(EntryKind::Question).map(task).collect(),
            lessons: of(EntryKind::Lesson).map(|entry| entry.text.clone()).collect(),
            sessions: of(EntryKind::Session).map(noted).collect(),
            entries: entries
                .iter()
                .map(|entry| Item {
                    date: dated.since(entry).map(|date| date.to_string()),
                    ..item(entry, memory.standing(&entry_ref(&entry.id)))
                })
                .collect(),
            problems: book.notebook.problems.iter().cloned().chain(problems).collect(),
            filtered: request.open || request.kind.is_some(),
            source: book.path,
        })
    }
}

fn own(entry: &Entry, field: Field) -> Option<String> {
    entry.field(field).map(str::to_owned)
}

fn decision(entry: &Entry) -> Decision {
    Decision {
        decision: entry.text.clone(),
        choice: own(entry, Field::Choice),
        rationale: own(entry, Field::Rationale),
        affects: own(entry, Field::Affects),
        status: own(entry, Field::Status),
        date: own(entry, Field::Date),
        metadata: entry.metadata(),
    }
}

fn task(entry: &Entry) -> Task {
    Task {
        text: entry.text.clone(),
        resolved: entry.resolved,
        resolution: entry.resolution.clone(),
        metadata: entry.metadata(),
    }
}

fn noted(entry: &Entry) -> SessionNote {
    SessionNote {
        number: entry.number,
        date: own(entry, Field::Date),
        notes: entry.text.lines().map(str::to_owned).collect(),
    }
}

fn item(entry: &Entry, standing: Standing) -> Item {
    Item {
        name: entry.name(),
        id: entry.id.clone(),
        kind: entry.kind,
        text: entry.sentence(),
        resolved: entry.resolved,
        standing,
        date: None,
        metadata: entry.metadata(),
        found_by: own(entry, Field::FoundBy),
        promoted_to: entry.marks.get("promoted").cloned(),
        promoted_from: entry.marks.get("from").cloned(),
        line: entry.line,
    }
}

impl Answer for Shown {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Title, format!("Memory of {}", self.owner)),
            "  ".into(),
            span(Role::Source, &self.source),
        ]);
        if self.entries.is_empty() && self.problems.is_empty() {
            let nothing =
                if self.filtered { "nothing of that" } else { "nothing is remembered yet" };
            view.line([span(Role::Dim, nothing)]);
        }
        let ids: Vec<&str> = self.entries.iter().map(|item| item.id.as_str()).collect();
        let named: Vec<(&Item, &str)> = self.entries.iter().zip(short_ids(&ids)).collect();
        for kind in EntryKind::ALL {
            let items: Vec<_> = named.iter().filter(|(item, _)| item.kind == kind).collect();
            if items.is_empty() {
                continue;
            }
            view.title(format!("{}s", present::capitalised(kind.word())));
            view.table(&[], items.iter().map(|(item, id)| row(item, id)).collect());
        }
        present::problems(&mut view, &self.problems);
        view
    }
}

fn row(item: &Item, id: &str) -> Vec<crate::view::Span> {
    let mark = match (item.kind.is_task(), item.resolved) {
        (true, true) => "✓ ",
        (true, false) => "○ ",
        _ => "",
    };
    let mut about = Vec::new();
    if let Some(who) = &item.found_by {
        about.push(format!("found by {who}"));
    }
    match &item.metadata {
        Some(Value::Object(map)) => {
            about
                .extend(map.iter().map(|(key, value)| format!("{key}: {}", present::value(value))));
        }
        Some(other) => about.push(present::value(other)),
        None => {}
    }
    if let Some(id) = &item.promoted_to {
        about.push(format!("promoted as {}", short(id)));
    }
    if item.standing != Standing::Active {
        about.push(item.standing.word().to_owned());
    }
    let about =
        if about.is_empty() { String::new() } else { format!("  ({})", about.join(" · ")) };
    vec![
        span(Role::Key, &item.name),
        span(Role::Dim, id),
        span(Role::Dim, item.date.as_deref().unwrap_or_default()),
        format!("{mark}{}{about}", item.text).into(),
    ]
}
