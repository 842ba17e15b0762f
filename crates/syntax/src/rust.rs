//! Imports of Rust.

use tree_sitter::Node;

use crate::parse::{Source, visit_nodes};
use crate::statements::Statements;

/// Lists of a `use` that are nested deeper are not read.
const MAX_USE_DEPTH: usize = 20;

/// Crates that are never part of a repository.
const STANDARD_CRATES: [&str; 3] = ["std", "core", "alloc"];

pub(crate) fn read(content: &[u8], statements: &mut Statements) {
    let language = tree_sitter_rust::LANGUAGE.into();
    visit_nodes(&language, content, |source, node| {
        match node.kind() {
            "mod_item" if node.child_by_field_name("body").is_none() => {
                add_module(source, node, statements);
                false
            }
            "use_declaration" => {
                if let Some(argument) = node.child_by_field_name("argument") {
                    let inline = inline_modules(source, node).len();
                    add_use(source, argument, "", inline, 0, statements);
                }
                false
            }
            "extern_crate_declaration" => {
                add_path(source.field(node, "name"), 0, statements);
                false
            }
            // A path in the code that begins at the crate.
            "scoped_identifier" | "scoped_type_identifier" => {
                let text = source.text(node);
                let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
                if text.starts_with("crate::") && text.chars().all(is_plain) {
                    add_path(text, 0, statements);
                    return false;
                }
                true
            }
            _ => true,
        }
    });
}

/// Returns the names of the modules with a body that contain a node, the outermost first.
fn inline_modules<'s>(source: &Source<'s>, node: Node<'_>) -> Vec<&'s str> {
    let mut names = Vec::new();
    let mut inner = node;
    while let Some(parent) = inner.parent() {
        if parent.kind() == "mod_item" {
            names.push(source.field(parent, "name"));
        }
        inner = parent;
    }
    names.reverse();
    names
}

fn add_module(source: &Source<'_>, node: Node<'_>, statements: &mut Statements) {
    let mut sibling = node.prev_named_sibling();
    while let Some(attribute) = sibling.filter(|it| it.kind() == "attribute_item") {
        let text = source.text(attribute);
        let path = text.strip_prefix("#[path").map(|rest| rest.trim_matches([' ', '=', ']']));
        if let Some(path) = path {
            statements.file(path.trim().trim_matches('"'));
            return;
        }
        sibling = attribute.prev_named_sibling();
    }
    let mut parts = inline_modules(source, node);
    parts.push(source.field(node, "name"));
    statements.module(&parts.join("/"));
}

/// Adds what a tree of a `use` imports. `inline` is the number of modules with a body around it.
fn add_use(
    source: &Source<'_>,
    node: Node<'_>,
    prefix: &str,
    inline: usize,
    depth: usize,
    statements: &mut Statements,
) {
    if depth > MAX_USE_DEPTH {
        return;
    }
    match node.kind() {
        "use_list" => {
            for item in node.named_children(&mut node.walk()) {
                add_use(source, item, prefix, inline, depth + 1, statements);
            }
        }
        "scoped_use_list" => {
            let prefix = join(prefix, source.field(node, "path"));
            if let Some(list) = node.child_by_field_name("list") {
                add_use(source, list, &prefix, inline, depth + 1, statements);
            }
        }
        "use_as_clause" => {
            add_path(&join(prefix, source.field(node, "path")), inline, statements);
        }
        "use_wildcard" => {
            let path = node.named_child(0).map_or("", |path| source.text(path));
            add_path(&join(prefix, path), inline, statements);
        }
        _ => add_path(&join(prefix, source.text(node)), inline, statements),
    }
}

fn join(prefix: &str, path: &str) -> String {
    match (prefix, path) {
        ("", path) => path.to_owned(),
        (prefix, "" | "self") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}::{path}"),
    }
}

/// Adds a path without the types and constants at its end, which are in the file of their module.
fn add_path(path: &str, inline: usize, statements: &mut Statements) {
    let mut parts: Vec<&str> = path.trim_start_matches("::").split("::").map(str::trim).collect();
    let leaves_inline = parts.iter().take_while(|part| **part == "super").count().min(inline);
    parts.drain(..leaves_inline);
    if inline > 0 && (leaves_inline < inline && parts.first() == Some(&"self")) {
        return;
    }
    if leaves_inline > 0 && parts.first() != Some(&"super") {
        // Inside a module of the same file, `super` is the file's own module.
        parts.insert(0, "self");
    }
    while parts.len() > 1 && parts.last().is_some_and(|part| is_item(part)) {
        parts.pop();
    }
    let is_external = parts.first().is_none_or(|first| STANDARD_CRATES.contains(first));
    if !is_external && parts != ["self"] {
        statements.import(&parts.join("::"));
    }
}

fn is_item(part: &str) -> bool {
    part.is_empty() || part.starts_with(char::is_uppercase)
}
