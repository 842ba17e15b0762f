//! The cascade: layers of documents merged in order, with the contribution of each.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;

use crate::merge::Tree;
use crate::{Document, Value, keypath};

/// A document at its level in the cascade.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'d> {
    /// The name of the level.
    pub level: &'d str,
    /// The priority of the level.
    pub priority: i64,
    /// The document.
    pub document: &'d Document,
}

/// The value that one document sets for a key.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    /// The path of the document.
    pub source: String,
    /// The level of the document.
    pub level: String,
    /// The value.
    pub value: Value,
}

/// A change that one layer makes to the merged values of the layers below it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ValueChange {
    /// The key path.
    pub key: String,
    /// The value before; absent if the layer added the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The value after; absent if the layer removed the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// Returns the merged values of all layers.
pub fn merged_values(layers: &[Layer<'_>]) -> Value {
    merge(layers).into_value().unwrap_or_else(|| Value::Object(Map::new()))
}

fn merge(layers: &[Layer<'_>]) -> Tree {
    layers.iter().map(|layer| layer.document.values.clone()).fold(Tree::default(), Tree::merge)
}

/// Returns the contributions to every key of the merged values, the winner last.
pub fn provenance(layers: &[Layer<'_>]) -> IndexMap<String, Vec<Contribution>> {
    let mut provenance = IndexMap::new();
    merge(layers).for_each_leaf(&mut |keys, _, _| {
        let contributions = layers
            .iter()
            .filter_map(|layer| {
                let value = layer.document.values.effective_value(keys)?;
                Some(Contribution {
                    source: layer.document.path.clone(),
                    level: layer.level.to_owned(),
                    value,
                })
            })
            .collect();
        provenance.insert(keypath::join(keys.iter().map(String::as_str)), contributions);
    });
    provenance
}

/// Returns, for every key of the merged values, how many of its last contributions are part of its
/// value: all lists since the last replacement, otherwise the winner alone.
pub fn contributor_counts(layers: &[Layer<'_>]) -> IndexMap<String, usize> {
    let mut counts = IndexMap::new();
    merge(layers).for_each_leaf(&mut |keys, leaf, _| {
        let mut count = 0;
        for layer in layers {
            let values = &layer.document.values;
            if values.hides_inherited(keys) {
                count = 0;
            }
            match values.effective_value(keys) {
                Some(Value::Array(_)) if leaf.is_list() => count += 1,
                Some(_) => count = usize::from(!leaf.is_list()),
                None => {}
            }
        }
        counts.insert(keypath::join(keys.iter().map(String::as_str)), count);
    });
    counts
}

/// Returns the keys that each layer added, changed and removed, in order.
pub fn changes(layers: &[Layer<'_>]) -> Vec<Vec<ValueChange>> {
    let mut before: IndexMap<String, Value> = IndexMap::new();
    let mut tree = Tree::default();
    let mut changes_by_layer = Vec::with_capacity(layers.len());
    for layer in layers {
        tree = tree.merge(layer.document.values.clone());
        let after = leaves(&tree);
        let mut changes: Vec<ValueChange> = after
            .iter()
            .filter(|(key, value)| before.get(*key) != Some(value))
            .map(|(key, value)| ValueChange {
                key: key.clone(),
                before: before.get(key).cloned(),
                after: Some(value.clone()),
            })
            .collect();
        let removed = before.iter().filter(|(key, _)| !after.contains_key(*key));
        changes.extend(removed.map(|(key, value)| ValueChange {
            key: key.clone(),
            before: Some(value.clone()),
            after: None,
        }));
        changes_by_layer.push(changes);
        before = after;
    }
    changes_by_layer
}

/// Returns the merged value of each key path.
pub fn flatten(layers: &[Layer<'_>]) -> IndexMap<String, Value> {
    leaves(&merge(layers))
}

/// Removes the values whose key path is given, and maps that are empty then.
pub fn remove_keys(values: &mut Value, is_removed: impl Fn(&str) -> bool) {
    fn remove(value: &mut Value, path: &str, is_removed: &impl Fn(&str) -> bool) -> bool {
        let Value::Object(map) = value else { return is_removed(path) };
        let was_empty = map.is_empty();
        map.retain(|key, value| {
            let mut inner = path.to_owned();
            keypath::push(&mut inner, key);
            !remove(value, &inner, is_removed)
        });
        map.is_empty() && (!was_empty || is_removed(path))
    }
    remove(values, "", &is_removed);
}

/// Returns the value of each key path of a tree.
fn leaves(tree: &Tree) -> IndexMap<String, Value> {
    let mut flat = IndexMap::new();
    tree.for_each_leaf(&mut |keys, leaf, _| {
        if let Some(value) = leaf.clone().into_value() {
            flat.insert(keypath::join(keys.iter().map(String::as_str)), value);
        }
    });
    flat
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn documents(texts: &[(&str, &str)]) -> Vec<Document> {
        texts
            .iter()
            .map(|(level, yaml)| {
                Document::parse(&format!("{level}.md"), &format!("---\n{yaml}\n---\n"))
            })
            .collect()
    }

    fn layers(documents: &[Document]) -> Vec<Layer<'_>> {
        documents
            .iter()
            .map(|document| Layer {
                level: document.path.trim_end_matches(".md"),
                priority: 0,
                document,
            })
            .collect()
    }

    #[test]
    fn provenance_lists_the_contributions_of_every_key() {
        let documents = documents(&[
            ("workspace", "brand_voice: professional\nstack: [rust]"),
            ("project", "brand_voice: casual\nstack: [sql]"),
        ]);
        let layers = layers(&documents);
        assert_eq!(
            merged_values(&layers),
            json!({"brand_voice": "casual", "stack": ["rust", "sql"]})
        );
        let provenance = provenance(&layers);
        let contribution = |source: &str, level: &str, value: Value| Contribution {
            source: source.into(),
            level: level.into(),
            value,
        };
        assert_eq!(
            provenance["brand_voice"],
            [
                contribution("workspace.md", "workspace", json!("professional")),
                contribution("project.md", "project", json!("casual"))
            ]
        );
        assert_eq!(provenance["stack"].len(), 2);
    }

    #[test]
    fn contributors_of_a_list_are_counted_since_the_last_replacement() {
        let documents = documents(&[
            ("workspace", "stack: [a]\nnames: [a]\nvoice: calm\nmixed: 1"),
            ("project", "stack: [b]\nnames: {override: true, value: [b]}\nmixed: [a]"),
            ("plan", "stack: [c]\nnames: [c]\nvoice: loud\nmixed: [b]"),
        ]);
        let counts = contributor_counts(&layers(&documents));
        assert_eq!((counts["stack"], counts["names"]), (3, 2));
        assert_eq!((counts["voice"], counts["mixed"]), (1, 2));
    }

    #[test]
    fn changes_are_listed_by_layer() {
        let documents = documents(&[
            ("workspace", "defaults: {language: TypeScript, coverage: 80%}"),
            ("plan", "defaults: {language: Python, override: true}\nnew: 1"),
        ]);
        let layers = layers(&documents);
        let changes = changes(&layers);
        assert_eq!(changes[0].len(), 2);
        assert_eq!(
            changes[1],
            [
                ValueChange {
                    key: "defaults.language".into(),
                    before: Some(json!("TypeScript")),
                    after: Some(json!("Python"))
                },
                ValueChange { key: "new".into(), before: None, after: Some(json!(1)) },
                ValueChange {
                    key: "defaults.coverage".into(),
                    before: Some(json!("80%")),
                    after: None
                },
            ]
        );
    }
}
