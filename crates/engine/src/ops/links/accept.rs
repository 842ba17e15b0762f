//! `links accept`: stores proposed relations.

use std::collections::HashMap;

use heirloom_core::Hint;
use heirloom_core::record::{Referent, Relation, RelationRecord, short_id};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::link_discovery::{LinkDecision, PendingLink, StoredLinks};
use crate::memory::{
    MemoryQuery, MemorySlice, RelationEnds, WriteTransaction, find_relation, write_relation,
};
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct LinksAccept;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids of proposals, or ends of ids.
    #[serde(default)]
    ids: Vec<String>,
    /// Accept all pending proposals.
    #[serde(default)]
    all: bool,
    /// With all: only those that are at least as likely right, from 0 to 1.
    #[serde(default)]
    min_confidence: Option<f64>,
    /// Relation to store in place of the proposed one.
    #[serde(default)]
    relation: Option<Relation>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AcceptedLinks {
    /// Relations that were stored.
    relations: Vec<StoredRelation>,
    /// Proposals that could not be accepted, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// A relation that was stored.
#[derive(Debug, Serialize, JsonSchema)]
struct StoredRelation {
    /// Id of the relation's record.
    id: String,
    /// Source of the relation.
    from: Referent,
    /// Kind of relation.
    relation: Relation,
    /// Target of the relation.
    to: Referent,
    #[serde(skip)]
    record: Uuid,
    #[serde(skip)]
    proposal: String,
}

impl Operation for LinksAccept {
    type Request = Request;
    type Response = AcceptedLinks;
    const SPEC: Spec = Spec {
        name: "links_accept",
        usage: "links accept [ids]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Store proposed relations between memories, with the evidence as their reason. All are stored, or none.",
    };

    const ALIASES: &[(&str, &str)] = &[("id", "ids")];

    fn run(session: &Session, request: Request) -> Result<AcceptedLinks, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let (proposals, damage) = StoredLinks::update(session, |stored| select(stored, &request))?;
        let mut accepted = AcceptedLinks { relations: vec![], notes: vec![] };
        accepted.notes.extend(damage.map(|problem| problem.to_string()));
        store(session, &mut transaction, &proposals, request.relation, &mut accepted)?;
        transaction.commit()?;
        // A process that ends here has stored the relations, by which the next request knows that they were accepted.
        let records: HashMap<&str, Uuid> =
            accepted.relations.iter().map(|it| (it.proposal.as_str(), it.record)).collect();
        StoredLinks::update(session, |stored| {
            for (id, record) in &records {
                stored.decide(id, |_| LinkDecision::Accepted { record: *record });
            }
            Ok(())
        })?;
        Ok(accepted)
    }
}

/// Returns the proposals that a request accepts.
fn select(stored: &StoredLinks, request: &Request) -> Result<Vec<PendingLink>, Error> {
    let mut found = stored.find_each(&request.ids)?;
    if request.relation.is_some() && (request.all || found.len() > 1) {
        let message = "another relation can be stored for one proposal at a time";
        return Err(Error::bad_input(message).hint(Hint::text("leave out ").field("relation")));
    }
    if let Some(min) = request.min_confidence {
        if !(0.0..=1.0).contains(&min) {
            return Err(Error::bad_input("the confidence must be between 0 and 1"));
        }
        if !request.all {
            let hint = Hint::text("add ").field_set_to("all", true);
            let message = "a least confidence chooses among all proposals, not among named ones";
            return Err(Error::bad_input(message).hint(hint));
        }
    }
    if !request.all && found.is_empty() {
        return Err(Error::bad_input("no proposal is named")
            .hint(Hint::text("give ids, or accept all with ").field_set_to("all", true)));
    }
    let is_wanted = |pending: &&PendingLink| {
        request.min_confidence.is_none_or(|min| pending.link.confidence >= min)
    };
    if request.all {
        let others = stored.pending.iter().filter(is_wanted);
        let others: Vec<PendingLink> = others.filter(|it| !found.contains(it)).cloned().collect();
        found.extend(others);
    }
    Ok(found)
}

fn store(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    proposals: &[PendingLink],
    relation: Option<Relation>,
    accepted: &mut AcceptedLinks,
) -> Result<(), Error> {
    let ends = proposals.iter().flat_map(|it| [it.link.from.clone(), it.link.to.clone()]);
    let known = MemoryQuery::new().referents(ends.collect::<Vec<_>>()).read(session)?;
    let relation_ends = RelationEnds::new(session);
    for PendingLink { id, link } in proposals {
        let relation = relation.unwrap_or(link.relation);
        let mut find = |end: &Referent| relation_ends.find(transaction, &known, &name_of(end));
        let (from, to) = match (find(&link.from), find(&link.to)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(error), _) | (_, Err(error)) => {
                accepted.notes.push(format!("{}: {}", short_id(id), error.message));
                continue;
            }
        };
        // The reason quotes memories, of which one may look like a secret that was stored on purpose.
        let is_quotable = transaction.reject_secret(&link.reason).is_ok();
        if !is_quotable {
            let note = "stored without its reason, which looks like a secret";
            accepted.notes.push(format!("{}: {note}", short_id(id)));
        }
        let content = if is_quotable { link.reason.clone() } else { String::new() };
        let edge = RelationRecord { from: from.clone(), to: to.clone(), relation, content };
        let record = record_of(transaction, &known, edge)?;
        let proposal = id.clone();
        let id = record.to_string();
        accepted.relations.push(StoredRelation { id, from, relation, to, record, proposal });
    }
    Ok(())
}

/// Returns the record of a relation, which is written unless it is stored already.
fn record_of(
    transaction: &mut WriteTransaction<'_>,
    known: &MemorySlice,
    edge: RelationRecord,
) -> Result<Uuid, Error> {
    match find_relation(known, &edge.from, &edge.to, edge.relation) {
        Some(record) => Ok(record),
        None => write_relation(transaction, known, edge),
    }
}

/// Returns the name by which an end is found.
fn name_of(end: &Referent) -> String {
    match end {
        Referent::Document(id) | Referent::Entry(id) => id.clone(),
        Referent::Record(id) => id.to_string(),
        Referent::Unknown(text) => text.clone(),
    }
}

impl Answer for AcceptedLinks {
    fn view(&self) -> View {
        let mut view = View::new();
        for StoredRelation { from, relation, to, .. } in &self.relations {
            view.line([
                span(Role::Good, "connected "),
                span(Role::Key, from.short()),
                span(Role::Value, format!(" {} ", relation.as_str())),
                span(Role::Key, to.short()),
            ]);
        }
        if self.relations.len() != 1 {
            let stored = present::count(self.relations.len(), "relation");
            view.line([span(Role::Dim, format!("{stored} stored"))]);
        }
        for note in &self.notes {
            view.line([span(Role::Dim, note)]);
        }
        view
    }
}
