//! The floors of the engine: a module imports only what is on a floor below it, and no circle of files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::imports;
use crate::run::root;

/// The modules of the engine, from the ground up. Modules of the ground floor may use each other.
const FLOORS: &[&[&str]] = &[
    &["client", "error", "llm", "operation", "process_cache", "progress", "session", "view"],
    &["hot", "import", "signals", "usage", "workspace"],
    &["cold", "indexing"],
    &["memory"],
    &["recall"],
    &["contradictions", "link_discovery", "prediction"],
    &["assembly", "consolidation", "loading", "watch", "work_session"],
    &["completion", "ops", "setup"],
];

/// Names that the crate root re-exports from above the ground floor.
const ROOT_NAMES: &[(&str, &str)] = &[("OPS", "ops")];

/// Checks that no module imports one on its own floor or above, and that no two files import from each
/// other. A file may re-export what files below it define.
pub(crate) fn check() -> Result<(), String> {
    let modules = read_modules(&root().join("crates/engine/src"))?;
    for (module, code) in &modules {
        check_floor(module, code)?;
    }
    if let Some(circle) = imports::find_circle(&imports::graph(&modules)) {
        return Err(format!(
            "crates/engine: these files import from each other in a circle: {}; move what they share into a file of its own",
            circle.join(" > ")
        ));
    }
    eprintln!("floors: {} files of the engine import only from below", modules.len());
    Ok(())
}

/// Reads the code of every module but the crate root, by its path such as `workspace::catalog`.
fn read_modules(source: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut files = Vec::new();
    find(source, &mut files)?;
    let mut modules = BTreeMap::new();
    for file in files {
        let path = file.strip_prefix(source).unwrap_or(&file).with_extension("");
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        if !matches!(parts.last().map(AsRef::as_ref), Some("lib" | "tests")) {
            modules.insert(parts.join("::"), imports::code(&text));
        }
    }
    Ok(modules)
}

fn check_floor(module: &str, code: &str) -> Result<(), String> {
    let own = module.split("::").next().unwrap_or(module);
    let floor = floor_of(own).ok_or_else(|| {
        format!("{module}: which floor is `{own}` on? add it to xtask/src/floors.rs")
    })?;
    for path in imports::crate_paths(code) {
        let used = module_of(path.split("::").next().unwrap_or(&path));
        let is_allowed = used == own
            || floor_of(used).is_none_or(|other| other < floor || other == 0 && floor == 0);
        if !is_allowed {
            return Err(format!(
                "crates/engine: `{module}` must not use `{used}`, which is not on a floor below it; see ARCHITECTURE.md"
            ));
        }
    }
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

fn module_of(name: &str) -> &str {
    ROOT_NAMES.iter().find(|(exported, _)| *exported == name).map_or(name, |(_, module)| module)
}
