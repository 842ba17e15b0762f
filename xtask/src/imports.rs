//! What the files of a crate import, read from their text.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the code of a file without comments and tests.
pub(crate) fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or(text);
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the paths that follow `crate::` in some code.
pub(crate) fn crate_paths(code: &str) -> BTreeSet<String> {
    heads(code).filter(|(head, _)| *head == "crate").flat_map(|(_, tree)| expand(tree)).collect()
}

/// Returns the modules that each module imports from, given the code of all modules by path. A re-export is
/// not an import.
pub(crate) fn graph(modules: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let imports = |own: &str, code: &str| {
        let code = without_reexports(code);
        let paths = heads(&code).flat_map(|(head, tree)| absolute_paths(modules, own, head, tree));
        let found: Vec<String> = paths.collect();
        let found = found.iter().filter_map(|path| module_of(modules, path));
        found.filter(|module| *module != own).collect()
    };
    modules.iter().map(|(own, code)| (own.as_str(), imports(own, code))).collect()
}

/// Returns a circle of modules that import from each other, if there is one.
pub(crate) fn find_circle<'m>(
    graph: &BTreeMap<&'m str, BTreeSet<&'m str>>,
) -> Option<Vec<&'m str>> {
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| visit(graph, start, &mut Vec::new(), &mut done))
}

fn visit<'m>(
    graph: &BTreeMap<&'m str, BTreeSet<&'m str>>,
    module: &'m str,
    above: &mut Vec<&'m str>,
    done: &mut BTreeSet<&'m str>,
) -> Option<Vec<&'m str>> {
    if let Some(at) = above.iter().position(|other| *other == module) {
        return Some([&above[at..], &[module]].concat());
    }
    if done.contains(module) {
        return None;
    }
    above.push(module);
    let circle = graph[module].iter().find_map(|other| visit(graph, other, above, done));
    above.pop();
    done.insert(module);
    circle
}

/// Returns the paths from the crate root that a use tree after `head::` stands for.
fn absolute_paths(
    modules: &BTreeMap<String, String>,
    own: &str,
    head: &str,
    tree: &str,
) -> Vec<String> {
    let (mut base, mut tree) = (own, tree);
    match head {
        "crate" => base = "",
        "self" => {}
        "super" => {
            base = parent(base);
            while let Some(rest) = tree.strip_prefix("super::") {
                (base, tree) = (parent(base), rest);
            }
        }
        child if modules.contains_key(&join(own, child)) => return vec![join(own, child)],
        _ => return vec![],
    }
    expand(tree).iter().map(|path| join(base, path)).collect()
}

/// Removes the statements `pub use …;`.
fn without_reexports(code: &str) -> String {
    let is_reexport = |statement: &&str| {
        let item = statement.trim_start().strip_prefix("pub").unwrap_or_default();
        let scope = item.strip_prefix('(').and_then(|scope| scope.split_once(')'));
        scope.map_or(item, |(_, item)| item).trim_start().starts_with("use ")
    };
    code.split_inclusive(';').filter(|statement| !is_reexport(statement)).collect()
}

/// Returns every name that stands first in a path, with the text after its `::`. The path of
/// `pub(in path)` does not count.
fn heads(code: &str) -> impl Iterator<Item = (&str, &str)> {
    code.match_indices("::").filter_map(|(at, mark)| {
        let before = &code[..at];
        let start = before.rfind(|c: char| !is_name_char(c)).map_or(0, |at| at + 1);
        let is_first =
            start < at && !["::", "pub(in "].iter().any(|end| before[..start].ends_with(end));
        is_first.then(|| (&before[start..], &code[at + mark.len()..]))
    })
}

/// Returns the paths that a use tree stands for: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let mut paths = Vec::new();
    read_tree(tree, "", &mut paths);
    paths
}

/// Reads one use tree and returns the text after it.
fn read_tree<'t>(text: &'t str, prefix: &str, paths: &mut Vec<String>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = read_tree(rest, prefix, paths).trim_start();
            if let Some(after) = rest.strip_prefix("as ") {
                rest = after.trim_start().trim_start_matches(is_name_char).trim_start();
            }
            match rest.strip_prefix(',') {
                Some(after) => rest = after,
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let rest = text.trim_start_matches(is_name_char);
    let name = &text[..text.len() - rest.len()];
    let path = if name.is_empty() { prefix.to_owned() } else { join(prefix, name) };
    match rest.strip_prefix("::") {
        Some(below) if !name.is_empty() && !below.starts_with('<') => {
            read_tree(below, &path, paths)
        }
        _ => {
            paths.push(path);
            rest.strip_prefix('*').unwrap_or(rest)
        }
    }
}

/// Returns the module that a path leads into.
fn module_of<'m>(modules: &'m BTreeMap<String, String>, path: &str) -> Option<&'m str> {
    let mut path = path;
    loop {
        if let Some((module, _)) = modules.get_key_value(path) {
            return Some(module);
        }
        path = path.rsplit_once("::")?.0;
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once("::").map_or("", |(parent, _)| parent)
}

fn join(base: &str, path: &str) -> String {
    if base.is_empty() { path.to_owned() } else { format!("{base}::{path}") }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle_in(files: &[(&str, &str)]) -> Option<String> {
        let modules = files.iter().map(|(path, text)| ((*path).to_owned(), code(text))).collect();
        find_circle(&graph(&modules)).map(|circle| circle.join(" > "))
    }

    #[test]
    fn imports_are_found_in_every_form() {
        let text = "use crate::memory::MemoryQuery;\nuse crate::{Error, OPS as All, workspace::{a, b::*}};\n// crate::no\nlet x = crate::view::span::<u8>();\npub(in crate::memory) fn f() {}\n";
        let paths: Vec<String> = crate_paths(&code(text)).into_iter().collect();
        assert_eq!(
            paths,
            ["Error", "OPS", "memory::MemoryQuery", "view::span", "workspace::a", "workspace::b"]
        );
    }

    #[test]
    fn a_circle_of_files_is_found() {
        let parent = ("a", "mod b;\npub(crate) use b::{\n    Item,\n};\n");
        assert_eq!(circle_in(&[parent, ("a::b", "use super::Other;\n")]), None);
        assert_eq!(
            circle_in(&[("a", "mod b;\nfn f() { b::g() }\n"), ("a::b", "use super::Other;\n")]),
            Some("a > a::b > a".to_owned())
        );
        assert_eq!(
            circle_in(&[
                ("a", ""),
                ("a::b", "use super::c::X;\n"),
                ("a::c", "use crate::a::{d::Y};\n"),
                ("a::d", "#[cfg(test)]\nmod tests { use super::*; }\n"),
            ]),
            None
        );
        assert_eq!(
            circle_in(&[
                ("a::b", "use super::c::X;\n"),
                ("a::c", "use crate::{a::d::Y};\n"),
                ("a::d", "fn f() { super::super::a::b::g() }\n"),
            ]),
            Some("a::b > a::c > a::d > a::b".to_owned())
        );
    }
}
