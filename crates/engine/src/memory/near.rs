//! What says nearly the same as something that is being stored.

use std::collections::HashSet;

use heirloom_core::fold::Standing;
use heirloom_core::record::{Kind, Record};
use heirloom_core::words::{likeness, words};
use schemars::JsonSchema;
use serde::Serialize;

use super::Recollection;

/// From this share of common words on, two facts say nearly the same.
const NEAR: f64 = 0.6;

/// More than this many would be noise.
const MOST: usize = 5;

/// Something that says nearly the same.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Near {
    /// Its id.
    pub(crate) id: String,
    /// What it says.
    pub(crate) text: String,
    /// How much of its words are the same, 0 to 1.
    pub(crate) likeness: f64,
}

impl Near {
    /// Finds active facts and entries that say nearly the same as a record which is to be stored,
    /// the nearest first; not those that it replaces.
    pub(crate) fn to(record: &Record, known: &Recollection) -> Vec<Self> {
        let own: HashSet<String> = words(&record.text()).into_iter().collect();
        let things = known.things(&[Kind::Fact], true);
        let mut near: Vec<Near> = things
            .into_iter()
            .filter(|thing| thing.standing == Standing::Active)
            .filter(|thing| !record.supersedes.contains(&thing.name()))
            .map(|thing| {
                let other: HashSet<String> = words(&thing.text).into_iter().collect();
                let likeness = (likeness(&own, &other) * 100.0).round() / 100.0;
                Near { id: thing.id, text: thing.text, likeness }
            })
            .filter(|near| near.likeness >= NEAR)
            .collect();
        near.sort_by(|a, b| b.likeness.total_cmp(&a.likeness).then_with(|| a.id.cmp(&b.id)));
        near.truncate(MOST);
        near
    }
}
