//! Merged values, each with the documents that it comes from.

use heirloom_core::Value;
use heirloom_core::cascade::{self, Contribution, Layer};
use indexmap::IndexMap;

use crate::view::present;
use crate::view::{Role, View, span};

/// What a table of merged values shows beside who said what.
#[derive(Debug)]
pub(crate) struct ValueTable {
    /// The merged value of each key path.
    flat: IndexMap<String, Value>,
    /// How many of the last in a key's history make up its value.
    contributors: IndexMap<String, usize>,
}

impl ValueTable {
    /// Merges layers.
    pub(crate) fn of(layers: &[Layer<'_>]) -> Self {
        ValueTable {
            flat: cascade::flat(layers),
            contributors: cascade::contributor_counts(layers),
        }
    }

    /// Shows every key with its value, where it comes from and what it beat.
    pub(crate) fn show(&self, view: &mut View, provenance: &IndexMap<String, Vec<Contribution>>) {
        view.title("Values");
        if provenance.is_empty() {
            view.line([span(Role::Dim, "none are set")]);
        }
        let rows = provenance.iter().map(|(key, history)| {
            let merged = self.flat.get(key).map(present::value).unwrap_or_default();
            let count =
                self.contributors.get(key).copied().unwrap_or(1).clamp(1, history.len().max(1));
            let (beaten, contributors) = history.split_at(history.len().saturating_sub(count));
            vec![
                span(Role::Key, key),
                span(Role::Value, merged),
                span(Role::Dim, each_once(contributors.iter().map(|one| one.level.as_str()))),
                span(Role::Source, each_once(contributors.iter().map(|one| one.source.as_str()))),
                span(Role::Dim, over(beaten)),
            ]
        });
        view.table(&[], rows.collect());
    }
}

fn each_once<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.join(", ")
}

fn over(beaten: &[Contribution]) -> String {
    let shown: Vec<String> = beaten
        .iter()
        .rev()
        .map(|one| format!("{} ({})", present::value(&one.value), one.level))
        .collect();
    if shown.is_empty() { String::new() } else { format!("over {}", shown.join(", ")) }
}
