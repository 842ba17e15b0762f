//! Imports the memory file of `@modelcontextprotocol/server-memory`: entities with observations, and
//! relations between entities. It has no dates and no ids.

use std::collections::HashMap;

use heirloom_core::Value;
use heirloom_core::document::scalar_to_text;
use heirloom_core::record::{Body, Fact, FactSection, Origin};
use uuid::Uuid;

use super::batch::{self, Batch, ImportContext, ImportResult, SourceText};
use super::relation::ForeignRelation;
use super::rows::{self, JsonRow};
use super::section;

/// The name of the format.
pub(super) const FORMAT: &str = "server-memory";

/// Imports every observation as a fact, and every relation as an edge between the first facts of its
/// entities.
pub(super) fn import(texts: &[SourceText<'_>], context: &mut ImportContext<'_>) -> ImportResult {
    let mut batch = Batch::new(context);
    let rows = rows::read(texts, &mut batch);
    let mut first_facts = HashMap::new();
    for row in &rows {
        match row.text("type").as_deref() {
            Some("entity") => import_entity(row, &mut first_facts, &mut batch),
            Some("relation") => {}
            _ => batch.report(
                batch::problem(&row.place, "this is neither an entity nor a relation")
                    .hint("set `type` to `entity` or `relation`"),
            ),
        }
    }
    for row in rows.iter().filter(|row| row.text("type").as_deref() == Some("relation")) {
        import_relation(row, &first_facts, &mut batch);
    }
    batch.finish()
}

fn import_entity(
    row: &JsonRow,
    first_facts: &mut HashMap<String, Uuid>,
    batch: &mut Batch<'_, '_>,
) {
    let Some(name) = row.text("name") else {
        return batch.report_at(&row.place, "an entity needs a name");
    };
    let entity_type = row.text("entityType");
    if !batch.check_name(&row.place, &name)
        || !batch.check_name(&row.place, entity_type.as_deref().unwrap_or(""))
    {
        return;
    }
    let observations = match row.value("observations") {
        Some(Value::Array(items)) => items.as_slice(),
        None => &[],
        Some(_) => {
            return batch
                .report_at(&row.place, "the observations of an entity must be a list of texts");
        }
    };
    let facts = statements(row, &name, entity_type.as_deref(), observations, batch);
    for (origin, content) in facts {
        let section = entity_type.as_deref().and_then(section::of_category);
        let fact = Fact {
            section: section.unwrap_or(FactSection::Architecture),
            content,
            key: Some(name.clone()),
            value: None,
            scope: None,
        };
        let mut record = batch.draft(origin, Body::Fact(fact));
        record.tags = batch::tags(entity_type.clone());
        record.source = Some(row.place.path.to_string());
        if let Some(id) = batch.insert(&row.place, record) {
            first_facts.entry(name.clone()).or_insert(id);
        }
    }
}

/// Returns what the observations of an entity state, each with its origin. An entity without observations states its
/// type.
fn statements(
    row: &JsonRow,
    name: &str,
    entity_type: Option<&str>,
    observations: &[Value],
    batch: &mut Batch<'_, '_>,
) -> Vec<(Origin, String)> {
    let mut facts = Vec::new();
    for observation in observations {
        match scalar_to_text(observation).filter(|text| !text.trim().is_empty()) {
            Some(text) => {
                let item = format!("entity:{name}#{}", batch::hash(&text));
                let origin = Origin::imported(FORMAT, item);
                facts.push((origin, batch::with_name(name, text.trim())));
            }
            None => batch.report_at(
                &row.place,
                format!("an observation of `{name}` is empty or not a text"),
            ),
        }
    }
    if let Some(entity_type) = entity_type.filter(|_| observations.is_empty()) {
        let origin = Origin::imported(FORMAT, format_args!("entity:{name}"));
        facts.push((origin, type_sentence(name, entity_type)));
    } else if observations.is_empty() {
        batch.report_at(
            &row.place,
            format!("the entity `{name}` has neither observations nor a type"),
        );
    }
    facts
}

fn import_relation(row: &JsonRow, first_facts: &HashMap<String, Uuid>, batch: &mut Batch<'_, '_>) {
    let (Some(from), Some(to), Some(words)) =
        (row.text("from"), row.text("to"), row.text("relationType"))
    else {
        return batch.report_at(&row.place, "a relation needs from, to and relationType");
    };
    let identity = format!("{from}\n{words}\n{to}");
    let foreign = ForeignRelation {
        origin: Origin::imported(FORMAT, format_args!("relation:{}", batch::hash(&identity))),
        words: &words,
        from: (&from, first_facts.get(&from).copied()),
        to: (&to, first_facts.get(&to).copied()),
        content: String::new(),
    };
    match foreign.draft_or_sentence(&row.place, batch) {
        Ok(record) => drop(batch.insert(&row.place, record)),
        Err(problem) => batch.report(problem),
    }
}

/// Returns the fact about an entity without observations: `Ada is an engineer`.
fn type_sentence(name: &str, entity_type: &str) -> String {
    let article =
        if entity_type.to_lowercase().starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{name} is {article} {entity_type}")
}

#[cfg(test)]
mod tests;
