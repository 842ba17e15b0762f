//! Conflicts of values: what a layer changed of what lay under it.

use indexmap::IndexMap;

use super::{Conflict, Kind, Severity, Side, shown};
use crate::cascade::Layer;
use crate::staleness::{Freshness, Staleness};
use crate::{Value, keypath};

/// A value that directly beat another.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// The key path.
    pub key: String,
    /// The position of the layer that was beaten.
    pub parent: usize,
    /// The position of the layer that won.
    pub child: usize,
    /// What the parent says.
    pub parent_value: Value,
    /// What the child says.
    pub child_value: Value,
    /// Whether the child's author said that it is meant.
    pub acknowledged: bool,
}

/// Returns every value that directly beat an unequal one.
pub fn overrides(layers: &[Layer<'_>]) -> Vec<Override> {
    let mut current: IndexMap<String, (usize, Value)> = IndexMap::new();
    let mut found = Vec::new();
    for (child, layer) in layers.iter().enumerate() {
        let acknowledgements = layer.document.field_list("overrides");
        let mut set: Vec<(String, Value)> = Vec::new();
        layer.document.values.leaves(&mut |keys, leaf, cut| {
            let Some(child_value) = leaf.clone().into_value() else { return };
            let key = keypath::join(keys.iter().map(String::as_str));
            let beaten = beaten_by(&current, &key).filter(|(_, _, parent_value)| *parent_value != child_value && !(parent_value.is_array() && leaf.is_list()));
            if let Some((at, parent, parent_value)) = beaten {
                let acknowledged = cut || acknowledgements.iter().any(|path| keypath::is_within(&key, path) || keypath::is_within(&at, path));
                found.push(Override { key: at, parent, child, parent_value, child_value: child_value.clone(), acknowledged });
            }
            set.push((key, child_value));
        });
        for cut in layer.document.values.cuts() {
            current.retain(|key, _| !(cut.is_empty() || keypath::is_within(key, &cut)));
        }
        for (key, value) in set {
            current.retain(|other, _| *other == key || !(keypath::is_within(other, &key) || keypath::is_within(&key, other)));
            current.insert(key, (child, value));
        }
    }
    found
}

/// What a value at a key replaces: the value there, the single value above it, or the map under it.
fn beaten_by(current: &IndexMap<String, (usize, Value)>, key: &str) -> Option<(String, usize, Value)> {
    if let Some((layer, value)) = current.get(key) {
        return Some((key.to_owned(), *layer, value.clone()));
    }
    let above = current.iter().find(|(other, (_, value))| keypath::is_within(key, other) && !value.is_object());
    if let Some((other, (layer, value))) = above {
        return Some((other.clone(), *layer, value.clone()));
    }
    let below: Vec<_> = current.iter().filter(|(other, _)| keypath::is_within(other, key)).collect();
    let (_, (layer, _)) = below.iter().max_by_key(|(_, (layer, _))| *layer)?;
    let map = below.iter().map(|(other, (_, value))| (other[key.len() + 1..].to_owned(), value.clone())).collect();
    Some((key.to_owned(), *layer, Value::Object(map)))
}

/// Returns the conflicts of values among layers, given how fresh each layer is.
pub fn layers(layers: &[Layer<'_>], freshness: &[Staleness]) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for one in overrides(layers) {
        let (parent, child) = (&layers[one.parent], &layers[one.child]);
        let same_level = parent.level == child.level;
        let severity = match () {
            () if one.acknowledged => Severity::Information,
            () if same_level => Severity::Warning,
            () => Severity::Critical,
        };
        conflicts.push(contradiction(&one, parent, child, severity));
        let stale = freshness.get(one.parent).filter(|staleness| matches!(staleness.status, Freshness::Warning | Freshness::Critical));
        if let Some(staleness) = stale.filter(|_| !same_level) {
            conflicts.push(stale_override(&one, parent, child, staleness));
        }
    }
    conflicts
}

fn contradiction(one: &Override, parent: &Layer<'_>, child: &Layer<'_>, severity: Severity) -> Conflict {
    let message = format!("{} is {} here and {} in {}", one.key, shown(&one.child_value), shown(&one.parent_value), parent.document.path);
    let reason = if parent.level == child.level { "it comes later" } else { "higher priority" };
    Conflict {
        kind: Kind::DirectContradiction,
        severity,
        key: Some(one.key.clone()),
        path: child.document.path.clone(),
        line: child.document.line_of(&one.key),
        message,
        sides: sides(one, parent, child),
        resolution: Some(format!("Using {} value ({reason})", child.level)),
        hint: format!("if it is meant, add `overrides: [{}]` to the front matter; else remove the key here", one.key),
    }
}

fn stale_override(one: &Override, parent: &Layer<'_>, child: &Layer<'_>, staleness: &Staleness) -> Conflict {
    let days = staleness.days_old.unwrap_or_default();
    Conflict {
        kind: Kind::StaleOverride,
        severity: Severity::Warning,
        key: Some(one.key.clone()),
        path: child.document.path.clone(),
        line: child.document.line_of(&one.key),
        message: format!("{} overrides {}, which is {days} days old", one.key, parent.document.path),
        sides: sides(one, parent, child),
        resolution: Some(format!("Using {} value (higher priority)", child.level)),
        hint: format!("review {} and refresh or change it", parent.document.path),
    }
}

fn sides(one: &Override, parent: &Layer<'_>, child: &Layer<'_>) -> Vec<Side> {
    let side = |layer: &Layer<'_>, value: &Value| Side {
        source: layer.document.path.clone(),
        level: layer.level.to_owned(),
        line: layer.document.line_of(&one.key),
        value: value.clone(),
    };
    vec![side(parent, &one.parent_value), side(child, &one.child_value)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;

    fn check(texts: &[(&str, &str)]) -> Vec<(String, Severity, String)> {
        let documents: Vec<Document> = texts.iter().enumerate().map(|(at, (_, yaml))| Document::parse(&format!("{at}.md"), &format!("---\n{yaml}\n---\n"))).collect();
        let all: Vec<Layer<'_>> = texts.iter().zip(&documents).map(|((level, _), document)| Layer { level, priority: 0, document }).collect();
        layers(&all, &[]).into_iter().map(|conflict| (conflict.key.unwrap_or_default(), conflict.severity, format!("{}:{}", conflict.path, conflict.line))).collect()
    }

    #[test]
    fn a_changed_scalar_is_critical_until_it_is_acknowledged() {
        let parent = ("workspace", "defaults: {database: PostgreSQL}");
        let at = |severity| vec![("defaults.database".to_owned(), severity, "1.md:2".to_owned())];
        assert_eq!(check(&[parent, ("plan", "defaults: {database: SQLite}")]), at(Severity::Critical));
        assert_eq!(check(&[parent, ("plan", "defaults: {database: SQLite, override: true}")]), at(Severity::Information));
        assert_eq!(check(&[parent, ("plan", "defaults: {database: SQLite}\noverrides: [defaults.database]")]), at(Severity::Information));
        assert_eq!(check(&[parent, ("workspace", "defaults: {database: SQLite}")]), at(Severity::Warning));
        assert_eq!(check(&[parent, ("plan", "defaults: {database: PostgreSQL, cache: redis}")]), []);
    }

    #[test]
    fn a_conflict_is_with_the_value_that_was_beaten() {
        let found = check(&[("workspace", "k: 1"), ("project", "k: 2"), ("plan", "k: 2"), ("agent", "k: 3")]);
        assert_eq!(found.iter().map(|(_, _, place)| place.as_str()).collect::<Vec<_>>(), ["1.md:2", "3.md:2"]);
    }

    #[test]
    fn lists_never_conflict_and_other_kinds_do() {
        assert_eq!(check(&[("workspace", "k: [1]"), ("plan", "k: [2]")]), []);
        assert_eq!(check(&[("workspace", "k: 1"), ("plan", "k: [2]")]).len(), 1);
        assert_eq!(check(&[("workspace", "k: 1"), ("plan", "k: {a: 2}")]), [("k".to_owned(), Severity::Critical, "1.md:2".to_owned())]);
        assert_eq!(check(&[("workspace", "k: {a: 1, b: 2}"), ("plan", "k: 2")]), [("k".to_owned(), Severity::Critical, "1.md:2".to_owned())]);
        assert_eq!(check(&[("workspace", "k: 1"), ("plan", "k: {inherit: false}"), ("agent", "k: 2")]), []);
    }
}
