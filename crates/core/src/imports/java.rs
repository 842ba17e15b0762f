//! Classes and packages of Java.

use super::files::{MAX_FILES_PER_PACKAGE, SourceFiles};

/// Returns the files that an import means: `a.b.C`, `a.b.C.member` or `a.b.*`.
pub(super) fn find(files: &SourceFiles<'_>, name: &str) -> Vec<u32> {
    let parts: Vec<&str> = name.split('.').collect();
    if let Some((&"*", package)) = parts.split_last() {
        let folders = package_folders(files, package);
        let inside = folders.iter().flat_map(|folder| files.in_folder(folder));
        let classes = inside.filter(|(path, _)| path.ends_with(".java"));
        let found: Vec<u32> = classes.map(|(_, file)| *file).take(MAX_FILES_PER_PACKAGE).collect();
        if !found.is_empty() {
            return found;
        }
    }
    // The class is the last part, or one before it if a member or an inner class is imported.
    let class = (1..parts.len()).rev().find_map(|position| {
        let folders = package_folders(files, &parts[..position]);
        files.first(folders.iter().map(|folder| format!("{folder}/{}.java", parts[position])))
    });
    class.into_iter().collect()
}

/// Returns the folders of a package, which may be in several source folders.
fn package_folders<'f>(files: &SourceFiles<'f>, package: &[&str]) -> Vec<&'f str> {
    let Some(last) = package.last() else { return vec![] };
    let path = package.join("/");
    let is_package = |folder: &&&str| {
        folder
            .strip_suffix(path.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    files.folders_named(last).iter().filter(is_package).copied().collect()
}
