//! The state of an import, and what all kinds of lines share.

use std::collections::HashSet;

use heirloom_core::fold::LineLocation;
use heirloom_core::record::{EventAction, Origin, Record};
use heirloom_core::{Value, day};
use jiff::Timestamp;
use uuid::Uuid;

use crate::import::batch::{self, Batch, ImportResult};
use crate::import::rows::JsonRow;

/// The state of an import.
pub(super) struct OmegonImport<'b, 'i> {
    pub(super) batch: Batch<'b, 'i>,
    /// The records that are known to be replaced.
    pub(super) replaced: HashSet<Uuid>,
    /// The supersessions written so far: new record and replaced record.
    pub(super) supersessions: HashSet<(Uuid, Uuid)>,
    /// The first line that names a missing fact, and the number of such references.
    missing_facts: Option<(LineLocation, usize)>,
}

impl<'b, 'i> OmegonImport<'b, 'i> {
    pub(super) fn new(batch: Batch<'b, 'i>) -> Self {
        OmegonImport {
            batch,
            replaced: HashSet::new(),
            supersessions: HashSet::new(),
            missing_facts: None,
        }
    }

    /// Sets the fields that every kind of line may have.
    pub(super) fn set_common_fields(&mut self, record: &mut Record, row: &JsonRow) {
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
    pub(super) fn archive_inactive(&mut self, row: &JsonRow, origin: &Origin, id: Uuid) {
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

    pub(super) fn timestamp_or_now(&mut self, row: &JsonRow, written: Option<&str>) -> Timestamp {
        self.batch.timestamp(&row.place, written).unwrap_or(self.batch.now())
    }

    /// Counts a reference to a fact that was not imported.
    pub(super) fn count_missing_fact(&mut self, place: &LineLocation) {
        self.missing_facts.get_or_insert_with(|| (place.clone(), 0)).1 += 1;
    }

    pub(super) fn finish(mut self) -> ImportResult {
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
pub(super) fn origin_of_fact(id: &str) -> Origin {
    omegon_origin("fact", id)
}

/// Returns the origin of a line of a kind, by its id.
pub(super) fn omegon_origin(kind: &str, id: &str) -> Origin {
    Origin::imported("omegon", format_args!("{kind}:{id}"))
}

/// Returns the origin of a fact: by its id, or by a hash of its content.
pub(super) fn fact_origin(row: &JsonRow) -> Origin {
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
