//! `fact add`: stores a fact.

use heirloom_core::Hint;
use heirloom_core::fold::{Item, Standing};
use heirloom_core::record::{Body, Fact, FactSection, Record, short_id};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::contradictions::check_new_record;
use crate::memory::{RecordAttributes, SimilarMemory, WriteTransaction};
use crate::ops::answers::StoredRecord;
use crate::recall::read_affected_by_new;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct FactAdd;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Request {
    /// The fact, understandable on its own.
    #[serde(default)]
    content: Option<String>,
    /// Section it belongs to.
    section: FactSection,
    /// Key of a key-value fact (error_handling).
    #[serde(default)]
    key: Option<String>,
    /// Value for the key (Result over exceptions).
    #[serde(default)]
    value: Option<String>,
    /// Scope in which it applies (typescript).
    #[serde(default)]
    scope: Option<String>,
    #[serde(flatten)]
    attributes: RecordAttributes,
}

impl Operation for FactAdd {
    type Request = Request;
    type Response = StoredRecord;
    const SPEC: Spec = Spec {
        name: "memory_store",
        usage: "fact add [content]",
        group: Group::Core,
        effect: Effect::Writes,
        about: "Store a fact for later sessions. A fact that exists is reinforced; similar and contradicting ones are listed.",
    };

    fn run(session: &Session, request: Request) -> Result<StoredRecord, Error> {
        let content = request.content.as_deref().unwrap_or_default().trim().to_owned();
        if content.is_empty() && (request.key.is_none() || request.value.is_none()) {
            return Err(Error::bad_input("a fact needs a text")
                .hint(Hint::text("add the text, or ").field("key").then(" and ").field("value")));
        }
        let mut transaction = WriteTransaction::begin(session, request.attributes.allow_secret)?;
        let mut record = transaction.new_record(Body::Fact(Fact {
            section: request.section,
            content,
            key: request.key,
            value: request.value,
            scope: request.scope,
        }));
        let known = read_affected_by_new(session, &record, &request.attributes)?;
        request.attributes.apply_to(&mut record, &mut transaction, &known)?;
        transaction.reject_secret(&record.all_text())?;
        let same = transaction.reinforce_equal(&known, &record)?;
        if let Some(same) = same.filter(|same| same.standing == Standing::Active) {
            transaction.commit()?;
            return Ok(StoredRecord {
                id: same.id.to_string(),
                notes: describe_ignored_fields(&same, &record),
                ..StoredRecord::of("reinforced", &record)
            });
        }
        let near = SimilarMemory::find(&record, &known);
        let notes = same.iter().map(|same| {
            Hint::text(format!(
                "the same fact was {} before, as {}; it is active again",
                same.standing.as_str(),
                short_id(&same.id.to_string())
            ))
        });
        let notes = notes.collect();
        transaction.write(&known, &record)?;
        let contradictions = check_new_record(&mut transaction, &known, &record);
        transaction.commit()?;
        let stored = StoredRecord::of("stored", &record);
        Ok(StoredRecord { contradictions, near, notes, ..stored })
    }
}

/// Names the fields in which the new record differs from the existing fact, which keeps its own.
fn describe_ignored_fields(same: &Item<'_>, new: &Record) -> Vec<Hint> {
    let old = same.record;
    let differences = [
        ("tags", !new.tags.is_empty() && new.tags != old.tags),
        ("confidence", new.confidence.is_some() && new.confidence != old.confidence),
        ("source", new.source.is_some() && new.source != old.source),
        ("artifacts", !new.artifacts.is_empty() && new.artifacts != old.artifacts),
        ("valid_from", new.valid_from.is_some() && new.valid_from != old.valid_from),
        ("valid_to", new.valid_to.is_some() && new.valid_to != old.valid_to),
    ];
    let names: Vec<&str> =
        differences.iter().filter(|(_, differs)| *differs).map(|(name, _)| *name).collect();
    if names.is_empty() {
        return vec![];
    }
    let id = same.id.to_string();
    let hint = Hint::text(format!("its {} did not change; use ", names.join(", ")))
        .call("memory_supersede", [("fact_id", short_id(&id))]);
    vec![hint.then(" to change it")]
}
