//! Packages of Go.

use super::files::{MAX_FILES_PER_PACKAGE, SourceFiles, join};

/// Returns the files of the package that an import means, without its tests.
pub(super) fn find(files: &SourceFiles<'_>, name: &str) -> Vec<u32> {
    let mut module = name;
    let folder = loop {
        if let Some(folder) = files.go_modules.get(module) {
            break join(folder, name[module.len()..].trim_start_matches('/'));
        }
        match module.rsplit_once('/') {
            Some((start, _)) => module = start,
            None => return vec![],
        }
    };
    let is_source = |path: &str| path.ends_with(".go") && !path.ends_with("_test.go");
    let sources = files.in_folder(&folder).iter().filter(|(path, _)| is_source(path));
    sources.map(|(_, number)| *number).take(MAX_FILES_PER_PACKAGE).collect()
}
