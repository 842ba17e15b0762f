//! `memory connect`: adds or removes a relation between two memories or documents.

use heirloom_core::record::{EventAction, Referent, Relation, RelationRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{MemoryQuery, RelationEnds, WriteTransaction, find_relation, write_relation};
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

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
        let relation_ends = RelationEnds::new(session);
        let from = relation_ends.find(&mut transaction, &known, &request.source)?;
        let to = relation_ends.find(&mut transaction, &known, &request.target)?;
        if from == to {
            return Err(Error::bad_input("source and target are the same"));
        }
        // The first query found memories by id only; this one also finds relations of documents by name.
        let known = MemoryQuery::new().referents([from.clone(), to.clone()]).read(session)?;
        let existing = find_relation(&known, &from, &to, relation);
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
                (write_relation(&mut transaction, &known, edge)?, "connected")
            }
        };
        transaction.commit()?;
        Ok(ConnectionChange { id: id.to_string(), from, relation, to, done })
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
