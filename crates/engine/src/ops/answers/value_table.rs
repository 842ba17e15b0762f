//! A table of merged values with the documents they come from.

use heirloom_core::Value;
use heirloom_core::cascade::{self, Contribution, Layer};
use indexmap::IndexMap;

use crate::view::present;
use crate::view::{Role, View, span};

/// Merged values by key path, for display beside their provenance.
#[derive(Debug)]
pub(crate) struct ValueTable {
    /// The merged value of each key path.
    flat: IndexMap<String, Value>,
    /// For each key path, how many of its last contributions make up the value.
    contributors: IndexMap<String, usize>,
}

impl ValueTable {
    /// Merges the layers.
    pub(crate) fn of(layers: &[Layer<'_>]) -> Self {
        ValueTable {
            flat: cascade::flatten(layers),
            contributors: cascade::contributor_counts(layers),
        }
    }

    /// Shows every key with its value, its sources and the values it overrides.
    pub(crate) fn show(&self, view: &mut View, provenance: &IndexMap<String, Vec<Contribution>>) {
        view.title("Values");
        if provenance.is_empty() {
            view.line([span(Role::Dim, "no values are set")]);
        }
        let rows = provenance.iter().map(|(key, history)| {
            let roles = [Role::Key, Role::Value, Role::Dim, Role::Source, Role::Dim];
            roles.into_iter().zip(self.row(key, history)).map(|(role, text)| span(role, text))
        });
        view.table(&[], rows.map(Iterator::collect).collect());
    }

    /// Returns a row of the table: the key, its value, the levels and documents that it comes from, and what it overrides.
    pub(crate) fn row(&self, key: &str, history: &[Contribution]) -> [String; 5] {
        let merged = self.flat.get(key).map(present::value).unwrap_or_default();
        let count = self.contributors.get(key).copied().unwrap_or(1).clamp(1, history.len().max(1));
        let (overridden, contributors) = history.split_at(history.len().saturating_sub(count));
        [
            key.to_owned(),
            merged,
            join_distinct(contributors.iter().map(|one| one.level.as_str())),
            join_distinct(contributors.iter().map(|one| one.source.as_str())),
            show_overridden(overridden),
        ]
    }
}

fn join_distinct<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(", ")
}

fn show_overridden(overridden: &[Contribution]) -> String {
    let shown: Vec<String> = overridden
        .iter()
        .rev()
        .map(|one| format!("{} ({})", present::value(&one.value), one.level))
        .collect();
    if shown.is_empty() { String::new() } else { format!("overrides {}", shown.join(", ")) }
}
