//! Imports `facts.jsonl` of Omegon and of its predecessor, the project memory of pi-kit.
//!
//! The `_type` of a line is fact, episode, edge or mind; a line of an agent's mind has only a section and
//! a content. Older exports contain scores that newer ones omit. Git merges these files line by line, so
//! one id may be on several lines.

mod edge;
mod episode;
mod fact;
mod repeats;
mod state;

use uuid::Uuid;

use super::batch::{self, Batch, ImportContext, ImportResult, SourceText};
use super::rows::{self, JsonRow};
use repeats::RowKind;
use state::{OmegonImport, fact_origin};

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
    let mut import = OmegonImport::new(batch);
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

#[cfg(test)]
mod tests;
