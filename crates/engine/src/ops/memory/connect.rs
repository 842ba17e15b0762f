//! `memory connect`: adds or removes a relation between two memories or documents.

use heirloom_core::Hint;
use heirloom_core::record::{Body, EventAction, Referent, Relation, RelationRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{MemoryQuery, MemorySlice, WriteTransaction};
use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::{Answer, Effect, Error, ErrorKind, Group, Operation, Session, Spec};

pub(crate) struct MemoryConnect;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Source: id of a memory, or a document (ADR-0003, a plan, a path).
    source: String,
    /// Target, named like the source.
    target: String,
    /// Kind of relation.
    relation: Relation,
    /// Reason.
    #[serde(default)]
    reason: Option<String>,
    /// Remove the relation.
    #[serde(default)]
    remove: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConnectionChange {
    /// Id of the relation's record.
    id: String,
    /// Source of the relation.
    from: Referent,
    /// Kind of relation.
    relation: Relation,
    /// Target of the relation.
    to: Referent,
    /// What was done: connected, already connected or disconnected.
    done: &'static str,
}

impl Operation for MemoryConnect {
    type Request = Request;
    type Response = ConnectionChange;
    const SPEC: Spec = Spec {
        name: "memory_connect",
        usage: "memory connect <source> <target> <relation>",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Relate memories or documents: source depends_on, contradicts, enables, replaces or is motivated_by target.",
    };

    fn run(session: &Session, request: Request) -> Result<ConnectionChange, Error> {
        let relation = request.relation;
        let mut transaction = WriteTransaction::begin(session, false)?;
        let ends = [request.source.clone(), request.target.clone()];
        let known = MemoryQuery::new().ids(&ends).read(session)?;
        let from = find_end(session, &mut transaction, &known, &request.source)?;
        let to = find_end(session, &mut transaction, &known, &request.target)?;
        if from == to {
            return Err(Error::bad_input("source and target are the same"));
        }
        // The first query found memories by id only; this one also finds relations of documents by name.
        let known = MemoryQuery::new().referents([from.clone(), to.clone()]).read(session)?;
        let head = |end: &Referent| {
            known.memory.heads(end).into_iter().next().unwrap_or_else(|| end.clone())
        };
        let existing = known.memory.edges().get(&(head(&from), head(&to), relation)).copied();
        let (id, done) = match (existing, request.remove) {
            (Some(id), false) => (id, "already connected"),
            (Some(id), true) => {
                transaction.write_event(
                    &known,
                    EventAction::Archive,
                    vec![id.into()],
                    vec![],
                    "disconnected",
                )?;
                (id, "disconnected")
            }
            (None, true) => {
                return Err(Error::not_found(
                    format!(
                        "there is no relation {} from {} to {}",
                        relation.as_str(),
                        request.source,
                        request.target
                    ),
                    vec![],
                ));
            }
            (None, false) => {
                let content = request.reason.unwrap_or_default();
                let edge = RelationRecord { from: from.clone(), to: to.clone(), relation, content };
                let record = transaction.new_record(Body::Edge(edge));
                (transaction.write(&known, &record)?, "connected")
            }
        };
        transaction.commit()?;
        Ok(ConnectionChange { id: id.to_string(), from, relation, to, done })
    }
}

/// Finds one end of the relation.
fn find_end(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    input: &str,
) -> Result<Referent, Error> {
    let not_found = match known.find(input) {
        Ok(target) => {
            let names = transaction.referents_of(known, target)?;
            let first = names.into_iter().next().unwrap_or_else(|| target.referent());
            return Ok(known.memory.canonical(&first));
        }
        Err(error) => error,
    };
    if not_found.kind == ErrorKind::NotFound && !not_found.candidates.is_empty() {
        return Err(not_found);
    }
    let catalog = Catalog::read(session)?;
    match catalog.find(input) {
        Ok(catalog_entry) => Ok(Referent::document(&catalog_entry.id)),
        Err(error) if error.candidates.is_empty() => Err(Error::not_found(
            format!("`{}` is neither a memory nor a document", input.escape_default()),
            vec![],
        )
        .hint(
            Hint::text("use an id that ")
                .operation("memory_recall")
                .then(" shows, or a document's name or path"),
        )),
        Err(error) => Err(error),
    }
}

impl Answer for ConnectionChange {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("{} ", self.done)),
            span(Role::Key, self.from.short()),
            span(Role::Value, format!(" {} ", self.relation.as_str())),
            span(Role::Key, self.to.short()),
        ]);
        view
    }
}
