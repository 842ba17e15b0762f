//! Merges the values of a child over those of its parent.
//!
//! Scalars: the child wins. Lists are concatenated without duplicates. Maps are merged recursively. A value of another
//! type replaces the parent's. `override: true` makes a map replace the parent's map, `inherit: false` drops the
//! parent's value, and `{override: true, value: …}` replaces a list or a scalar.
//!
//! The markers become a `cut` flag on the tree and stay there until [`Tree::into_value`], so that merging is
//! associative: `a.over(b).over(c)` equals `a.over(b.over(c))`. For the same reason a value that replaced one of
//! another type is cut: it must also hide the values of all further ancestors.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::{Value, keypath};

/// A value during the merge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tree {
    /// Whether it hides the values of all ancestors.
    cut: bool,
    content: Option<Content>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Content {
    Scalar(Value),
    List(Vec<Value>),
    Map(IndexMap<String, Tree>),
}

impl Tree {
    /// Creates a tree from a document's values; markers at the root apply to all of them.
    pub fn from_document(value: Value) -> Self {
        match value {
            Value::Object(map) => {
                let (cut, map) = take_markers(map);
                Tree { cut, content: Some(Content::Map(children(map))) }
            }
            _ => Tree::default(),
        }
    }

    fn from_value(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::from_map(map),
            Value::Array(items) => {
                Tree { cut: false, content: Some(Content::List(list_items(items))) }
            }
            scalar => Tree { cut: false, content: Some(Content::Scalar(scalar)) },
        }
    }

    fn from_map(map: Map<String, Value>) -> Self {
        let overridden = map.get("override") == Some(&Value::Bool(true));
        let (cut, mut map) = take_markers(map);
        let wrapped = overridden
            && map.len() == 1
            && map.get("value").is_some_and(|value| !value.is_object());
        if wrapped && let Some(value) = map.shift_remove("value") {
            return Tree { cut: true, ..Self::from_value(value) };
        }
        if cut && !overridden && map.is_empty() {
            return Tree { cut: true, content: None };
        }
        Tree { cut, content: Some(Content::Map(children(map))) }
    }

    /// Merges `child` over this tree.
    #[must_use]
    pub fn merge(self, child: Tree) -> Tree {
        if child.cut {
            return child;
        }
        let content = match (self.content, child.content) {
            (parent, None) => return Tree { cut: self.cut, content: parent },
            (None, Some(child)) => child,
            (Some(Content::List(mut parent)), Some(Content::List(child))) => {
                parent.extend(child);
                Content::List(unique(parent))
            }
            (Some(Content::Map(mut parent)), Some(Content::Map(child))) => {
                for (key, tree) in child {
                    let merged = match parent.get_mut(&key) {
                        Some(inherited) => std::mem::take(inherited).merge(tree),
                        None => tree,
                    };
                    parent.insert(key, merged);
                }
                Content::Map(parent)
            }
            (Some(Content::Scalar(_)), Some(child @ Content::Scalar(_))) => child,
            (Some(_), Some(child)) => return Tree { cut: true, content: Some(child) },
        };
        Tree { cut: self.cut, content: Some(content) }
    }

    /// Joins two parts of one document. A marker at the root of either part applies to the whole document, so it does
    /// not hide the other part.
    #[must_use]
    pub fn join(mut self, mut part: Tree) -> Tree {
        let cut = std::mem::take(&mut self.cut) | std::mem::take(&mut part.cut);
        let joined = self.merge(part);
        Tree { cut: cut || joined.cut, ..joined }
    }

    /// Returns the value without markers.
    pub fn into_value(self) -> Option<Value> {
        Some(match self.content? {
            Content::Scalar(value) => value,
            Content::List(items) => Value::Array(items),
            Content::Map(map) => Value::Object(
                map.into_iter().filter_map(|(key, tree)| Some((key, tree.into_value()?))).collect(),
            ),
        })
    }

    /// Returns whether it sets no value.
    pub fn is_empty(&self) -> bool {
        match &self.content {
            None => true,
            Some(Content::Map(map)) => map.is_empty(),
            Some(_) => false,
        }
    }

    /// Returns whether it hides the values of all ancestors.
    pub(crate) fn hides_all_inherited(&self) -> bool {
        self.cut
    }

    /// Returns whether it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.content, Some(Content::List(_)))
    }

    /// Returns the tree at a path of keys.
    pub fn get(&self, keys: &[String]) -> Option<&Tree> {
        keys.iter().try_fold(self, |tree, key| match &tree.content {
            Some(Content::Map(map)) => map.get(key),
            _ => None,
        })
    }

    /// Returns the value at a path of keys, or the scalar or list at a prefix of the path, which replaces it.
    pub(crate) fn effective_value(&self, keys: &[String]) -> Option<Value> {
        let mut tree = self;
        for key in keys {
            match &tree.content {
                Some(Content::Map(map)) => tree = map.get(key)?,
                Some(_) => break,
                None => return None,
            }
        }
        tree.clone().into_value()
    }

    /// Returns whether this tree hides the values of its ancestors at a path of keys.
    pub(crate) fn hides_inherited(&self, keys: &[String]) -> bool {
        self.cut
            || match (&self.content, keys.split_first()) {
                (Some(Content::Map(map)), Some((key, rest))) => {
                    map.get(key).is_some_and(|tree| tree.hides_inherited(rest))
                }
                _ => false,
            }
    }

    /// Visits every leaf (a scalar, a list, an empty map) with its keys and whether a cut at the leaf or above it hides
    /// the values of its ancestors.
    pub fn for_each_leaf<'t>(&'t self, visit: &mut impl FnMut(&[String], &'t Tree, bool)) {
        fn walk<'t>(
            tree: &'t Tree,
            keys: &mut Vec<String>,
            cut: bool,
            visit: &mut impl FnMut(&[String], &'t Tree, bool),
        ) {
            let cut = cut || tree.cut;
            match &tree.content {
                Some(Content::Map(map)) if !map.is_empty() || keys.is_empty() => {
                    for (key, child) in map {
                        keys.push(key.clone());
                        walk(child, keys, cut, visit);
                        keys.pop();
                    }
                }
                Some(_) => visit(keys, tree, cut),
                None => {}
            }
        }
        walk(self, &mut Vec::new(), false, visit);
    }

    /// Returns the paths at which this tree hides the values of its ancestors.
    pub fn override_paths(&self) -> Vec<String> {
        fn walk(tree: &Tree, path: &str, out: &mut Vec<String>) {
            if tree.cut {
                out.push(path.to_owned());
            }
            if let Some(Content::Map(map)) = &tree.content {
                for (key, child) in map {
                    let mut child_path = path.to_owned();
                    keypath::push(&mut child_path, key);
                    walk(child, &child_path, out);
                }
            }
        }
        let mut out = Vec::new();
        walk(self, "", &mut out);
        out
    }
}

/// Removes the markers from a map and returns whether there was one.
fn take_markers(mut map: Map<String, Value>) -> (bool, Map<String, Value>) {
    let mut cut = false;
    for (key, marker) in [("override", true), ("inherit", false)] {
        if map.get(key) == Some(&Value::Bool(marker)) {
            map.shift_remove(key);
            cut = true;
        }
    }
    (cut, map)
}

fn children(map: Map<String, Value>) -> IndexMap<String, Tree> {
    map.into_iter().map(|(key, value)| (key, Tree::from_value(value))).collect()
}

/// Returns the distinct items of a list. Items are not merged, so markers inside them are removed.
fn list_items(items: Vec<Value>) -> Vec<Value> {
    unique(items.into_iter().filter_map(|item| Tree::from_value(item).into_value()).collect())
}

fn unique(items: Vec<Value>) -> Vec<Value> {
    let mut seen = HashSet::with_capacity(items.len());
    items.into_iter().filter(|item| seen.insert(item.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn resolve(layers: &[Value]) -> Value {
        let merged =
            layers.iter().cloned().map(Tree::from_document).fold(Tree::default(), Tree::merge);
        merged.into_value().unwrap_or(Value::Null)
    }

    #[test]
    fn the_documented_examples_resolve() {
        assert_eq!(
            resolve(&[json!({"brand_voice": "professional"}), json!({"brand_voice": "casual"})]),
            json!({"brand_voice": "casual"})
        );
        assert_eq!(
            resolve(&[
                json!({"defaults": {"language": "TypeScript", "test_coverage": "80%"}}),
                json!({"defaults": {"test_coverage": "90%"}}),
                json!({"defaults": {"language": "Python", "override": true}}),
            ]),
            json!({"defaults": {"language": "Python"}})
        );
    }

    #[test]
    fn each_rule_and_marker_applies() {
        assert_eq!(
            resolve(&[json!({"l": ["a", "b"]}), json!({"l": ["b", "c"]})]),
            json!({"l": ["a", "b", "c"]})
        );
        assert_eq!(resolve(&[json!({"k": 1}), json!({"k": null})]), json!({"k": null}));
        assert_eq!(resolve(&[json!({"k": [1]}), json!({"k": {"inherit": false}})]), json!({}));
        assert_eq!(
            resolve(&[json!({"k": {"a": 1}}), json!({"k": {"inherit": false, "b": 2}})]),
            json!({"k": {"b": 2}})
        );
        assert_eq!(
            resolve(&[json!({"k": [1]}), json!({"k": {"override": true, "value": [2]}})]),
            json!({"k": [2]})
        );
        assert_eq!(
            resolve(&[json!({"k": 1}), json!({"k": {"override": true, "value": 2}})]),
            json!({"k": 2})
        );
        assert_eq!(
            resolve(&[json!({"a": 1, "k": 1}), json!({"override": true, "k": 2})]),
            json!({"k": 2})
        );
        assert_eq!(resolve(&[json!({"a": 1}), json!({"inherit": false})]), json!({}));
        assert_eq!(
            resolve(&[json!({"k": {"a": 1}}), json!({"k": 5}), json!({"k": {"b": 2}})]),
            json!({"k": {"b": 2}})
        );
        assert_eq!(
            resolve(&[json!({"override": false, "inherit": true})]),
            json!({"override": false, "inherit": true})
        );
        assert_eq!(
            resolve(&[json!({"l": [{"override": true, "a": 1}]})]),
            json!({"l": [{"a": 1}]})
        );
    }

    #[test]
    fn a_root_marker_does_not_hide_the_document_s_other_part() {
        let front = Tree::from_document(json!({"a": 1}));
        let fence = Tree::from_document(json!({"override": true, "b": 2}));
        let parent = Tree::from_document(json!({"c": 3}));
        assert_eq!(parent.merge(front.join(fence)).into_value(), Some(json!({"a": 1, "b": 2})));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            (0..3i32).prop_map(|n| json!(n)),
            "[ab]".prop_map(|s| json!(s)),
            any::<bool>().prop_map(|b| json!(b))
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let key = prop_oneof![4 => "[abc]", 1 => Just("value".to_owned())];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
                (prop::collection::btree_map(key, inner, 0..4), 0..6u8).prop_map(
                    |(map, marker)| {
                        let mut map: Map<String, Value> = map.into_iter().collect();
                        match marker {
                            0 => drop(map.insert("override".into(), json!(true))),
                            1 => drop(map.insert("inherit".into(), json!(false))),
                            _ => {}
                        }
                        Value::Object(map)
                    }
                ),
            ]
        })
    }

    fn document() -> impl Strategy<Value = Tree> {
        prop::collection::btree_map("[abcd]", value(), 0..4)
            .prop_map(|map| Tree::from_document(Value::Object(map.into_iter().collect())))
    }

    fn has_marker(value: &Value) -> bool {
        match value {
            Value::Object(map) => {
                map.get("override") == Some(&json!(true))
                    || map.get("inherit") == Some(&json!(false))
                    || map.values().any(has_marker)
            }
            Value::Array(items) => items.iter().any(has_marker),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn merging_is_associative(a in document(), b in document(), c in document()) {
            let left = a.clone().merge(b.clone()).merge(c.clone());
            let right = a.merge(b.merge(c));
            prop_assert_eq!(left.clone(), right);
            let value = left.into_value().unwrap_or(Value::Null);
            prop_assert!(!has_marker(&value));
        }
    }
}
