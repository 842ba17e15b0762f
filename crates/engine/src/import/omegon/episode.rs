//! Imports episodes.

use heirloom_core::day;
use heirloom_core::record::{Body, Episode, Referent};

use super::state::{OmegonImport, omegon_origin, origin_of_fact};
use crate::import::batch;
use crate::import::rows::JsonRow;

impl OmegonImport<'_, '_> {
    /// Imports an episode.
    pub(super) fn import_episode(&mut self, row: &JsonRow) {
        let Some(title) = row.text("title") else {
            return self.batch.report_at(&row.place, "an episode needs a title");
        };
        let origin = match row.text("id") {
            Some(id) => omegon_origin("episode", &id),
            None => {
                let identity = format!("{title}\n{}", row.text("date").unwrap_or_default());
                omegon_origin("episode", &format!("#{}", batch::hash(&identity)))
            }
        };
        let episode = Episode {
            title,
            content: row.text("narrative").unwrap_or_default(),
            stored: self.stored_facts(row),
            files: row.list("files_changed"),
            tool_calls: row.number("tool_calls_count"),
            ..Episode::default()
        };
        let mut record = self.batch.draft(origin, Body::Episode(Box::new(episode)));
        self.set_common_fields(&mut record, row);
        if let Some(date) = self.batch.timestamp(&row.place, row.text("date").as_deref()) {
            record.valid_from = Some(day::of_timestamp(date));
            if row.text("created_at").is_none() {
                record.at = date;
            }
        }
        if let Some(session) = row.text("session_id") {
            record.source = Some(format!("session {session}"));
        }
        self.batch.insert(&row.place, record);
    }

    /// Returns the records of the facts that an episode names.
    fn stored_facts(&mut self, row: &JsonRow) -> Vec<Referent> {
        let mut stored = Vec::new();
        for name in row.list("fact_ids") {
            match self.batch.find_id(&origin_of_fact(&name)) {
                Some(id) => stored.push(id.into()),
                None => self.count_missing_fact(&row.place),
            }
        }
        stored
    }
}
