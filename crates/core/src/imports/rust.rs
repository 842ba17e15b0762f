//! Modules of Rust.

use super::SourceStatement;
use super::files::{SourceFiles, ancestors, join};
use crate::path;

/// Returns the files that a statement of a file means.
pub(super) fn find(files: &SourceFiles<'_>, path: &str, statement: &SourceStatement) -> Vec<u32> {
    let found = match statement {
        SourceStatement::Import(name) => find_use(files, path, name),
        SourceStatement::Module(name) => {
            // A file in `tests` or `src/bin` is the root of a crate, and its modules are beside it.
            let folders = [module_folder(path), path::folder(path).to_owned()];
            folders.iter().find_map(|folder| module_file(files, &join(folder, name)))
        }
        SourceStatement::File(name) => {
            path::resolve_link(path, name).and_then(|path| files.number(&path))
        }
        SourceStatement::Package(_) | SourceStatement::Alias(..) => None,
    };
    found.into_iter().collect()
}

fn find_use(files: &SourceFiles<'_>, path: &str, name: &str) -> Option<u32> {
    let mut parts: Vec<&str> = name.split("::").collect();
    let first = parts.remove(0);
    let folder = match first {
        "crate" => source_folder(files, path),
        "self" => module_folder(path),
        "super" => {
            let supers = parts.iter().take_while(|part| **part == "super").count();
            parts.drain(..supers);
            let mut folder = module_folder(path);
            for _ in 0..=supers {
                folder = path::folder(&folder).to_owned();
            }
            folder
        }
        _ => match files.crate_folder(first) {
            Some(folder) => join(folder, "src"),
            // A module of this one needs no prefix, and only a module is meant, not what this file contains.
            None => {
                parts.insert(0, first);
                return deepest(files, &module_folder(path), &parts);
            }
        },
    };
    deepest(files, &folder, &parts).or_else(|| root_of(files, &folder))
}

/// Returns the file of the longest leading part of a path of modules that is a file.
fn deepest(files: &SourceFiles<'_>, folder: &str, parts: &[&str]) -> Option<u32> {
    let mut folder = folder.to_owned();
    let mut found = None;
    for part in parts {
        folder = join(&folder, part);
        match module_file(files, &folder) {
            Some(file) => found = Some(file),
            None => break,
        }
    }
    found
}

/// Returns the file of the module whose modules are in a folder.
fn module_file(files: &SourceFiles<'_>, folder: &str) -> Option<u32> {
    files.first([format!("{folder}.rs"), format!("{folder}/mod.rs")])
}

/// Returns the file that contains a folder of modules, or the root of a crate.
fn root_of(files: &SourceFiles<'_>, folder: &str) -> Option<u32> {
    let roots = ["lib.rs", "main.rs", "mod.rs"].map(|name| join(folder, name));
    files.first(roots).or_else(|| files.number(&format!("{folder}.rs")))
}

/// Returns the folder of the modules that a file declares.
fn module_folder(path: &str) -> String {
    let folder = path::folder(path);
    match path::file_name(path) {
        "mod.rs" | "lib.rs" | "main.rs" | "build.rs" => folder.to_owned(),
        name => join(folder, name.strip_suffix(".rs").unwrap_or(name)),
    }
}

/// Returns the folder of the modules of a file's crate.
fn source_folder(files: &SourceFiles<'_>, path: &str) -> String {
    let has_manifest = |folder: &&str| files.number(&join(folder, "Cargo.toml")).is_some();
    let root = ancestors(path).find(has_manifest);
    // A folder below that of the manifest is `src`, `tests`, `examples` or `benches`.
    let below = |root: &str| {
        let rest = path.strip_prefix(root)?.trim_start_matches('/');
        rest.split_once('/').map(|(folder, _)| join(root, folder))
    };
    let source = || ancestors(path).find(|folder| path::file_name(folder) == "src");
    root.and_then(below)
        .or_else(|| source().map(str::to_owned))
        .unwrap_or_else(|| path::folder(path).to_owned())
}
