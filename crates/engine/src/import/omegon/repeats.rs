//! Resolves lines with the same id, which arise from a merge of two branches.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::import::batch::{self, Batch};
use crate::import::rows::JsonRow;

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum RowKind {
    Fact,
    Episode,
    Edge,
}

/// The fields of a line that are content, and not scores or dates.
const CONTENT_FIELDS: &[&str] =
    &["section", "content", "title", "narrative", "relation", "source_fact_id", "target_fact_id"];

/// Keeps the newest line of each id. A dropped line with the same content counts as repeated; one with
/// different content is a problem.
pub(super) fn keep_newest(
    rows: Vec<(RowKind, JsonRow)>,
    batch: &mut Batch<'_, '_>,
) -> Vec<(RowKind, JsonRow)> {
    let mut kept: Vec<(RowKind, JsonRow)> = Vec::with_capacity(rows.len());
    let mut positions: HashMap<(RowKind, String), usize> = HashMap::new();
    for (kind, mut row) in rows {
        let Some(id) = row.text("id") else {
            kept.push((kind, row));
            continue;
        };
        match positions.entry((kind, id)) {
            Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push((kind, row));
            }
            Entry::Occupied(entry) => {
                let (_, newest) = &mut kept[*entry.get()];
                if recency(&row) > recency(newest) {
                    std::mem::swap(newest, &mut row);
                }
                report_dropped(&row, newest, &entry.key().1, batch);
            }
        }
    }
    kept
}

/// Orders lines by age: by version, then by the count and the date of reinforcements.
fn recency(row: &JsonRow) -> (u64, u64, String) {
    let number = |key| row.number(key).unwrap_or(0);
    let last = row.text("last_reinforced").unwrap_or_default();
    (number("version"), number("reinforcement_count"), last)
}

fn report_dropped(dropped: &JsonRow, kept: &JsonRow, id: &str, batch: &mut Batch<'_, '_>) {
    if CONTENT_FIELDS.iter().all(|key| dropped.text(key) == kept.text(key)) {
        batch.count_repeated();
    } else {
        let message = format!(
            "the id `{id}` is also on {}:{}, which is imported instead",
            kept.place.path, kept.place.line
        );
        batch.report(batch::problem(&dropped.place, message).hint("remove one of the two lines"));
    }
}
