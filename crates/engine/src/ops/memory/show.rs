//! `memory show`: shows the memory document of an agent or a plan.

use heirloom_core::fold::Standing;
use heirloom_core::memory::{EntryField, EntryKind, MemoryEntry};
use heirloom_core::record::{Referent, short_id, short_ids};
use heirloom_core::{Problem, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::MemoryQuery;
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::entry_dates::EntryDates;
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_file::MemoryFile;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number; or another level that has a memory (sprint=sprint-01).
    plan_id: String,
    /// Agent of that plan; without it, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// Only entries of this type.
    #[serde(default, rename = "type")]
    kind: Option<EntryKind>,
    /// Only open blockers and questions.
    #[serde(default)]
    open: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentMemory {
    /// Agent or plan whose memory it is.
    owner: String,
    /// Path of the memory document; it is created with the first entry.
    source: String,
    /// Findings.
    findings: Vec<String>,
    /// Decisions.
    decisions: Vec<DecisionEntry>,
    /// Blockers, resolved ones included.
    blockers: Vec<TaskEntry>,
    /// Questions, answered ones included.
    questions: Vec<TaskEntry>,
    /// Lessons learnt.
    lessons: Vec<String>,
    /// Session notes, newest first.
    sessions: Vec<SessionNote>,
    /// Every entry with its name and id.
    entries: Vec<EntryDetails>,
    /// Lines that could not be read.
    problems: Vec<Problem>,
    #[serde(skip)]
    filtered: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DecisionEntry {
    /// Subject of the decision.
    decision: String,
    /// Chosen option.
    choice: Option<String>,
    /// Reason for the choice.
    rationale: Option<String>,
    /// Agents that it affects.
    affects: Option<String>,
    /// Status, such as accepted.
    status: Option<String>,
    /// Date of the decision.
    date: Option<String>,
    /// Further fields given when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct TaskEntry {
    /// Text of the blocker or question.
    text: String,
    /// Whether it is resolved.
    resolved: bool,
    /// How it was resolved.
    resolution: Option<String>,
    /// Further fields given when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SessionNote {
    /// Number of the session.
    number: usize,
    /// Date of the session.
    date: Option<String>,
    /// Lines of the note.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntryDetails {
    /// Type and number (finding-3); changes when entries are reordered.
    name: String,
    /// Stable id.
    id: String,
    /// Type of entry.
    #[serde(rename = "type")]
    kind: EntryKind,
    /// Full text.
    text: String,
    /// Whether it is resolved.
    resolved: bool,
    /// Whether it is active, superseded or archived.
    standing: Standing,
    /// Date: the one it states, else the day it was added, else that of the commit that introduced its
    /// line, else that of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Further fields given when it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Value>,
    /// Agent that found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    found_by: Option<String>,
    /// Id of the plan's entry that it was promoted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted_to: Option<String>,
    /// Id of the agent's entry that it was promoted from.
    #[serde(skip_serializing_if = "Option::is_none")]
    promoted_from: Option<String>,
    /// Line number in the document.
    line: usize,
}

impl Operation for MemoryShow {
    type Request = Request;
    type Response = AgentMemory;
    const SPEC: Spec = Spec {
        name: "get_agent_memory",
        usage: "memory show <planId> [agentId|--plan]",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Show the memory of an agent or a plan: findings, decisions, blockers, questions, lessons and session notes.",
    };

    fn run(session: &Session, request: Request) -> Result<AgentMemory, Error> {
        let file = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        let matches = |entry: &&MemoryEntry| {
            request.kind.is_none_or(|kind| entry.kind == kind)
                && (!request.open || (entry.kind.is_task() && !entry.resolved))
        };
        let entries: Vec<&MemoryEntry> = file.content.entries.iter().filter(matches).collect();
        // Events in the log refer only to entries with a written id.
        let marked = entries.iter().filter(|entry| entry.has_stored_id());
        let marked: Vec<Referent> = marked.map(|entry| Referent::entry(&entry.id)).collect();
        let (memory, problems) = match marked.is_empty() {
            true => Default::default(),
            false => MemoryQuery::new().referents_without_relations(marked).read_log(session),
        };
        let text = file.text.clone().unwrap_or_default();
        let dated = MemoryDocument::from_file(&file, text, &EntryDates::new(session.root()));
        let of_kind =
            |kind: EntryKind| entries.iter().filter(move |entry| entry.kind == kind).copied();
        Ok(AgentMemory {
            owner: file.owner_label(),
            findings: of_kind(EntryKind::Finding).map(|entry| entry.text.clone()).collect(),
            decisions: of_kind(EntryKind::Decision).map(decision_entry).collect(),
            blockers: of_kind(EntryKind::Blocker).map(task_entry).collect(),
            questions: of_kind(EntryKind::Question).map(task_entry).collect(),
            lessons: of_kind(EntryKind::Lesson).map(|entry| entry.text.clone()).collect(),
            sessions: of_kind(EntryKind::Session).map(session_note).collect(),
            entries: entries
                .iter()
                .map(|entry| EntryDetails {
                    date: dated.date_of(entry).map(|date| date.to_string()),
                    ..entry_details(entry, memory.standing(&Referent::entry(&entry.id)))
                })
                .collect(),
            problems: file.content.problems.iter().cloned().chain(problems).collect(),
            filtered: request.open || request.kind.is_some(),
            source: file.path,
        })
    }
}

fn field(entry: &MemoryEntry, field: EntryField) -> Option<String> {
    entry.field(field).map(str::to_owned)
}

fn decision_entry(entry: &MemoryEntry) -> DecisionEntry {
    DecisionEntry {
        decision: entry.text.clone(),
        choice: field(entry, EntryField::Choice),
        rationale: field(entry, EntryField::Rationale),
        affects: field(entry, EntryField::Affects),
        status: field(entry, EntryField::Status),
        date: field(entry, EntryField::Date),
        metadata: entry.metadata(),
    }
}

fn task_entry(entry: &MemoryEntry) -> TaskEntry {
    TaskEntry {
        text: entry.text.clone(),
        resolved: entry.resolved,
        resolution: entry.resolution.clone(),
        metadata: entry.metadata(),
    }
}

fn session_note(entry: &MemoryEntry) -> SessionNote {
    SessionNote {
        number: entry.number,
        date: field(entry, EntryField::Date),
        notes: entry.text.lines().map(str::to_owned).collect(),
    }
}

fn entry_details(entry: &MemoryEntry, standing: Standing) -> EntryDetails {
    EntryDetails {
        name: entry.name(),
        id: entry.id.clone(),
        kind: entry.kind,
        text: entry.full_text(),
        resolved: entry.resolved,
        standing,
        date: None,
        metadata: entry.metadata(),
        found_by: field(entry, EntryField::FoundBy),
        promoted_to: entry.marks.get("promoted").cloned(),
        promoted_from: entry.marks.get("from").cloned(),
        line: entry.line,
    }
}

impl Answer for AgentMemory {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Title, format!("Memory of {}", self.owner)),
            "  ".into(),
            span(Role::Source, &self.source),
        ]);
        if self.entries.is_empty() && self.problems.is_empty() {
            let message =
                if self.filtered { "no entry matches" } else { "there are no entries yet" };
            view.line([span(Role::Dim, message)]);
        }
        let ids: Vec<&str> = self.entries.iter().map(|item| item.id.as_str()).collect();
        let named: Vec<(&EntryDetails, &str)> = self.entries.iter().zip(short_ids(&ids)).collect();
        for kind in EntryKind::ALL {
            let items: Vec<_> = named.iter().filter(|(item, _)| item.kind == kind).collect();
            if items.is_empty() {
                continue;
            }
            view.title(format!("{}s", present::capitalise(kind.as_str())));
            view.table(&[], items.iter().map(|(item, id)| row(item, id)).collect());
        }
        present::problems(&mut view, &self.problems);
        view
    }
}

fn row(item: &EntryDetails, id: &str) -> Vec<crate::view::Span> {
    let mark = match (item.kind.is_task(), item.resolved) {
        (true, true) => "✓ ",
        (true, false) => "○ ",
        _ => "",
    };
    let mut details = Vec::new();
    if let Some(agent) = &item.found_by {
        details.push(format!("found by {agent}"));
    }
    match &item.metadata {
        Some(Value::Object(map)) => {
            details
                .extend(map.iter().map(|(key, value)| format!("{key}: {}", present::value(value))));
        }
        Some(other) => details.push(present::value(other)),
        None => {}
    }
    if let Some(id) = &item.promoted_to {
        details.push(format!("promoted as {}", short_id(id)));
    }
    if item.standing != Standing::Active {
        details.push(item.standing.as_str().to_owned());
    }
    let details =
        if details.is_empty() { String::new() } else { format!("  ({})", details.join(" · ")) };
    vec![
        span(Role::Key, &item.name),
        span(Role::Dim, id),
        span(Role::Dim, item.date.as_deref().unwrap_or_default()),
        format!("{mark}{}{details}", item.text).into(),
    ]
}
