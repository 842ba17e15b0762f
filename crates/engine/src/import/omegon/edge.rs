//! Imports relations between facts.

use super::state::{OmegonImport, omegon_origin, origin_of_fact};
use crate::import::batch;
use crate::import::relation::ForeignRelation;
use crate::import::rows::JsonRow;

impl OmegonImport<'_, '_> {
    /// Imports an edge.
    pub(super) fn import_edge(&mut self, row: &JsonRow) {
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
}
