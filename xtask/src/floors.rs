//! The floors of the engine: a module imports only what is on a floor below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::run::root;

/// The modules of the engine, from the ground up. Modules of the ground floor may use each other.
const FLOORS: &[&[&str]] = &[
    &["error", "llm", "operation", "process_cache", "progress", "session", "view"],
    &["import", "workspace"],
    &["indexing"],
    &["memory"],
    &["recall"],
    &["completion", "ops", "setup"],
];

/// Names that the crate root re-exports from above the ground floor.
const ROOT_NAMES: &[(&str, &str)] = &[("OPS", "ops")];

/// Checks that no module imports one on its own floor or above.
pub(crate) fn check() -> Result<(), String> {
    let source = root().join("crates/engine/src");
    let mut files = Vec::new();
    find(&source, &mut files)?;
    for file in &files {
        let path = file.strip_prefix(&source).unwrap_or(file);
        let own = path.iter().next().unwrap_or_default().to_string_lossy();
        let own = own.trim_end_matches(".rs");
        if own == "lib" {
            continue;
        }
        let floor = floor_of(own).ok_or_else(|| {
            format!("{}: which floor is `{own}` on? add it to xtask/src/floors.rs", path.display())
        })?;
        let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
        for used in imports(&text) {
            let is_allowed = used == own
                || floor_of(&used).is_none_or(|other| other < floor || other == 0 && floor == 0);
            if !is_allowed {
                return Err(format!(
                    "crates/engine/src/{}: `{own}` must not use `{used}`, which is not on a floor below it; see ARCHITECTURE.md",
                    path.display()
                ));
            }
        }
    }
    eprintln!("floors: {} files of the engine import only from below", files.len());
    Ok(())
}

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the modules that a file names after `crate::`, comments and tests left out.
fn imports(text: &str) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]").next().unwrap_or(text);
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(group) => found.extend(names_in_group(group)),
            None => found.extend(first_name(rest)),
        }
    }
    found.into_iter().map(module_of).collect()
}

/// Returns the first name of each item between braces, however deep the braces inside.
fn names_in_group(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut names = Vec::new();
    let mut item = String::new();
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.extend(first_name(&std::mem::take(&mut item))),
            _ if depth == 0 => item.push(c),
            _ => {}
        }
    }
    names.extend(first_name(&item));
    names
}

fn first_name(text: &str) -> Option<String> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    (end > 0).then(|| text[..end].to_owned())
}

fn module_of(name: String) -> String {
    let found = ROOT_NAMES.iter().find(|(exported, _)| *exported == name);
    found.map_or(name, |(_, module)| (*module).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_in_every_form() {
        let text = "use crate::memory::MemoryQuery;\nuse crate::{Error, OPS, workspace::{a, b}};\n// crate::no\nlet x = crate::view::span();";
        let names: Vec<String> = imports(text).into_iter().collect();
        assert_eq!(names, ["Error", "memory", "ops", "view", "workspace"]);
    }
}
