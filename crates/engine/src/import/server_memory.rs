//! The memory file of `@modelcontextprotocol/server-memory`: entities with observations, and
//! relations between entities. It has no dates and no ids.

use std::collections::HashMap;

use heirloom_core::document::scalar_text;
use heirloom_core::record::{Body, Fact, Section};
use heirloom_core::{Value, words};
use uuid::Uuid;

use super::batch::{self, Batch};
use super::relation::Link;
use super::rows::{self, Row};
use super::{Imported, Importing, Text, section};

/// Reads every observation as a fact and every relation as an edge between the first facts of its
/// entities.
pub(super) fn import(texts: &[Text<'_>], given: &mut Importing<'_>) -> Imported {
    let mut batch = Batch::new(given);
    let rows = rows::read(texts, &mut batch);
    let mut first_facts = HashMap::new();
    for row in &rows {
        match row.text("type").as_deref() {
            Some("entity") => take_entity(row, &mut first_facts, &mut batch),
            Some("relation") => {}
            _ => batch.report(
                batch::problem(&row.place, "this is no entity and no relation")
                    .hint("a line says so in `type`"),
            ),
        }
    }
    for row in rows.iter().filter(|row| row.text("type").as_deref() == Some("relation")) {
        take_relation(row, &first_facts, &mut batch);
    }
    batch.finish()
}

fn take_entity(row: &Row, first_facts: &mut HashMap<String, Uuid>, batch: &mut Batch<'_, '_>) {
    let Some(name) = row.text("name") else {
        return batch.problem(&row.place, "an entity needs a name");
    };
    let sort = row.text("entityType");
    if !batch.fits(&row.place, &name) || !batch.fits(&row.place, sort.as_deref().unwrap_or("")) {
        return;
    }
    let observations = match row.value("observations") {
        Some(Value::Array(items)) => items.as_slice(),
        None => &[],
        Some(_) => {
            return batch.problem(&row.place, "the observations of an entity are a list of texts");
        }
    };
    let mut taken = Vec::new();
    for observation in observations {
        match scalar_text(observation).filter(|text| !text.trim().is_empty()) {
            Some(text) => {
                let origin = format!("server-memory:entity:{name}#{}", batch::hash(&text));
                taken.push((origin, with_name(&name, text.trim())));
            }
            None => batch.problem(&row.place, format!("an observation of `{name}` is no text")),
        }
    }
    if let Some(sort) = sort.as_deref().filter(|_| observations.is_empty()) {
        taken.push((format!("server-memory:entity:{name}"), sentence(&name, sort)));
    } else if observations.is_empty() {
        batch.problem(&row.place, format!("the entity `{name}` says nothing"));
    }
    for (origin, content) in taken {
        let section = sort.as_deref().and_then(section::of_category);
        let fact = Fact {
            section: section.unwrap_or(Section::Architecture),
            content,
            key: Some(name.clone()),
            value: None,
            scope: None,
        };
        let mut record = batch.draft(origin, Body::Fact(fact));
        record.tags = batch::tags(sort.clone());
        record.source = Some(row.place.path.to_string());
        if let Some(id) = batch.take(&row.place, record) {
            first_facts.entry(name.clone()).or_insert(id);
        }
    }
}

fn take_relation(row: &Row, first_facts: &HashMap<String, Uuid>, batch: &mut Batch<'_, '_>) {
    let (Some(from), Some(to), Some(words)) =
        (row.text("from"), row.text("to"), row.text("relationType"))
    else {
        return batch.problem(&row.place, "a relation needs from, to and relationType");
    };
    let said = format!("{from}\n{words}\n{to}");
    let link = Link {
        origin: format!("server-memory:relation:{}", batch::hash(&said)),
        words: &words,
        from: (&from, first_facts.get(&from).copied()),
        to: (&to, first_facts.get(&to).copied()),
        content: String::new(),
    };
    match link.draft(&row.place, batch) {
        Ok(record) => drop(batch.take(&row.place, record)),
        Err(problem) => batch.report(problem),
    }
}

/// An observation often says only what, and the entity's name of whom.
fn with_name(name: &str, observation: &str) -> String {
    if words::normalised(observation).contains(&words::normalised(name)) {
        observation.to_owned()
    } else {
        format!("{name}: {observation}")
    }
}

fn sentence(name: &str, sort: &str) -> String {
    let article = if sort.to_lowercase().starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{name} is {article} {sort}")
}

#[cfg(test)]
mod tests;
