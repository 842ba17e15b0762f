//! What each server is asked for the same task, in the way that suits it best.

use serde_json::{Value, json};

use super::facts::Fact;

/// A task that an agent does with its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    RecallRefund,
    RecallMigration,
    RecallTimeout,
    RecallUnknown,
    Show,
    Store,
    Change,
    Connect,
    Overview,
    Remove,
}

/// The tasks in order, with their names in the table.
pub(super) const TASKS: &[(Task, &str)] = &[
    (Task::RecallRefund, "recall: may a refund change its payment?"),
    (Task::RecallMigration, "recall: how do I write a migration?"),
    (Task::RecallTimeout, "recall: how long do calls to the bank take?"),
    (Task::RecallUnknown, "recall: something that nobody stored"),
    (Task::Show, "show one memory"),
    (Task::Store, "store a memory"),
    (Task::Change, "change a memory"),
    (Task::Connect, "connect two memories"),
    (Task::Overview, "an overview at the start of work"),
    (Task::Remove, "remove a memory"),
];

/// A tool and its arguments.
type Call = (&'static str, Value);

/// How a server is asked.
pub(super) struct Server {
    /// Stores a fact before the tasks.
    pub(super) store: fn(&Fact) -> Call,
    /// Reads the id of a stored fact from the answer.
    pub(super) id: fn(&str, &Fact) -> String,
    /// Asks for a task; ids are those of the facts in order.
    pub(super) request: fn(Task, &[String]) -> Call,
}

/// The text of the fact that is stored as a task.
const NEW_TEXT: &str =
    "Vouchers are payments with a method of their own; they expire after three years.";

/// The new text of the fact that is changed as a task.
const CHANGED_TEXT: &str =
    "A refund is an event of its own; it never changes the payment, and it is allowed for a year.";

/// `heir mcp`.
pub(super) const HEIR: Server = Server {
    store: |fact| ("memory_store", json!({"content": fact.text, "section": fact.section})),
    id: |answer, _| match serde_json::from_str::<Value>(answer) {
        Ok(data) => data["id"].as_str().unwrap_or_default().to_owned(),
        Err(_) => answer.split_whitespace().nth(2).unwrap_or_default().to_owned(),
    },
    request: |task, ids| {
        let recall = |query: &str| ("memory_recall", json!({"query": query, "limit": 5}));
        match task {
            Task::RecallRefund => recall("may a refund change its payment?"),
            Task::RecallMigration => recall("how do I write a migration?"),
            Task::RecallTimeout => recall("how long do calls to the bank take?"),
            Task::RecallUnknown => recall("kubernetes"),
            Task::Show => ("fact_show", json!({"id": ids[2]})),
            Task::Store => ("memory_store", json!({"content": NEW_TEXT, "section": "Decisions"})),
            Task::Change => {
                ("memory_supersede", json!({"fact_id": ids[1], "content": CHANGED_TEXT}))
            }
            Task::Connect => (
                "memory_connect",
                json!({"source": ids[3], "target": ids[2], "relation": "depends_on"}),
            ),
            Task::Overview => ("context_resolve", json!({})),
            Task::Remove => ("memory_archive", json!({"fact_ids": [ids[10]]})),
        }
    },
};

/// `@modelcontextprotocol/server-memory`. It finds entities that contain the query literally, so it gets the one word
/// that finds the answer.
pub(super) const SERVER_MEMORY: Server = Server {
    store: |fact| {
        ("create_entities", json!({"entities": [entity(fact.name, fact.section, fact.text)]}))
    },
    id: |_, fact| fact.name.to_owned(),
    request: |task, ids| {
        let search = |query: &str| ("search_nodes", json!({"query": query}));
        match task {
            Task::RecallRefund => search("refund"),
            Task::RecallMigration => search("migration"),
            Task::RecallTimeout => search("bank"),
            Task::RecallUnknown => search("kubernetes"),
            Task::Show => ("open_nodes", json!({"names": [ids[2]]})),
            Task::Store => (
                "create_entities",
                json!({"entities": [entity("Vouchers", "Decisions", NEW_TEXT)]}),
            ),
            Task::Change => (
                "add_observations",
                json!({"observations": [{"entityName": ids[1], "contents": [CHANGED_TEXT]}]}),
            ),
            Task::Connect => (
                "create_relations",
                json!({"relations": [{"from": ids[3], "to": ids[2], "relationType": "depends_on"}]}),
            ),
            Task::Overview => ("read_graph", json!({})),
            Task::Remove => ("delete_entities", json!({"entityNames": [ids[10]]})),
        }
    },
};

fn entity(name: &str, kind: &str, text: &str) -> Value {
    json!({"name": name, "entityType": kind, "observations": [text]})
}

/// basic-memory, with full-text search.
pub(super) const BASIC_MEMORY: Server = Server {
    store: |fact| ("write_note", note(fact.name, fact.section, fact.text)),
    id: |_, fact| fact.name.to_owned(),
    request: |task, ids| {
        let search = |query: &str| {
            ("search_notes", json!({"query": query, "page_size": 5, "search_type": "text"}))
        };
        match task {
            Task::RecallRefund => search("refund payment"),
            Task::RecallMigration => search("migration"),
            Task::RecallTimeout => search("calls bank"),
            Task::RecallUnknown => search("kubernetes"),
            Task::Show => ("read_note", json!({"identifier": ids[2]})),
            Task::Store => ("write_note", note("Vouchers", "Decisions", NEW_TEXT)),
            Task::Change => (
                "edit_note",
                json!({"identifier": ids[1], "operation": "append", "content": CHANGED_TEXT}),
            ),
            Task::Connect => (
                "edit_note",
                json!({"identifier": ids[3], "operation": "append", "content": format!("\n- depends_on [[{}]]", ids[2])}),
            ),
            Task::Overview => ("recent_activity", json!({"timeframe": "7d"})),
            Task::Remove => ("delete_note", json!({"identifier": ids[10]})),
        }
    },
};

fn note(title: &str, kind: &str, text: &str) -> Value {
    json!({"title": title, "directory": "facts", "content": text, "tags": [kind]})
}
