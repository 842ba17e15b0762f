//! Modules of Python.

use super::files::{SourceFiles, ancestors, join};
use crate::path;

/// Folders that packages are often in, besides the root and the folder above the package of the importing file.
const SOURCE_FOLDERS: [&str; 2] = ["src", "lib"];

/// Returns the file that an import means: `a.b`, or `.a` from the package of the file, `..a` from the one above it.
pub(super) fn find(files: &SourceFiles<'_>, path: &str, name: &str) -> Vec<u32> {
    let dots = name.bytes().take_while(|byte| *byte == b'.').count();
    let parts: Vec<&str> = name[dots..].split('.').filter(|part| !part.is_empty()).collect();
    let found = match dots {
        0 => roots(files, path).iter().find_map(|root| longest(files, root, &parts)),
        _ => {
            let folder = ancestors(path).nth(dots - 1);
            folder.and_then(|folder| {
                longest(files, folder, &parts)
                    .or_else(|| files.number(&join(folder, "__init__.py")))
            })
        }
    };
    found.into_iter().collect()
}

/// Returns the folders in which absolute imports are looked for.
fn roots(files: &SourceFiles<'_>, path: &str) -> Vec<String> {
    let is_package = |folder: &&str| files.number(&join(folder, "__init__.py")).is_some();
    let above = ancestors(path).find(|folder| !is_package(folder)).unwrap_or_default();
    let mut roots = vec![above.to_owned(), String::new()];
    roots.extend(SOURCE_FOLDERS.map(str::to_owned));
    // `package/src/name` beside `package/tests`.
    roots.push(join(path::folder(above), "src"));
    roots
}

/// Returns the file of the longest leading part of a name; the rest is inside the module.
fn longest(files: &SourceFiles<'_>, root: &str, parts: &[&str]) -> Option<u32> {
    (1..=parts.len()).rev().find_map(|length| {
        let module = join(root, &parts[..length].join("/"));
        files.first([format!("{module}.py"), format!("{module}/__init__.py")])
    })
}
