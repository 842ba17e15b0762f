//! Packages and aliases that manifests state.

use heirloom_core::imports::Manifest;
use tree_sitter::Node;

use crate::parse::{Source, visit_nodes};
use crate::statements::Statements;

/// Maximum length of a manifest that is read, in bytes.
const MAX_MANIFEST_BYTES: usize = 100_000;

pub(crate) fn read(manifest: Manifest, content: &[u8], statements: &mut Statements) {
    if content.len() > MAX_MANIFEST_BYTES {
        return;
    }
    let text = String::from_utf8_lossy(content);
    match manifest {
        Manifest::Cargo => read_cargo(&text, statements),
        Manifest::GoModule => {
            let module = text.lines().find_map(|line| line.trim().strip_prefix("module "));
            statements.package(module.unwrap_or_default().trim().trim_matches('"'));
        }
        Manifest::NodePackage => read_json(&text, |source, keys, value| {
            if let ["name"] = keys {
                statements.package(source.string(value));
            }
        }),
        Manifest::ScriptConfig => read_script_config(&text, statements),
    }
}

/// Reads the names of a package and of its library.
fn read_cargo(text: &str, statements: &mut Statements) {
    let mut table = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            table = line;
        } else if matches!(table, "[package]" | "[lib]")
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == "name"
        {
            let value = value.split('#').next().unwrap_or_default();
            statements.package(value.trim().trim_matches(['"', '\'']));
        }
    }
}

/// Reads `paths`, which are relative to `baseUrl`; and `baseUrl` alone, from which any import may begin.
fn read_script_config(text: &str, statements: &mut Statements) {
    let mut base = None;
    let mut paths = Vec::new();
    read_json(text, |source, keys, value| match keys {
        ["compilerOptions", "baseUrl"] => base = Some(source.string(value).to_owned()),
        ["compilerOptions", "paths", pattern] => {
            for target in value.named_children(&mut value.walk()) {
                paths.push(((*pattern).to_owned(), source.string(target).to_owned()));
            }
        }
        _ => {}
    });
    let folder = base.clone().unwrap_or_default();
    let below = |path: &str| format!("{}/{path}", folder.trim_end_matches('/'));
    for (pattern, target) in &paths {
        let target = if folder.is_empty() { target.clone() } else { below(target) };
        statements.alias(pattern, &target);
    }
    if base.is_some() {
        statements.alias("*", &below("*"));
    }
}

/// Reads an object of JSON, possibly with comments and trailing commas, as an expression of JavaScript. Passes every
/// value with the keys that lead to it.
fn read_json(text: &str, mut each: impl FnMut(&Source<'_>, &[&str], Node<'_>)) {
    let expression = format!("({})", text.trim_start_matches('\u{feff}').trim());
    let language = tree_sitter_typescript::LANGUAGE_TSX.into();
    visit_nodes(&language, expression.as_bytes(), |source, node| {
        if node.kind() == "pair"
            && let Some(value) = node.child_by_field_name("value")
        {
            let mut keys = vec![key(source, node)];
            let mut inner = node;
            while let Some(parent) = inner.parent() {
                if parent.kind() == "pair" {
                    keys.insert(0, key(source, parent));
                }
                inner = parent;
            }
            each(source, &keys, value);
            // Nothing of interest is deeper.
            return keys.len() < 3;
        }
        true
    });
}

fn key<'s>(source: &Source<'s>, pair: Node<'_>) -> &'s str {
    pair.child_by_field_name("key").map_or("", |key| source.string(key))
}
