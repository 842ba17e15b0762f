//! Imports facts, their supersessions and reinforcements.

use heirloom_core::record::{Body, EventAction, Fact, FactSection};
use uuid::Uuid;

use super::state::{OmegonImport, fact_origin, origin_of_fact};
use crate::import::batch;
use crate::import::rows::JsonRow;
use crate::import::section;

impl OmegonImport<'_, '_> {
    /// Imports a fact and returns the id of its record.
    pub(super) fn import_fact(&mut self, row: &JsonRow) -> Option<Uuid> {
        let Some(content) = row.text("content") else {
            self.batch.report_at(&row.place, "a fact needs `content`");
            return None;
        };
        let Some(section) = section_of(row) else {
            let message = match row.text("section") {
                Some(section) => format!("the section `{section}` is unknown"),
                None => "a fact needs `section`".to_owned(),
            };
            let titles = FactSection::ALL.map(FactSection::title).join(", ");
            self.batch
                .report(batch::problem(&row.place, message).hint(format!("use one of {titles}")));
            return None;
        };
        let fact = Fact { section, content, key: None, value: None, scope: None };
        let mut record = self.batch.draft(fact_origin(row), Body::Fact(fact));
        self.set_common_fields(&mut record, row);
        self.batch.insert(&row.place, record)
    }

    /// Records which facts a fact replaced, and which replaced it.
    pub(super) fn record_supersessions(&mut self, row: &JsonRow, id: Uuid) {
        for (key, is_successor) in [("supersedes", true), ("superseded_by", false)] {
            for name in row.list(key) {
                match self.batch.find_id(&origin_of_fact(&name)) {
                    Some(other) if other == id => {
                        self.batch.report_at(&row.place, "a fact cannot replace itself");
                    }
                    Some(other) if is_successor => self.record_supersession(id, other),
                    Some(other) => self.record_supersession(other, id),
                    None => self.count_missing_fact(&row.place),
                }
            }
        }
    }

    /// Adds a supersession to a new successor. A record of an earlier import is never rewritten; it
    /// already names what it replaced.
    fn record_supersession(&mut self, successor: Uuid, replaced: Uuid) {
        let is_new = self.batch.new_record(replaced).is_some();
        match self.batch.new_record(successor) {
            Some(record) if self.supersessions.insert((successor, replaced)) => {
                record.supersedes.push(replaced.into());
                self.replaced.insert(replaced);
            }
            None if !is_new => drop(self.replaced.insert(replaced)),
            Some(_) | None => {}
        }
    }

    /// Records that a fact was reinforced. Omegon stores only a count, so this is a single event.
    pub(super) fn record_reinforcement(&mut self, row: &JsonRow, id: Uuid) {
        let count = row.number("reinforcement_count").unwrap_or(0);
        if count > 1 {
            let written = row.text("last_reinforced").or_else(|| row.text("created_at"));
            let at = self.timestamp_or_now(row, written.as_deref());
            let reason = format!("reinforced {count} times in Omegon");
            let event = (EventAction::Reinforce, id, reason);
            self.batch.insert_event(&row.place, fact_origin(row).derived("reinforced"), at, event);
        }
    }
}

/// Returns the section of a fact. Of unknown titles, only those that clearly mean recent work are accepted.
fn section_of(row: &JsonRow) -> Option<FactSection> {
    let written = row.text("section")?;
    let recent_work =
        || section::of_heading(&written).filter(|guess| *guess == FactSection::RecentWork);
    FactSection::from_title(&written).or_else(recent_work)
}
