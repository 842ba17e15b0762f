//! `fact edit`: supersedes a fact with an updated one.

use heirloom_core::memory::EntryKind;
use heirloom_core::record::{Body, Fact, FactSection, Record, RecordKind};
use heirloom_core::{Hint, Value};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use super::kinds::edit_operation;
use crate::contradictions::check_new_record;
use crate::memory::{
    MemoryQuery, MemorySlice, MemoryTarget, RecordAttributes, SimilarMemory, WriteTransaction,
};
use crate::ops::answers::StoredRecord;
use crate::recall::read_affected;
use crate::view::present;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct FactEdit;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// Id, or end of the id, of the fact or memory entry.
    fact_id: String,
    /// New text.
    #[serde(default)]
    content: Option<String>,
    /// New section.
    #[serde(default)]
    section: Option<FactSection>,
    /// New key.
    #[serde(default)]
    key: Option<String>,
    /// New value.
    #[serde(default)]
    value: Option<String>,
    /// New scope.
    #[serde(default)]
    scope: Option<String>,
    #[serde(flatten)]
    attributes: RecordAttributes,
}

impl Operation for FactEdit {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "memory_supersede",
        usage: "fact edit <fact_id> [content]",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Replace a fact with an updated one. The old one stays in the history; references to it lead to the new one.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let mut transaction = WriteTransaction::begin(session, request.attributes.allow_secret)?;
        let mut ids = request.attributes.supersedes.clone();
        ids.push(request.fact_id.clone());
        let known = MemoryQuery::new().ids(&ids).read(session)?;
        let target = known.find_unsuperseded(&request.fact_id)?;
        let (old, unknown_fields) = read_target(session, &known, &transaction, target, &request)?;
        let new = transaction.new_record(Body::Fact(edited_fact(&old, &request)?));
        let mut record = Record {
            id: new.id,
            at: new.at,
            by: new.by,
            body: new.body,
            supersedes: vec![],
            origin: None,
            valid_from: None,
            valid_to: None,
            levels: Default::default(),
            ..old.clone()
        };
        request.attributes.apply_to(&mut record, &mut transaction, &known)?;
        if matches!(target, MemoryTarget::Record(_)) && !is_changed(&old, &record) {
            return Err(Error::bad_input("the fact would not change")
                .hint("give a new text, or another field to change"));
        }
        record.supersedes.extend(transaction.referents_of(&known, target)?);
        record.supersedes.sort();
        record.supersedes.dedup();
        let affected = read_affected(session, &record, &[])?;
        let near = SimilarMemory::find(&record, &affected);
        transaction.write_with(&known, &record, unknown_fields)?;
        let contradictions = check_new_record(&mut transaction, &affected, &record);
        transaction.commit()?;
        Ok(StoredRecord { contradictions, near, ..StoredRecord::of("superseded", &record) })
    }
}

/// Returns the record to replace, with the fields of its line that this version does not know. An entry
/// of a memory document becomes a new fact record.
fn read_target(
    session: &Session,
    known: &MemorySlice,
    transaction: &WriteTransaction<'_>,
    target: MemoryTarget<'_>,
    request: &Request,
) -> Result<(Record, Map<String, Value>), Error> {
    match target {
        MemoryTarget::Record(id) => {
            let item = known.memory.item(id).ok_or_else(|| {
                Error::not_found(format!("there is no fact `{}`", request.fact_id), vec![])
            })?;
            let unknown_fields = super::edit::unknown_fields(session, item.place, item.record);
            Ok((item.record.clone(), unknown_fields))
        }
        MemoryTarget::Entry(document, entry) => {
            let section = match entry.kind {
                EntryKind::Lesson => FactSection::KnownIssues,
                _ => FactSection::Decisions,
            };
            let mut record = transaction.new_record(Body::Fact(Fact {
                section,
                content: entry.full_text(),
                key: None,
                value: None,
                scope: None,
            }));
            record.source = Some(document.path.clone());
            let category = entry.category.iter().filter(|category| !entry.tags.contains(category));
            record.tags = entry.tags.iter().chain(category).cloned().collect();
            Ok((record, Map::new()))
        }
    }
}

/// Returns the fact of a record with the fields of the request replaced.
fn edited_fact(old: &Record, request: &Request) -> Result<Fact, Error> {
    let Body::Fact(mut fact) = old.body.clone() else {
        let actual = present::with_article(old.kind().as_str());
        let error = Error::bad_input(format!("`{}` is {actual}, not a fact", request.fact_id));
        return Err(match (edit_operation(old.kind()), old.kind()) {
            (Some(operation), _) => error.hint(Hint::text("use ").operation(operation)),
            (None, RecordKind::Note) => {
                let hint = Hint::default().operation("note_promote");
                error.hint(hint.then(" makes a fact of it, with a text of your choice"))
            }
            (None, _) => error,
        });
    };
    if let Some(content) = request.content.as_deref().map(str::trim) {
        if content.is_empty() {
            return Err(Error::bad_input("a fact needs a text").hint("add the new text"));
        }
        fact.content = content.to_owned();
    }
    fact.section = request.section.unwrap_or(fact.section);
    for (field, new) in [
        (&mut fact.key, &request.key),
        (&mut fact.value, &request.value),
        (&mut fact.scope, &request.scope),
    ] {
        if new.is_some() {
            field.clone_from(new);
        }
    }
    Ok(fact)
}

/// Returns whether the new version differs from the old one in more than author and time. The dates
/// between which a fact is valid do not carry over to a new version, so only newly stated ones count.
fn is_changed(old: &Record, new: &Record) -> bool {
    let has_new_dates = new.valid_from.is_some() || new.valid_to.is_some();
    let comparable = Record {
        id: old.id,
        at: old.at,
        by: old.by.clone(),
        origin: old.origin.clone(),
        supersedes: old.supersedes.clone(),
        valid_from: old.valid_from,
        valid_to: old.valid_to,
        levels: old.levels.clone(),
        ..new.clone()
    };
    has_new_dates || comparable != *old || !new.supersedes.is_empty()
}
