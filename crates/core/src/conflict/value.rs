//! Conflicts of values: what a layer changed of what lay under it.

use std::collections::{BTreeMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Map;

use super::{Conflict, Kind, Severity, Side, shown};
use crate::cascade::Layer;
use crate::staleness::{Freshness, Staleness};
use crate::{Document, Value, keypath};

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
    /// The position of the layer after which the key is set no more: it dropped the key with
    /// `override: true` or `inherit: false`, or put a single value in the place of its map.
    pub removed_by: Option<usize>,
}

/// The values in force so far, by key path, each with the position of the layer that set it.
type Current = BTreeMap<Arc<str>, (usize, Arc<Value>)>;

/// Layers laid on one another, one at a time. A copy is cheap, so that layers which many ways down
/// the hierarchy share are laid once.
#[derive(Debug, Clone, Default)]
pub struct Stack {
    current: Arc<Current>,
}

impl Stack {
    /// Lays a document on top and adds every value that directly beat an unequal one. Of those that
    /// were found before, it notes which keys the document took away.
    pub fn add(&mut self, child: usize, document: &Document, found: &mut Vec<Override>) {
        let values = &document.values;
        if values.is_empty() && !values.is_cut() {
            return;
        }
        let current = Arc::make_mut(&mut self.current);
        let acknowledgements = document.field_list("overrides");
        let mut set: Vec<(String, Value)> = Vec::new();
        let mut reported = HashSet::new();
        values.leaves(&mut |keys, leaf, cut| {
            let Some(value) = leaf.clone().into_value() else { return };
            let key = keypath::join(keys.iter().map(String::as_str));
            if let Some(beaten) = beaten_by(current, keys, &key, &value, cut) {
                let (parent, parent_value) = beaten.parent;
                // Under a single value that a map replaced, the whole map is what beat it.
                let child_value = values
                    .get(&keys[..beaten.depth])
                    .and_then(|tree| tree.clone().into_value())
                    .unwrap_or(Value::Null);
                let at = keypath::join(keys[..beaten.depth].iter().map(String::as_str));
                let acknowledged = cut
                    || acknowledgements.iter().any(|path| {
                        keypath::is_within(&key, path) || keypath::is_within(&at, path)
                    });
                if !agree(&parent_value, &child_value) && reported.insert(at.clone()) {
                    found.push(Override {
                        key: at,
                        parent,
                        child,
                        parent_value: (*parent_value).clone(),
                        child_value,
                        acknowledged,
                        removed_by: None,
                    });
                }
            }
            set.push((key, value));
        });
        for cut in values.cuts() {
            remove_within(current, &cut);
        }
        for (key, value) in set {
            put(current, key, (child, value));
        }
        for one in found.iter_mut().filter(|one| one.removed_by.is_none()) {
            let is_set =
                current.contains_key(one.key.as_str()) || under(current, &one.key).next().is_some();
            one.removed_by = (!is_set).then_some(child);
        }
    }
}

/// Returns every value that directly beat an unequal one.
fn overrides(layers: &[Layer<'_>]) -> Vec<Override> {
    let (mut stack, mut found) = (Stack::default(), Vec::new());
    for (child, layer) in layers.iter().enumerate() {
        stack.add(child, layer.document, &mut found);
    }
    found
}

/// Two values that merge, or that say the same, do not conflict.
fn agree(parent: &Value, child: &Value) -> bool {
    match (parent, child) {
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => true,
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => parent == child,
    }
}

struct Beaten {
    /// How many keys lead to what was beaten.
    depth: usize,
    parent: (usize, Arc<Value>),
}

/// What a leaf replaces: the value there, the single value above it, or the map under it.
fn beaten_by(
    current: &Current,
    keys: &[String],
    key: &str,
    value: &Value,
    cut: bool,
) -> Option<Beaten> {
    for depth in 1..=keys.len() {
        let path = keypath::join(keys[..depth].iter().map(String::as_str));
        if let Some(parent) = current
            .get(path.as_str())
            .filter(|(_, parent)| depth == keys.len() || !parent.is_object())
        {
            return Some(Beaten { depth, parent: parent.clone() });
        }
    }
    let merges_with_map = value.is_object() && !cut;
    let below: Vec<_> = under(current, key).filter(|_| !merges_with_map).collect();
    let (_, (layer, _)) = below.iter().max_by_key(|(_, (layer, _))| *layer)?;
    let map = below
        .iter()
        .map(|(other, (_, value))| (other[key.len() + 1..].to_owned(), (**value).clone()))
        .collect();
    Some(Beaten { depth: keys.len(), parent: (*layer, Arc::new(Value::Object(map))) })
}

fn under<'c>(
    current: &'c Current,
    key: &str,
) -> impl Iterator<Item = (&'c Arc<str>, &'c (usize, Arc<Value>))> + use<'c> {
    let start = format!("{key}.");
    let from = (Bound::Included(start.as_str()), Bound::Unbounded);
    current.range::<str, _>(from).take_while(move |(other, _)| other.starts_with(&start))
}

fn remove_within(current: &mut Current, path: &str) {
    if path.is_empty() {
        return current.clear();
    }
    let gone: Vec<Arc<str>> = under(current, path).map(|(key, _)| key.clone()).collect();
    gone.iter().for_each(|key| drop(current.remove(key)));
    current.remove(path);
}

/// Puts a value into force: what it stands on or under is no longer there. An empty map over a map
/// changes nothing.
fn put(current: &mut Current, key: String, said: (usize, Value)) {
    if said.1.as_object().is_some_and(Map::is_empty) && under(current, &key).next().is_some() {
        return;
    }
    remove_within(current, &key);
    for (dot, _) in key.match_indices('.') {
        current.remove(&key[..dot]);
    }
    let (child, value) = said;
    current.insert(key.into(), (child, Arc::new(value)));
}

/// Returns the conflicts of values among layers, given how fresh each layer is. A key that a later
/// layer took away has no value to disagree about.
pub fn layers(layers: &[Layer<'_>], freshness: &[Staleness]) -> Vec<Conflict> {
    let seen = overrides(layers).into_iter().filter(|one| one.removed_by.is_none());
    seen.flat_map(|one| {
        let (parent, child) = (&layers[one.parent], &layers[one.child]);
        of_override(&one, parent, child, freshness.get(one.parent))
    })
    .collect()
}

/// Returns the conflicts that a value which beat another comes to, given how fresh the layer is that
/// was beaten.
pub fn of_override(
    one: &Override,
    parent: &Layer<'_>,
    child: &Layer<'_>,
    parent_freshness: Option<&Staleness>,
) -> Vec<Conflict> {
    let same_level = parent.level == child.level;
    let severity = match () {
        () if one.acknowledged => Severity::Information,
        () if same_level => Severity::Warning,
        () => Severity::Critical,
    };
    let mut conflicts = vec![contradiction(one, parent, child, severity)];
    let stale = parent_freshness
        .filter(|staleness| matches!(staleness.status, Freshness::Warning | Freshness::Critical));
    if let Some(staleness) = stale.filter(|_| !same_level) {
        conflicts.push(stale_override(one, parent, child, staleness));
    }
    conflicts
}

fn contradiction(
    one: &Override,
    parent: &Layer<'_>,
    child: &Layer<'_>,
    severity: Severity,
) -> Conflict {
    let message = format!(
        "{} is {} here and {} in {}",
        one.key,
        shown(&one.child_value),
        shown(&one.parent_value),
        parent.document.path
    );
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
        hint: match one.acknowledged {
            true => "its author says that it is meant".into(),
            false => format!(
                "if it is meant, add `overrides: [{}]` to the front matter; else remove the key here",
                one.key
            ),
        },
    }
}

fn stale_override(
    one: &Override,
    parent: &Layer<'_>,
    child: &Layer<'_>,
    staleness: &Staleness,
) -> Conflict {
    let days = staleness.days_old.unwrap_or_default();
    Conflict {
        kind: Kind::StaleOverride,
        severity: Severity::Warning,
        key: Some(one.key.clone()),
        path: child.document.path.clone(),
        line: child.document.line_of(&one.key),
        message: format!(
            "{} overrides {}, which is {days} days old",
            one.key, parent.document.path
        ),
        sides: sides(one, parent, child),
        resolution: Some(format!("Using {} value (higher priority)", child.level)),
        hint: format!("review {} and refresh or change it", parent.document.path),
    }
}

fn sides(one: &Override, parent: &Layer<'_>, child: &Layer<'_>) -> Vec<Side> {
    let side = |layer: &Layer<'_>, value: &Value| Side {
        source: layer.document.path.clone(),
        level: layer.level.to_owned(),
        name: None,
        line: layer.document.line_of(&one.key),
        value: value.clone(),
    };
    vec![side(parent, &one.parent_value), side(child, &one.child_value)]
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
        layers(&all, &[])
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
    fn a_changed_scalar_is_critical_until_it_is_acknowledged() {
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
    fn a_conflict_is_with_the_value_that_was_beaten() {
        let found = check(&[
            ("workspace", "k: 1"),
            ("project", "k: 2"),
            ("plan", "k: 2"),
            ("agent", "k: 3"),
        ]);
        assert_eq!(
            found.iter().map(|(_, _, place)| place.as_str()).collect::<Vec<_>>(),
            ["1.md:2", "3.md:2"]
        );
    }

    #[test]
    fn a_key_that_was_taken_away_is_in_no_conflict() {
        let (workspace, plan) = (("workspace", "d: {a: 1, b: 1}"), ("plan", "d: {a: 2}"));
        let seen = [("d.a".to_owned(), Severity::Critical, "1.md:2".to_owned())];
        assert_eq!(check(&[workspace, plan, ("agent", "d: {b: 1}")]), seen);
        for removing in ["d: {override: true, c: 3}", "d: {inherit: false}", "inherit: false\nx: 1"]
        {
            assert_eq!(check(&[workspace, plan, ("agent", removing)]), [], "{removing}");
        }
        let replaced = check(&[workspace, plan, ("agent", "d: 5")]);
        assert_eq!(replaced.iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), ["d"]);
        let set_again = check(&[workspace, plan, ("agent", "d: {override: true, a: 3}")]);
        assert_eq!(
            set_again.iter().map(|one| one.1).collect::<Vec<_>>(),
            [Severity::Critical, Severity::Information]
        );
    }

    #[test]
    fn a_copy_of_a_stack_goes_its_own_way() {
        let document = |yaml: &str| Document::parse("x.md", &format!("---\n{yaml}\n---\n"));
        let mut found = vec![];
        let mut shared = Stack::default();
        shared.add(0, &document("k: 1"), &mut found);
        for (child, yaml) in [(1, "k: 2"), (2, "k: 1"), (3, "k: 3")] {
            shared.clone().add(child, &document(yaml), &mut found);
        }
        let found: Vec<_> = found.iter().map(|one| (one.parent, one.child)).collect();
        assert_eq!(found, [(0, 1), (0, 3)]);
    }

    #[test]
    fn lists_never_conflict_and_other_kinds_do() {
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
