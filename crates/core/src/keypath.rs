//! Paths of keys: `defaults.language`, with keys that hold a dot in quotes.

use std::collections::BTreeMap;

use crate::yaml::Node;

/// Writes a path of keys.
pub fn join<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    let mut path = String::new();
    for key in keys {
        push(&mut path, key);
    }
    path
}

/// Appends a key to a path.
pub fn push(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    if key.is_empty() || key.contains(['.', '"']) {
        path.push_str(&format!("{key:?}"));
    } else {
        path.push_str(key);
    }
}

/// Returns whether a path is another one or lies under it.
pub fn is_within(path: &str, ancestor: &str) -> bool {
    path.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Notes the line of every key path of a YAML tree, `offset` lines further down.
pub fn lines(node: &Node, offset: usize, out: &mut BTreeMap<String, usize>) {
    fn walk(node: &Node, path: &str, offset: usize, out: &mut BTreeMap<String, usize>) {
        for entry in node.entries() {
            let mut here = path.to_owned();
            push(&mut here, &entry.key);
            walk(&entry.value, &here, offset, out);
            out.insert(here, entry.line + offset);
        }
    }
    walk(node, "", offset, out);
}
