//! Episodes.

use heirloom_core::day;
use heirloom_core::record::{Body, Episode};

use super::{Omegon, named_fact};
use crate::import::batch;
use crate::import::rows::Row;

impl Omegon<'_, '_> {
    /// Takes an episode.
    pub(super) fn take_episode(&mut self, row: &Row) {
        let Some(title) = row.text("title") else {
            return self.batch.problem(&row.place, "an episode needs a title");
        };
        let origin = match row.text("id") {
            Some(id) => format!("omegon:episode:{id}"),
            None => {
                let said = format!("{title}\n{}", row.text("date").unwrap_or_default());
                format!("omegon:episode:#{}", batch::hash(&said))
            }
        };
        let episode = Episode {
            title,
            content: row.text("narrative").unwrap_or_default(),
            stored: self.stored(row),
            files: row.list("files_changed"),
            tool_calls: row.number("tool_calls_count"),
            ..Episode::default()
        };
        let mut record = self.batch.draft(origin, Body::Episode(Box::new(episode)));
        self.describe(&mut record, row);
        if let Some(moment) = self.batch.moment(&row.place, row.text("date").as_deref()) {
            record.valid_from = Some(day::of(moment));
            if row.text("created_at").is_none() {
                record.at = moment;
            }
        }
        if let Some(session) = row.text("session_id") {
            record.source = Some(format!("session {session}"));
        }
        self.batch.take(&row.place, record);
    }

    fn stored(&mut self, row: &Row) -> Vec<String> {
        let mut stored = Vec::new();
        for name in row.list("fact_ids") {
            match self.batch.id_of(&named_fact(&name)) {
                Some(id) => stored.push(id.to_string()),
                None => self.miss(&row.place),
            }
        }
        stored
    }
}
