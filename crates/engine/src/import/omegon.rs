//! `facts.jsonl` of Omegon and of its predecessor, the project memory of pi-kit.
//!
//! A line is a fact, an episode, an edge or a mind, by its `_type`; a line of an agent's mind has
//! only a section and a content. Older exports have scores that newer ones leave out. Git merges
//! these files line by line, so one id may be on several lines.

mod episode;
mod fact;
mod repeats;

use std::collections::HashSet;

use heirloom_core::fold::Place;
use heirloom_core::record::{Action, Record};
use heirloom_core::{Value, day};
use jiff::Timestamp;
use uuid::Uuid;

use super::batch::{self, Batch};
use super::relation::Link;
use super::rows::{self, Row};
use super::{Imported, Importing, Text};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sort {
    Fact,
    Episode,
    Edge,
}

/// An import of these files.
struct Omegon<'b, 'i> {
    batch: Batch<'b, 'i>,
    /// What is known to be replaced.
    replaced: HashSet<Uuid>,
    /// The new records that replaced something, each with what it replaced.
    pairs: HashSet<(Uuid, Uuid)>,
    /// The first line that names a fact which is not here, and how many do.
    absent: Option<(Place, usize)>,
}

/// Reads facts, episodes and edges.
pub(super) fn import(texts: &[Text<'_>], given: &mut Importing<'_>) -> Imported {
    let mut batch = Batch::new(given);
    let rows = rows::read(texts, &mut batch);
    let rows: Vec<(Sort, Row)> =
        rows.into_iter().filter_map(|row| Some((sort_of(&row, &mut batch)?, row))).collect();
    let rows = repeats::settle(rows, &mut batch);
    let of =
        |wanted: Sort| rows.iter().filter(move |(sort, _)| *sort == wanted).map(|(_, row)| row);
    let mut omegon =
        Omegon { batch, replaced: HashSet::new(), pairs: HashSet::new(), absent: None };
    let facts: Vec<(&Row, Uuid)> =
        of(Sort::Fact).filter_map(|row| Some((row, omegon.take_fact(row)?))).collect();
    for (row, id) in &facts {
        omegon.replace(row, *id);
    }
    for (row, id) in &facts {
        omegon.reinforce(row, *id);
        omegon.put_away(row, &fact_origin(row), *id);
    }
    of(Sort::Episode).for_each(|row| omegon.take_episode(row));
    of(Sort::Edge).for_each(|row| omegon.take_edge(row));
    omegon.finish()
}

fn sort_of(row: &Row, batch: &mut Batch<'_, '_>) -> Option<Sort> {
    match row.text("_type").as_deref() {
        Some("fact") => Some(Sort::Fact),
        Some("episode") => Some(Sort::Episode),
        Some("edge") => Some(Sort::Edge),
        Some("mind") => {
            let message = "a mind is no record; what it holds has its name as a tag";
            batch.problem(&row.place, message);
            None
        }
        None if row.text("section").is_some() && row.text("content").is_some() => Some(Sort::Fact),
        Some(other) => {
            let message = format!("`{other}` is none of fact, episode, edge and mind");
            batch.problem(&row.place, message);
            None
        }
        None => {
            let hint = "a line says so in `_type`";
            let message = "this is no fact, no episode and no edge";
            batch.report(batch::problem(&row.place, message).hint(hint));
            None
        }
    }
}

impl Omegon<'_, '_> {
    fn take_edge(&mut self, row: &Row) {
        let (Some(from), Some(to), Some(words)) = (
            row.text("source_fact_id").or_else(|| row.text("source_id")),
            row.text("target_fact_id").or_else(|| row.text("target_id")),
            row.text("relation"),
        ) else {
            let message = "an edge needs a source_fact_id, a target_fact_id and a relation";
            return self.batch.problem(&row.place, message);
        };
        let id_of = |fact: &str| self.batch.id_of(&named_fact(fact));
        let origin = match row.text("id") {
            Some(id) => format!("omegon:edge:{id}"),
            None => format!("omegon:edge:#{}", batch::hash(&format!("{from} {words} {to}"))),
        };
        let link = Link {
            origin: origin.clone(),
            words: &words,
            from: (&from, id_of(&from)),
            to: (&to, id_of(&to)),
            content: row.text("description").unwrap_or_default(),
        };
        match link.draft(&row.place, &self.batch) {
            Err(problem) => self.batch.report(problem),
            Ok(mut record) => {
                self.describe(&mut record, row);
                if let Some(id) = self.batch.take(&row.place, record) {
                    self.put_away(row, &origin, id);
                }
            }
        }
    }

    /// Adds what every sort of line may say.
    fn describe(&mut self, record: &mut Record, row: &Row) {
        if let Some(at) = self.batch.moment(&row.place, row.text("created_at").as_deref()) {
            record.at = at;
            record.valid_from = Some(day::of(at));
        }
        record.confidence = self.confidence(row);
        record.source = row.text("source");
        let apart = [("mind", "default"), ("layer", "project"), ("persona_id", "")];
        let names =
            apart.into_iter().filter_map(|(key, usual)| row.text(key).filter(|name| name != usual));
        record.tags = batch::tags(row.list("tags").into_iter().chain(names));
        let about =
            [("jj_change_id", "jj"), ("affected_nodes", "node"), ("affected_changes", "change")];
        for (key, prefix) in about {
            let names = row.list(key).into_iter().map(|name| format!("{prefix}:{name}"));
            record.artifacts.extend(names);
        }
    }

    fn confidence(&mut self, row: &Row) -> Option<f64> {
        let written = row.value("confidence").or_else(|| row.value("weight"))?;
        let confidence = written.as_f64().filter(|value| (0.0..=1.0).contains(value));
        if confidence.is_none() {
            let message = format!(
                "the confidence {} is not between 0 and 1, and is left out",
                brief(written)
            );
            self.batch.problem(&row.place, message);
        }
        confidence
    }

    /// Archives what does not stand any more.
    fn put_away(&mut self, row: &Row, origin: &str, id: Uuid) {
        let status = row.text("status").unwrap_or_default();
        let reason = match status.as_str() {
            "" | "active" => return,
            "superseded" if self.replaced.contains(&id) => return,
            "superseded" => {
                "superseded in Omegon; what replaced it was not imported with it".into()
            }
            "archived" | "dormant" => format!("{status} in Omegon"),
            _ => {
                let message = format!("the status `{status}` is unknown; this is taken as active");
                return self.batch.problem(&row.place, message);
            }
        };
        let written = row.text("archived_at").or_else(|| row.text("superseded_at"));
        let at = self.moment_or_now(row, written.as_deref());
        let event = (Action::Archive, id, reason);
        self.batch.take_event(&row.place, format!("{origin}:archived"), at, event);
    }

    fn moment_or_now(&mut self, row: &Row, written: Option<&str>) -> Timestamp {
        self.batch.moment(&row.place, written).unwrap_or(self.batch.now())
    }

    /// Notes that a line names a fact which is not here.
    fn miss(&mut self, place: &Place) {
        self.absent.get_or_insert_with(|| (place.clone(), 0)).1 += 1;
    }

    fn finish(mut self) -> Imported {
        if let Some((place, count)) = self.absent.take() {
            let message = match count {
                1 => "a fact that this line names as replaced or stored is not here".to_owned(),
                _ => format!("{count} facts that lines name as replaced or stored are not here"),
            };
            let hint = "Omegon exports only what is active, so this and later lines are taken without them";
            self.batch.report(batch::problem(&place, message).hint(hint));
        }
        self.batch.finish()
    }
}

fn named_fact(id: &str) -> String {
    format!("omegon:fact:{id}")
}

fn fact_origin(row: &Row) -> String {
    match row.text("id") {
        Some(id) => named_fact(&id),
        None => {
            let said = ["section", "content"].map(|key| row.text(key).unwrap_or_default());
            named_fact(&format!("#{}", batch::hash(&said.join("\n"))))
        }
    }
}

fn brief(value: &Value) -> String {
    value.to_string().chars().take(20).collect()
}

#[cfg(test)]
mod tests;
