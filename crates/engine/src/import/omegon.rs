//! Imports `facts.jsonl` of Omegon and of its predecessor, the project memory of pi-kit.
//!
//! The `_type` of a line is fact, episode, edge or mind; a line of an agent's mind has only a section and
//! a content. Older exports contain scores that newer ones omit. Git merges these files line by line, so
//! one id may be on several lines.

mod episode;
mod fact;
mod repeats;

use std::collections::HashSet;

use heirloom_core::fold::LineLocation;
use heirloom_core::record::{EventAction, Origin, Record};
use heirloom_core::{Value, day};
use jiff::Timestamp;
use uuid::Uuid;

use super::batch::{self, Batch, ImportContext, ImportResult, SourceText};
use super::relation::ForeignRelation;
use super::rows::{self, JsonRow};
use repeats::RowKind;

/// The state of an import.
struct OmegonImport<'b, 'i> {
    batch: Batch<'b, 'i>,
    /// The records that are known to be replaced.
    replaced: HashSet<Uuid>,
    /// The supersessions written so far: new record and replaced record.
    supersessions: HashSet<(Uuid, Uuid)>,
    /// The first line that names a missing fact, and the number of such references.
    missing_facts: Option<(LineLocation, usize)>,
}

/// Imports facts, episodes and edges.
pub(super) fn import(texts: &[SourceText<'_>], context: &mut ImportContext<'_>) -> ImportResult {
    let mut batch = Batch::new(context);
    let rows = rows::read(texts, &mut batch);
    let rows: Vec<(RowKind, JsonRow)> =
        rows.into_iter().filter_map(|row| Some((kind_of(&row, &mut batch)?, row))).collect();
    let rows = repeats::keep_newest(rows, &mut batch);
    let rows_of = |kind: RowKind| {
        rows.iter().filter(move |(row_kind, _)| *row_kind == kind).map(|(_, row)| row)
    };
    let mut import = OmegonImport {
        batch,
        replaced: HashSet::new(),
        supersessions: HashSet::new(),
        missing_facts: None,
    };
    let facts: Vec<(&JsonRow, Uuid)> =
        rows_of(RowKind::Fact).filter_map(|row| Some((row, import.import_fact(row)?))).collect();
    for (row, id) in &facts {
        import.record_supersessions(row, *id);
    }
    for (row, id) in &facts {
        import.record_reinforcement(row, *id);
        import.archive_inactive(row, &fact_origin(row), *id);
    }
    rows_of(RowKind::Episode).for_each(|row| import.import_episode(row));
    rows_of(RowKind::Edge).for_each(|row| import.import_edge(row));
    import.finish()
}

fn kind_of(row: &JsonRow, batch: &mut Batch<'_, '_>) -> Option<RowKind> {
    match row.text("_type").as_deref() {
        Some("fact") => Some(RowKind::Fact),
        Some("episode") => Some(RowKind::Episode),
        Some("edge") => Some(RowKind::Edge),
        Some("mind") => {
            let message = "a mind is not imported; its facts get its name as a tag";
            batch.report_at(&row.place, message);
            None
        }
        None if row.text("section").is_some() && row.text("content").is_some() => {
            Some(RowKind::Fact)
        }
        Some(other) => {
            let message =
                format!("the type `{other}` is unknown; it must be fact, episode, edge or mind");
            batch.report_at(&row.place, message);
            None
        }
        None => {
            let hint = "set `_type` to `fact`, `episode` or `edge`";
            let message = "this is neither a fact, an episode nor an edge";
            batch.report(batch::problem(&row.place, message).hint(hint));
            None
        }
    }
}

impl OmegonImport<'_, '_> {
    fn import_edge(&mut self, row: &JsonRow) {
        let (Some(from), Some(to), Some(words)) = (
            row.text("source_fact_id").or_else(|| row.text("source_id")),
            row.text("target_fact_id").or_else(|| row.text("target_id")),
            row.text("relation"),
        ) else {
            let message = "an edge needs a source_fact_id, a target_fact_id and a relation";
            return self.batch.report_at(&row.place, message);
        };
        let find_id = |fact: &str| self.batch.find_id(&origin_of_fact(fact));
        let origin = match row.text("id") {
            Some(id) => omegon_origin("edge", &id),
            None => {
                let hash = batch::hash(&format!("{from} {words} {to}"));
                omegon_origin("edge", &format!("#{hash}"))
            }
        };
        let foreign = ForeignRelation {
            origin: origin.clone(),
            words: &words,
            from: (&from, find_id(&from)),
            to: (&to, find_id(&to)),
            content: row.text("description").unwrap_or_default(),
        };
        match foreign.draft(&row.place, &self.batch) {
            Err(problem) => self.batch.report(problem),
            Ok(mut record) => {
                self.set_common_fields(&mut record, row);
                if let Some(id) = self.batch.insert(&row.place, record) {
                    self.archive_inactive(row, &origin, id);
                }
            }
        }
    }

    /// Sets the fields that every kind of line may have.
    fn set_common_fields(&mut self, record: &mut Record, row: &JsonRow) {
        if let Some(at) = self.batch.timestamp(&row.place, row.text("created_at").as_deref()) {
            record.at = at;
            record.valid_from = Some(day::of_timestamp(at));
        }
        record.confidence = self.confidence(row);
        record.source = row.text("source");
        let with_defaults = [("mind", "default"), ("layer", "project"), ("persona_id", "")];
        let names = with_defaults
            .into_iter()
            .filter_map(|(key, default)| row.text(key).filter(|name| name != default));
        record.tags = batch::tags(row.list("tags").into_iter().chain(names));
        let artifact_fields =
            [("jj_change_id", "jj"), ("affected_nodes", "node"), ("affected_changes", "change")];
        for (key, prefix) in artifact_fields {
            let names = row.list(key).into_iter().map(|name| format!("{prefix}:{name}"));
            record.artifacts.extend(names);
        }
    }

    fn confidence(&mut self, row: &JsonRow) -> Option<f64> {
        let written = row.value("confidence").or_else(|| row.value("weight"))?;
        let confidence = written.as_f64().filter(|value| (0.0..=1.0).contains(value));
        if confidence.is_none() {
            let message = format!(
                "the confidence {} is not a number from 0 to 1 and is left out",
                truncated(written)
            );
            self.batch.report_at(&row.place, message);
        }
        confidence
    }

    /// Archives a record whose status is not active.
    fn archive_inactive(&mut self, row: &JsonRow, origin: &Origin, id: Uuid) {
        let status = row.text("status").unwrap_or_default();
        let reason = match status.as_str() {
            "" | "active" => return,
            "superseded" if self.replaced.contains(&id) => return,
            "superseded" => "superseded in Omegon; its successor was not imported".into(),
            "archived" | "dormant" => format!("{status} in Omegon"),
            _ => {
                let message = format!("the status `{status}` is unknown; it is imported as active");
                return self.batch.report_at(&row.place, message);
            }
        };
        let written = row.text("archived_at").or_else(|| row.text("superseded_at"));
        let at = self.timestamp_or_now(row, written.as_deref());
        let event = (EventAction::Archive, id, reason);
        self.batch.insert_event(&row.place, origin.derived("archived"), at, event);
    }

    fn timestamp_or_now(&mut self, row: &JsonRow, written: Option<&str>) -> Timestamp {
        self.batch.timestamp(&row.place, written).unwrap_or(self.batch.now())
    }

    /// Counts a reference to a fact that was not imported.
    fn count_missing_fact(&mut self, place: &LineLocation) {
        self.missing_facts.get_or_insert_with(|| (place.clone(), 0)).1 += 1;
    }

    fn finish(mut self) -> ImportResult {
        if let Some((place, count)) = self.missing_facts.take() {
            let message = match count {
                1 => "a fact that this line names as replaced or stored is missing".to_owned(),
                _ => format!("{count} facts that are named as replaced or stored are missing"),
            };
            let hint = "Omegon exports only active facts; this and later lines are imported without these references";
            self.batch.report(batch::problem(&place, message).hint(hint));
        }
        self.batch.finish()
    }
}

/// Returns the origin of the fact with an id of Omegon.
fn origin_of_fact(id: &str) -> Origin {
    omegon_origin("fact", id)
}

/// Returns the origin of a line of a kind, by its id.
fn omegon_origin(kind: &str, id: &str) -> Origin {
    Origin::imported("omegon", format_args!("{kind}:{id}"))
}

/// Returns the origin of a fact: by its id, or by a hash of its content.
fn fact_origin(row: &JsonRow) -> Origin {
    match row.text("id") {
        Some(id) => origin_of_fact(&id),
        None => {
            let identity = ["section", "content"].map(|key| row.text(key).unwrap_or_default());
            origin_of_fact(&format!("#{}", batch::hash(&identity.join("\n"))))
        }
    }
}

fn truncated(value: &Value) -> String {
    value.to_string().chars().take(20).collect()
}

#[cfg(test)]
mod tests;
