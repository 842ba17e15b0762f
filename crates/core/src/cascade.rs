//! Layers put over one another, and what each of them did.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;

use crate::merge::Tree;
use crate::{Document, Value, keypath};

/// A document in its place in the cascade.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'d> {
    /// The name of its level.
    pub level: &'d str,
    /// Its level's priority.
    pub priority: i64,
    /// What it says.
    pub document: &'d Document,
}

/// One document's say on one key.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Contribution {
    /// The document.
    pub source: String,
    /// Its level.
    pub level: String,
    /// What it says.
    pub value: Value,
}

/// What one layer did to the context under it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Change {
    /// The key path.
    pub key: String,
    /// What was there before; absent when the layer added it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What is there now; absent when the layer took it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// Returns the values that remain when all layers are laid over one another.
pub fn values(layers: &[Layer<'_>]) -> Value {
    merged(layers).into_value().unwrap_or_else(|| Value::Object(Map::new()))
}

fn merged(layers: &[Layer<'_>]) -> Tree {
    layers.iter().map(|layer| layer.document.values.clone()).fold(Tree::default(), Tree::over)
}

/// Returns who said what on every key of the result, the winner last.
pub fn provenance(layers: &[Layer<'_>]) -> IndexMap<String, Vec<Contribution>> {
    let result = merged(layers);
    let mut provenance = IndexMap::new();
    result.leaves(&mut |keys, _, _| {
        let history = layers
            .iter()
            .filter_map(|layer| {
                let value = layer.document.values.says(keys)?;
                Some(Contribution {
                    source: layer.document.path.clone(),
                    level: layer.level.to_owned(),
                    value,
                })
            })
            .collect();
        provenance.insert(keypath::join(keys.iter().map(String::as_str)), history);
    });
    provenance
}

/// Returns, for every key of the result, how many of the last in its history make up its value: all
/// lists since one that replaced the others, else the winner alone.
pub fn contributor_counts(layers: &[Layer<'_>]) -> IndexMap<String, usize> {
    let mut counts = IndexMap::new();
    merged(layers).leaves(&mut |keys, leaf, _| {
        let mut count = 0;
        for layer in layers {
            let values = &layer.document.values;
            if values.hides(keys) {
                count = 0;
            }
            match values.says(keys) {
                Some(Value::Array(_)) if leaf.is_list() => count += 1,
                Some(_) => count = usize::from(!leaf.is_list()),
                None => {}
            }
        }
        counts.insert(keypath::join(keys.iter().map(String::as_str)), count);
    });
    counts
}

/// Returns what each layer added, changed and took away, in order.
pub fn changes(layers: &[Layer<'_>]) -> Vec<Vec<Change>> {
    let mut below: IndexMap<String, Value> = IndexMap::new();
    let mut tree = Tree::default();
    let mut all = Vec::with_capacity(layers.len());
    for layer in layers {
        tree = tree.over(layer.document.values.clone());
        let here = leaves(&tree);
        let mut changes: Vec<Change> = here
            .iter()
            .filter(|(key, value)| below.get(*key) != Some(value))
            .map(|(key, value)| Change {
                key: key.clone(),
                before: below.get(key).cloned(),
                after: Some(value.clone()),
            })
            .collect();
        let lost = below.iter().filter(|(key, _)| !here.contains_key(*key));
        changes.extend(lost.map(|(key, value)| Change {
            key: key.clone(),
            before: Some(value.clone()),
            after: None,
        }));
        all.push(changes);
        below = here;
    }
    all
}

/// Returns the merged value of each key path.
pub fn flat(layers: &[Layer<'_>]) -> IndexMap<String, Value> {
    leaves(&merged(layers))
}

fn leaves(tree: &Tree) -> IndexMap<String, Value> {
    let mut flat = IndexMap::new();
    tree.leaves(&mut |keys, leaf, _| {
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
    fn every_key_knows_its_history() {
        let documents = documents(&[
            ("workspace", "brand_voice: professional\nstack: [rust]"),
            ("project", "brand_voice: casual\nstack: [sql]"),
        ]);
        let layers = layers(&documents);
        assert_eq!(values(&layers), json!({"brand_voice": "casual", "stack": ["rust", "sql"]}));
        let provenance = provenance(&layers);
        let say = |source: &str, level: &str, value: Value| Contribution {
            source: source.into(),
            level: level.into(),
            value,
        };
        assert_eq!(
            provenance["brand_voice"],
            [
                say("workspace.md", "workspace", json!("professional")),
                say("project.md", "project", json!("casual"))
            ]
        );
        assert_eq!(provenance["stack"].len(), 2);
    }

    #[test]
    fn a_list_is_made_up_of_all_that_no_other_replaced() {
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
    fn every_layer_shows_what_it_did() {
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
                Change {
                    key: "defaults.language".into(),
                    before: Some(json!("TypeScript")),
                    after: Some(json!("Python"))
                },
                Change { key: "new".into(), before: None, after: Some(json!(1)) },
                Change { key: "defaults.coverage".into(), before: Some(json!("80%")), after: None },
            ]
        );
    }
}
