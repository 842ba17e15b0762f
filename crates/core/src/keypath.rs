//! Key paths such as `defaults.language`. A key that contains a dot is quoted.

use std::collections::BTreeMap;

use crate::yaml::YamlNode;

/// Joins keys to a path.
pub(crate) fn join<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    let mut path = String::new();
    for key in keys {
        push(&mut path, key);
    }
    path
}

/// Appends a key to a path.
pub(crate) fn push(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    if key.is_empty() || key.contains(['.', '"']) {
        path.push_str(&format!("{key:?}"));
    } else {
        path.push_str(key);
    }
}

/// Returns whether a path is equal to or below another one.
pub(crate) fn is_within(path: &str, ancestor: &str) -> bool {
    path.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Adds the line of every key path in a YAML tree to `out`, each increased by `offset`.
pub(crate) fn collect_lines(node: &YamlNode, offset: usize, out: &mut BTreeMap<String, usize>) {
    fn walk(node: &YamlNode, path: &str, offset: usize, out: &mut BTreeMap<String, usize>) {
        for entry in node.entries() {
            let mut entry_path = path.to_owned();
            push(&mut entry_path, &entry.key);
            walk(&entry.value, &entry_path, offset, out);
            out.insert(entry_path, entry.line + offset);
        }
    }
    walk(node, "", offset, out);
}
