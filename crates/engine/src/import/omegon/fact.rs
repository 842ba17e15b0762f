//! Facts, what they replace and how often they were learnt.

use heirloom_core::record::{Action, Body, Fact, Section};
use uuid::Uuid;

use super::{Omegon, fact_origin, named_fact};
use crate::import::batch;
use crate::import::rows::Row;
use crate::import::section;

impl Omegon<'_, '_> {
    /// Takes a fact and returns which record it is.
    pub(super) fn take_fact(&mut self, row: &Row) -> Option<Uuid> {
        let Some(content) = row.text("content") else {
            self.batch.problem(&row.place, "a fact needs a content");
            return None;
        };
        let Some(section) = section_of(row) else {
            let message = match row.text("section") {
                Some(section) => format!("the section `{section}` is none that is kept here"),
                None => "a fact needs a section".to_owned(),
            };
            let titles = Section::ALL.map(Section::title).join(", ");
            self.batch
                .report(batch::problem(&row.place, message).hint(format!("name one of {titles}")));
            return None;
        };
        let fact = Fact { section, content, key: None, value: None, scope: None };
        let mut record = self.batch.draft(fact_origin(row), Body::Fact(fact));
        self.describe(&mut record, row);
        self.batch.take(&row.place, record)
    }

    /// Notes what a fact replaced, and what replaced it.
    pub(super) fn replace(&mut self, row: &Row, id: Uuid) {
        for (key, is_successor) in [("supersedes", true), ("superseded_by", false)] {
            for name in row.list(key) {
                match self.batch.id_of(&named_fact(&name)) {
                    Some(other) if other == id => {
                        self.batch.problem(&row.place, "a fact cannot replace itself");
                    }
                    Some(other) if is_successor => self.replaces(id, other),
                    Some(other) => self.replaces(other, id),
                    None => self.miss(&row.place),
                }
            }
        }
    }

    /// A record that was known before is never rewritten: it says already what it replaced then.
    fn replaces(&mut self, successor: Uuid, replaced: Uuid) {
        let is_new = self.batch.new_record(replaced).is_some();
        match self.batch.new_record(successor) {
            Some(record) if self.pairs.insert((successor, replaced)) => {
                record.supersedes.push(replaced.to_string());
                self.replaced.insert(replaced);
            }
            None if !is_new => drop(self.replaced.insert(replaced)),
            Some(_) | None => {}
        }
    }

    /// Notes that a fact was learnt more than once. How often is only a number there, so it is one
    /// event.
    pub(super) fn reinforce(&mut self, row: &Row, id: Uuid) {
        let count = row.number("reinforcement_count").unwrap_or(0);
        if count > 1 {
            let written = row.text("last_reinforced").or_else(|| row.text("created_at"));
            let at = self.moment_or_now(row, written.as_deref());
            let reason = format!("reinforced {count} times in Omegon");
            let event = (Action::Reinforce, id, reason);
            self.batch.take_event(
                &row.place,
                format!("{}:reinforced", fact_origin(row)),
                at,
                event,
            );
        }
    }
}

/// A section of another name is taken only where it is clearly what was done lately.
fn section_of(row: &Row) -> Option<Section> {
    let written = row.text("section")?;
    let recent = || section::of_heading(&written).filter(|guess| *guess == Section::RecentWork);
    Section::from_title(&written).or_else(recent)
}
