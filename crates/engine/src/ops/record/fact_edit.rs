//! `fact edit`: puts an updated fact in the place of one that was known before.

use heirloom_core::record::{Body, Fact, Record, Section};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryQuery, MemoryTarget, Particulars, SimilarMemory, WriteTransaction};
use crate::ops::answers::Stored;
use crate::recall::read_around;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct FactEdit;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// The fact, or the entry of a memory document, by its id or the end of it.
    fact_id: String,
    /// What is known now.
    #[serde(default)]
    content: Option<String>,
    /// Another section.
    #[serde(default)]
    section: Option<Section>,
    /// Another key.
    #[serde(default)]
    key: Option<String>,
    /// Another value.
    #[serde(default)]
    value: Option<String>,
    /// Another scope.
    #[serde(default)]
    scope: Option<String>,
    #[serde(flatten)]
    particulars: Particulars,
}

impl Operation for FactEdit {
    type Request = Request;
    type Response = Stored;
    const SPEC: Spec = Spec {
        name: "memory_supersede",
        usage: "fact edit <fact_id> [content]",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Replace a fact by an updated one, at once. The old one stays in the history; what refers to it leads to the new one.",
    };

    fn run(session: &Session, request: Request) -> Result<Stored, Error> {
        let mut transaction = WriteTransaction::begin(session, request.particulars.allow_secret)?;
        let mut typed = request.particulars.supersedes.clone();
        typed.push(request.fact_id.clone());
        let known = MemoryQuery::new().ids(&typed).read(session)?;
        let target = known.find_standing(&request.fact_id)?;
        let (old, unknown) = match target {
            MemoryTarget::Record(id) => {
                let item = known.memory.item(id).ok_or_else(|| {
                    Error::not_found(format!("there is no fact `{}`", request.fact_id), vec![])
                })?;
                let unknown = super::edit::unknown_fields(session, item.place, item.record);
                (item.record.clone(), unknown)
            }
            MemoryTarget::Entry(document, entry) => {
                let body = Body::Fact(Fact {
                    section: request.section.unwrap_or(Section::Decisions),
                    content: entry.sentence(),
                    key: None,
                    value: None,
                    scope: None,
                });
                let mut record = transaction.record(body);
                record.source = Some(document.path.clone());
                (record, serde_json::Map::new())
            }
        };
        let Body::Fact(mut fact) = old.body.clone() else {
            let kind = old.kind().word();
            return Err(Error::bad_input(format!("`{}` is no fact but a {kind}", request.fact_id))
                .hint(format!("use `heir {kind} edit`")));
        };
        if let Some(content) = request.content.as_deref().map(str::trim) {
            if content.is_empty() {
                return Err(Error::bad_input("a fact without words").hint("say what is known now"));
            }
            fact.content = content.to_owned();
        }
        fact.section = request.section.unwrap_or(fact.section);
        for (own, given) in [
            (&mut fact.key, request.key),
            (&mut fact.value, request.value),
            (&mut fact.scope, request.scope),
        ] {
            if given.is_some() {
                *own = given;
            }
        }
        let now = transaction.record(Body::Fact(fact));
        let mut record = Record {
            id: now.id,
            at: now.at,
            by: now.by,
            body: now.body,
            supersedes: vec![],
            origin: None,
            valid_from: None,
            valid_to: None,
            levels: Default::default(),
            ..old.clone()
        };
        request.particulars.fill(&mut record, &mut transaction, &known)?;
        let unchanged = Record {
            valid_from: old.valid_from,
            valid_to: old.valid_to,
            levels: old.levels.clone(),
            ..record.clone()
        };
        if matches!(target, MemoryTarget::Record(_))
            && says_the_same(&old, &unchanged)
            && record.valid_from.is_none()
            && record.valid_to.is_none()
        {
            return Err(Error::bad_input("nothing would change")
                .hint("say what is known now, or what else is to change"));
        }
        record.supersedes.extend(transaction.names(&known, target)?);
        record.supersedes.sort();
        record.supersedes.dedup();
        let near = SimilarMemory::to(&record, &read_around(session, &record, &[])?);
        transaction.write_with(&known, &record, unknown)?;
        transaction.commit()?;
        Ok(Stored { near, ..Stored::of("superseded", &record) })
    }
}

/// Whether two records differ only in who wrote them and when.
fn says_the_same(old: &Record, new: &Record) -> bool {
    let known = Record {
        id: old.id,
        at: old.at,
        by: old.by.clone(),
        origin: old.origin.clone(),
        supersedes: old.supersedes.clone(),
        ..new.clone()
    };
    known == *old && new.supersedes.is_empty()
}
