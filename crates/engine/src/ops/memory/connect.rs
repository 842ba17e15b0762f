//! `memory connect`: says how two things are related.

use heirloom_core::record::{Action, Body, Edge, Relation};
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
    /// Where it starts: a fact, another record, an entry, or a document (ADR-0003, a plan, a path).
    source: String,
    /// Where it leads.
    target: String,
    /// depends_on, contradicts, enables, replaces or motivated_by.
    relation: String,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
    /// Take the relation away again.
    #[serde(default)]
    remove: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Connected {
    /// Its id.
    id: String,
    /// Where it starts.
    from: String,
    /// What it says.
    relation: Relation,
    /// Where it leads.
    to: String,
    /// What was done: connected, already connected, disconnected.
    done: &'static str,
}

impl Operation for MemoryConnect {
    type Request = Request;
    type Response = Connected;
    const SPEC: Spec = Spec {
        name: "memory_connect",
        usage: "memory connect <source> <target> <relation>",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Relate two things: source depends_on, contradicts, enables, replaces or is motivated_by target.",
    };

    fn run(session: &Session, request: Request) -> Result<Connected, Error> {
        let relation = Relation::from_word(request.relation.trim()).ok_or_else(|| {
            let words: Vec<String> =
                Relation::ALL.iter().map(|relation| relation.word().to_owned()).collect();
            Error {
                candidates: words,
                ..Error::bad_input(format!("there is no relation `{}`", request.relation))
            }
        })?;
        let mut transaction = WriteTransaction::begin(session, false)?;
        let ends = [request.source.clone(), request.target.clone()];
        let known = MemoryQuery::new().ids(&ends).read(session)?;
        let from = end(session, &mut transaction, &known, &request.source)?;
        let to = end(session, &mut transaction, &known, &request.target)?;
        if from == to {
            return Err(Error::bad_input("a thing is not related to itself"));
        }
        // Documents are not known by what was typed.
        let known = MemoryQuery::new().names(vec![from.clone(), to.clone()]).read(session)?;
        let head = |name: &String| {
            known.memory.heads(name).into_iter().next().unwrap_or_else(|| name.clone())
        };
        let there = known.memory.edges().get(&(head(&from), head(&to), relation)).copied();
        let (id, done) = match (there, request.remove) {
            (Some(id), false) => (id, "already connected"),
            (Some(id), true) => {
                transaction.event(
                    &known,
                    Action::Archive,
                    vec![id.to_string()],
                    vec![],
                    "disconnected",
                )?;
                (id, "disconnected")
            }
            (None, true) => {
                return Err(Error::not_found(
                    format!("{} is not related so", request.source),
                    vec![],
                ));
            }
            (None, false) => {
                let content = request.reason.unwrap_or_default();
                let edge = Edge { from: from.clone(), to: to.clone(), relation, content };
                let record = transaction.record(Body::Edge(edge));
                (transaction.write(&known, &record)?, "connected")
            }
        };
        transaction.commit()?;
        Ok(Connected { id: id.to_string(), from, relation, to, done })
    }
}

/// Returns the name under which one end is stored.
fn end(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    typed: &str,
) -> Result<String, Error> {
    let remembered = match known.find(typed) {
        Ok(target) => {
            let name = transaction.names(known, target)?.into_iter().next().unwrap_or_default();
            return Ok(known.memory.canonical(&name));
        }
        Err(error) => error,
    };
    if remembered.kind == ErrorKind::NotFound && !remembered.candidates.is_empty() {
        return Err(remembered);
    }
    let catalog = Catalog::read(session)?;
    match catalog.find(typed) {
        Ok(filed) => Ok(format!("doc:{}", filed.id)),
        Err(error) if error.candidates.is_empty() => Err(Error::not_found(
            format!("`{}` is no memory and no document", typed.escape_default()),
            vec![],
        )
        .hint("use an id that `heir recall` shows, or a document's name or path")),
        Err(error) => Err(error),
    }
}

impl Answer for Connected {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, format!("{} ", self.done)),
            span(Role::Key, MemorySlice::short_name(&self.from)),
            span(Role::Value, format!(" {} ", self.relation.word())),
            span(Role::Key, MemorySlice::short_name(&self.to)),
        ]);
        view
    }
}
