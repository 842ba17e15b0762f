//! Lines with one id, which a merge of two branches leaves.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Sort;
use crate::import::batch::{self, Batch};
use crate::import::rows::Row;

/// What a line says, apart from scores and dates.
const SAID: &[&str] =
    &["section", "content", "title", "narrative", "relation", "source_fact_id", "target_fact_id"];

/// Keeps the newest line of every id. A line that says the same counts as known; one that says
/// something else is a problem.
pub(super) fn settle(rows: Vec<(Sort, Row)>, batch: &mut Batch<'_, '_>) -> Vec<(Sort, Row)> {
    let mut kept: Vec<(Sort, Row)> = Vec::with_capacity(rows.len());
    let mut positions: HashMap<(Sort, String), usize> = HashMap::new();
    for (sort, mut row) in rows {
        let Some(id) = row.text("id") else {
            kept.push((sort, row));
            continue;
        };
        match positions.entry((sort, id)) {
            Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push((sort, row));
            }
            Entry::Occupied(entry) => {
                let (_, own) = &mut kept[*entry.get()];
                if rank(&row) > rank(own) {
                    std::mem::swap(own, &mut row);
                }
                leave(&row, own, &entry.key().1, batch);
            }
        }
    }
    kept
}

/// What makes one line newer than another: its version, else how often it was learnt and when.
fn rank(row: &Row) -> (u64, u64, String) {
    let number = |key| row.number(key).unwrap_or(0);
    let last = row.text("last_reinforced").unwrap_or_default();
    (number("version"), number("reinforcement_count"), last)
}

fn leave(row: &Row, read: &Row, id: &str, batch: &mut Batch<'_, '_>) {
    if SAID.iter().all(|key| row.text(key) == read.text(key)) {
        batch.repeated();
    } else {
        let message = format!(
            "the id `{id}` is on another line too ({}:{}), and that one is read",
            read.place.path, read.place.line
        );
        batch.report(batch::problem(&row.place, message).hint("remove one of the two lines"));
    }
}
