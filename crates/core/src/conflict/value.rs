//! Conflicting values: keys that a layer overrides with another value.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Map;

use super::{Conflict, ConflictKind, Severity, Side, format_value};
use crate::cascade::Layer;
use crate::staleness::{Freshness, Staleness};
use crate::{Document, Value, keypath};

/// A value that directly replaced another.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The key path.
    pub key: String,
    /// The index of the layer whose value was replaced.
    pub parent: usize,
    /// The index of the layer whose value replaced it.
    pub child: usize,
    /// The value of the parent.
    pub parent_value: Value,
    /// The value of the child.
    pub child_value: Value,
    /// Whether the child declares the override.
    pub is_declared: bool,
    /// The index of the later layer that removed the key with `override: true` or `inherit: false`, or
    /// by replacing a map by a single value.
    pub removed_by: Option<usize>,
}

/// The merged values by key path, each with the index of the layer that set it.
type MergedValues = BTreeMap<Arc<str>, (usize, Arc<Value>)>;

/// Layers merged one at a time. A clone is cheap, so that layers which several paths through the
/// hierarchy share are merged once.
#[derive(Debug, Clone, Default)]
pub struct LayerStack {
    merged: Arc<MergedValues>,
}

impl LayerStack {
    /// Merges a document on top, and adds an override for every value that directly replaced a
    /// different one. Earlier overrides whose key the document removes are marked as removed.
    pub fn add(&mut self, child: usize, document: &Document, overrides: &mut Vec<Override>) {
        let values = &document.values;
        if values.is_empty() && !values.hides_all_inherited() {
            return;
        }
        let merged = Arc::make_mut(&mut self.merged);
        let declared_overrides = document.field_list("overrides");
        let mut new_values: Vec<(String, Value)> = Vec::new();
        let mut reported = HashSet::new();
        values.for_each_leaf(&mut |keys, leaf, cut| {
            let Some(value) = leaf.clone().into_value() else { return };
            let key = keypath::join(keys.iter().map(String::as_str));
            if let Some(replaced) = find_replaced(merged, keys, &key, &value, cut) {
                let (parent, parent_value) = replaced.parent;
                // If a map replaced a single value, the child's value is the whole map.
                let child_value = values
                    .get(&keys[..replaced.depth])
                    .and_then(|tree| tree.clone().into_value())
                    .unwrap_or(Value::Null);
                let replaced_key = keypath::join(keys[..replaced.depth].iter().map(String::as_str));
                let acknowledged = cut
                    || declared_overrides.iter().any(|path| {
                        keypath::is_within(&key, path) || keypath::is_within(&replaced_key, path)
                    });
                if !is_compatible(&parent_value, &child_value)
                    && reported.insert(replaced_key.clone())
                {
                    overrides.push(Override {
                        key: replaced_key,
                        parent,
                        child,
                        parent_value: (*parent_value).clone(),
                        child_value,
                        is_declared: acknowledged,
                        removed_by: None,
                    });
                }
            }
            new_values.push((key, value));
        });
        for cut in values.override_paths() {
            remove_within(merged, &cut);
        }
        for (key, value) in new_values {
            insert(merged, key, child, value);
        }
        for earlier in overrides.iter_mut().filter(|earlier| earlier.removed_by.is_none()) {
            let is_set = merged.contains_key(earlier.key.as_str())
                || below(merged, &earlier.key).next().is_some();
            earlier.removed_by = (!is_set).then_some(child);
        }
    }
}

/// Returns every value that directly replaced a different one.
fn find_overrides(layers: &[Layer<'_>]) -> Vec<Override> {
    let (mut stack, mut overrides) = (LayerStack::default(), Vec::new());
    for (child, layer) in layers.iter().enumerate() {
        stack.add(child, layer.document, &mut overrides);
    }
    overrides
}

/// Returns whether two values do not conflict: they are equal, or merge as lists or maps.
fn is_compatible(parent: &Value, child: &Value) -> bool {
    match (parent, child) {
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => true,
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => parent == child,
    }
}

/// A value that a leaf replaces.
struct ReplacedValue {
    /// The number of keys in its path.
    depth: usize,
    /// The index of its layer, and the value.
    parent: (usize, Arc<Value>),
}

/// Finds the value that a leaf replaces: the one at its path, a single value above it, or a map below
/// it.
fn find_replaced(
    merged: &MergedValues,
    keys: &[String],
    key: &str,
    value: &Value,
    cut: bool,
) -> Option<ReplacedValue> {
    for depth in 1..=keys.len() {
        let path = keypath::join(keys[..depth].iter().map(String::as_str));
        if let Some(parent) = merged
            .get(path.as_str())
            .filter(|(_, parent)| depth == keys.len() || !parent.is_object())
        {
            return Some(ReplacedValue { depth, parent: parent.clone() });
        }
    }
    let merges_with_map = value.is_object() && !cut;
    let replaced: Vec<_> = below(merged, key).filter(|_| !merges_with_map).collect();
    let (_, (layer, _)) = replaced.iter().max_by_key(|(_, (layer, _))| *layer)?;
    let map = replaced
        .iter()
        .map(|(other, (_, value))| (other[key.len() + 1..].to_owned(), (**value).clone()))
        .collect();
    Some(ReplacedValue { depth: keys.len(), parent: (*layer, Arc::new(Value::Object(map))) })
}

/// Returns the values below a key path.
fn below<'m>(
    merged: &'m MergedValues,
    key: &str,
) -> impl Iterator<Item = (&'m Arc<str>, &'m (usize, Arc<Value>))> + use<'m> {
    let prefix = format!("{key}.");
    let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
    merged.range::<str, _>(from).take_while(move |(other, _)| other.starts_with(&prefix))
}

/// Removes the value at a key path and every value below it; an empty path removes all.
fn remove_within(merged: &mut MergedValues, path: &str) {
    if path.is_empty() {
        return merged.clear();
    }
    let keys: Vec<Arc<str>> = below(merged, path).map(|(key, _)| key.clone()).collect();
    keys.iter().for_each(|key| drop(merged.remove(key)));
    merged.remove(path);
}

/// Sets a value and removes the values above and below its key path. An empty map does not replace
/// another map.
fn insert(merged: &mut MergedValues, key: String, layer: usize, value: Value) {
    if value.as_object().is_some_and(Map::is_empty) && below(merged, &key).next().is_some() {
        return;
    }
    remove_within(merged, &key);
    for (dot, _) in key.match_indices('.') {
        merged.remove(&key[..dot]);
    }
    merged.insert(key.into(), (layer, Arc::new(value)));
}

/// Returns the conflicting values among layers, given the staleness of each layer. A key that a later
/// layer removed is in no conflict.
pub fn find_value_conflicts(layers: &[Layer<'_>], freshness: &[Staleness]) -> Vec<Conflict> {
    find_overrides(layers)
        .into_iter()
        .filter(|value_override| value_override.removed_by.is_none())
        .flat_map(|value_override| {
            let (parent, child) = (&layers[value_override.parent], &layers[value_override.child]);
            override_conflicts(&value_override, parent, child, freshness.get(value_override.parent))
        })
        .collect()
}

/// Returns the conflicts that an override causes, given the staleness of the parent.
pub fn override_conflicts(
    value_override: &Override,
    parent: &Layer<'_>,
    child: &Layer<'_>,
    parent_freshness: Option<&Staleness>,
) -> Vec<Conflict> {
    let is_same_level = parent.level == child.level;
    let severity = if value_override.is_declared {
        Severity::Information
    } else if is_same_level {
        Severity::Warning
    } else {
        Severity::Critical
    };
    let mut conflicts = vec![contradiction(value_override, parent, child, severity)];
    let stale = parent_freshness
        .filter(|staleness| matches!(staleness.status, Freshness::Warning | Freshness::Critical));
    if let Some(staleness) = stale.filter(|_| !is_same_level) {
        conflicts.push(stale_override(value_override, parent, child, staleness));
    }
    conflicts
}

fn contradiction(
    value_override: &Override,
    parent: &Layer<'_>,
    child: &Layer<'_>,
    severity: Severity,
) -> Conflict {
    let message = format!(
        "{} is {} here and {} in {}",
        value_override.key,
        format_value(&value_override.child_value),
        format_value(&value_override.parent_value),
        parent.document.path
    );
    let reason = if parent.level == child.level { "it comes later" } else { "higher priority" };
    Conflict {
        kind: ConflictKind::DirectContradiction,
        severity,
        key: Some(value_override.key.clone()),
        path: child.document.path.clone(),
        line: child.document.line_of(&value_override.key),
        message,
        sides: sides(value_override, parent, child),
        resolution: Some(format!("Using {} value ({reason})", child.level)),
        hint: match value_override.is_declared {
            true => "the document declares this override".into(),
            false => format!(
                "if this is intended, add `overrides: [{}]` to the front matter; otherwise remove the key here",
                value_override.key
            )
            .into(),
        },
    }
}

fn stale_override(
    value_override: &Override,
    parent: &Layer<'_>,
    child: &Layer<'_>,
    staleness: &Staleness,
) -> Conflict {
    let days = staleness.days_old.unwrap_or_default();
    Conflict {
        kind: ConflictKind::StaleOverride,
        severity: Severity::Warning,
        key: Some(value_override.key.clone()),
        path: child.document.path.clone(),
        line: child.document.line_of(&value_override.key),
        message: format!(
            "{} overrides {}, which is {days} days old",
            value_override.key, parent.document.path
        ),
        sides: sides(value_override, parent, child),
        resolution: Some(format!("Using {} value (higher priority)", child.level)),
        hint: format!("review {} and refresh or change it", parent.document.path).into(),
    }
}

fn sides(value_override: &Override, parent: &Layer<'_>, child: &Layer<'_>) -> Vec<Side> {
    let side = |layer: &Layer<'_>, value: &Value| Side {
        source: layer.document.path.clone(),
        level: layer.level.to_owned(),
        name: None,
        line: layer.document.line_of(&value_override.key),
        value: value.clone(),
    };
    vec![side(parent, &value_override.parent_value), side(child, &value_override.child_value)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[(&str, &str)]) -> Vec<(String, Severity, String)> {
        let documents: Vec<Document> = texts
            .iter()
            .enumerate()
            .map(|(at, (_, yaml))| {
                Document::parse(&format!("{at}.md"), &format!("---\n{yaml}\n---\n"))
            })
            .collect();
        let all: Vec<Layer<'_>> = texts
            .iter()
            .zip(&documents)
            .map(|((level, _), document)| Layer { level, priority: 0, document })
            .collect();
        find_value_conflicts(&all, &[])
            .into_iter()
            .map(|conflict| {
                (
                    conflict.key.unwrap_or_default(),
                    conflict.severity,
                    format!("{}:{}", conflict.path, conflict.line),
                )
            })
            .collect()
    }

    #[test]
    fn a_changed_scalar_is_critical_unless_it_is_declared() {
        let parent = ("workspace", "defaults: {database: PostgreSQL}");
        let at = |severity| vec![("defaults.database".to_owned(), severity, "1.md:2".to_owned())];
        assert_eq!(
            check(&[parent, ("plan", "defaults: {database: SQLite}")]),
            at(Severity::Critical)
        );
        assert_eq!(
            check(&[parent, ("plan", "defaults: {database: SQLite, override: true}")]),
            at(Severity::Information)
        );
        assert_eq!(
            check(&[
                parent,
                ("plan", "defaults: {database: SQLite}\noverrides: [defaults.database]")
            ]),
            at(Severity::Information)
        );
        assert_eq!(
            check(&[parent, ("workspace", "defaults: {database: SQLite}")]),
            at(Severity::Warning)
        );
        assert_eq!(
            check(&[parent, ("plan", "defaults: {database: PostgreSQL, cache: redis}")]),
            []
        );
    }

    #[test]
    fn a_conflict_is_with_the_replaced_value() {
        let conflicts = check(&[
            ("workspace", "k: 1"),
            ("project", "k: 2"),
            ("plan", "k: 2"),
            ("agent", "k: 3"),
        ]);
        assert_eq!(
            conflicts.iter().map(|(_, _, place)| place.as_str()).collect::<Vec<_>>(),
            ["1.md:2", "3.md:2"]
        );
    }

    #[test]
    fn a_removed_key_is_in_no_conflict() {
        let (workspace, plan) = (("workspace", "d: {a: 1, b: 1}"), ("plan", "d: {a: 2}"));
        let conflict = [("d.a".to_owned(), Severity::Critical, "1.md:2".to_owned())];
        assert_eq!(check(&[workspace, plan, ("agent", "d: {b: 1}")]), conflict);
        for removing in ["d: {override: true, c: 3}", "d: {inherit: false}", "inherit: false\nx: 1"]
        {
            assert_eq!(check(&[workspace, plan, ("agent", removing)]), [], "{removing}");
        }
        let replaced = check(&[workspace, plan, ("agent", "d: 5")]);
        assert_eq!(replaced.iter().map(|conflict| conflict.0.as_str()).collect::<Vec<_>>(), ["d"]);
        let set_again = check(&[workspace, plan, ("agent", "d: {override: true, a: 3}")]);
        assert_eq!(
            set_again.iter().map(|conflict| conflict.1).collect::<Vec<_>>(),
            [Severity::Critical, Severity::Information]
        );
    }

    #[test]
    fn clones_of_a_stack_are_independent() {
        let document = |yaml: &str| Document::parse("x.md", &format!("---\n{yaml}\n---\n"));
        let mut overrides = vec![];
        let mut shared = LayerStack::default();
        shared.add(0, &document("k: 1"), &mut overrides);
        for (child, yaml) in [(1, "k: 2"), (2, "k: 1"), (3, "k: 3")] {
            shared.clone().add(child, &document(yaml), &mut overrides);
        }
        let layers: Vec<_> = overrides
            .iter()
            .map(|value_override| (value_override.parent, value_override.child))
            .collect();
        assert_eq!(layers, [(0, 1), (0, 3)]);
    }

    #[test]
    fn lists_merge_and_other_values_conflict() {
        assert_eq!(check(&[("workspace", "k: [1]"), ("plan", "k: [2]")]), []);
        assert_eq!(check(&[("workspace", "k: 1"), ("plan", "k: [2]")]).len(), 1);
        assert_eq!(
            check(&[("workspace", "k: 1"), ("plan", "k: {a: 2}")]),
            [("k".to_owned(), Severity::Critical, "1.md:2".to_owned())]
        );
        assert_eq!(
            check(&[("workspace", "k: {a: 1, b: 2}"), ("plan", "k: 2")]),
            [("k".to_owned(), Severity::Critical, "1.md:2".to_owned())]
        );
        assert_eq!(
            check(&[("workspace", "k: 1"), ("plan", "k: {inherit: false}"), ("agent", "k: 2")]),
            []
        );
        assert_eq!(check(&[("workspace", "k: 1"), ("plan", "k: {z: 1}")]).len(), 1);
        assert_eq!(check(&[("workspace", "k: [1]"), ("plan", "k: {a: [1]}")]).len(), 1);
        assert_eq!(
            check(&[("workspace", "k: 5"), ("plan", "k: {a: 1, b: 2}")]),
            [("k".to_owned(), Severity::Critical, "1.md:2".to_owned())]
        );
        assert_eq!(
            check(&[("workspace", "k: {a: 1}"), ("plan", "k: {}"), ("agent", "k: {a: 2}")]).len(),
            1
        );
        assert_eq!(check(&[("workspace", "k: {}"), ("plan", "k: {}")]), []);
        assert_eq!(check(&[("workspace", "k: 1"), ("plan", "k: 1.0")]), []);
    }
}
