//! Maps the paths of documents to locations in the archive and back.
//!
//! `.heirloom/adrs/x.md` is archived to `.heirloom/archive/adrs/x.md` and `plans/0042/plan.md` to
//! `.heirloom/archive/plans/0042/plan.md`. A later version of the same path goes below `v2/`, `v3/`
//! and so on, so that every version is kept. A path outside of `.heirloom` that would collide with
//! one of these goes below `at-root/`. Earlier releases archived to `.heirloom/archive/.heirloom/…`
//! and numbered the copies of a memory document (`x.memory.md.1`); both can still be read.

use crate::Root;
use crate::files::{ARCHIVE, HOME_FOLDER};

/// The entries of `.heirloom` that are archived without the prefix `.heirloom/`.
const HOME_ENTRIES: [&str; 4] = ["workspace.md", "context", "adrs", "projects"];

/// The archive folder for paths outside of `.heirloom` that start with a reserved name.
const AT_ROOT: &str = "at-root";

/// A file in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedFile {
    /// Its current path, relative to the root.
    pub location: String,
    /// The path that it was archived from.
    pub source: String,
    /// The version of that path; a higher version is newer.
    pub version: u32,
    /// The number of a copy of a memory document made by an earlier release. Numbered copies are
    /// older than the file without a number.
    pub copy: Option<u32>,
}

impl ArchivedFile {
    /// Parses a location in the archive; `None` for a path outside of the archive.
    pub fn parse(location: &str) -> Option<Self> {
        let inner = location.strip_prefix(ARCHIVE)?.strip_prefix('/')?;
        let (version, inner) = match inner.split_once('/') {
            Some((first, rest)) => {
                parse_version(first).map_or((1, inner), |version| (version, rest))
            }
            None => (1, inner),
        };
        let source = match inner.split_once('/') {
            Some((AT_ROOT, rest)) => rest.to_owned(),
            _ if HOME_ENTRIES.contains(&first_part(inner)) => format!("{HOME_FOLDER}/{inner}"),
            _ => inner.to_owned(),
        };
        let numbered = source.rsplit_once(".memory.md.").and_then(|(stem, number)| {
            Some((format!("{stem}.memory.md"), number.parse::<u32>().ok()?))
        });
        let (source, copy) = match numbered {
            Some((source, copy)) => (source, Some(copy)),
            None => (source, None),
        };
        Some(ArchivedFile { location: location.to_owned(), source, version, copy })
    }

    /// Returns a sort key that is greater for a newer version of the same path.
    pub fn recency(&self) -> (u32, u32) {
        (self.version, self.copy.unwrap_or(u32::MAX))
    }
}

/// Returns the location of a version of a path in the archive.
pub fn location(path: &str, version: u32) -> String {
    let inner = match path.strip_prefix(HOME_FOLDER).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) if HOME_ENTRIES.contains(&first_part(rest)) => rest.to_owned(),
        Some(_) => path.to_owned(),
        None if is_reserved(first_part(path)) => format!("{AT_ROOT}/{path}"),
        None => path.to_owned(),
    };
    match version {
        0 | 1 => format!("{ARCHIVE}/{inner}"),
        later => format!("{ARCHIVE}/v{later}/{inner}"),
    }
}

/// Lists every file in the archive. Symbolic links are listed and not followed.
pub fn list(root: &Root) -> Vec<ArchivedFile> {
    files_under(root, ARCHIVE).iter().filter_map(|path| ArchivedFile::parse(path)).collect()
}

/// Lists the files below a folder, by path. Symbolic links are listed and not followed.
pub fn files_under(root: &Root, folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for item in root.list(&folder).unwrap_or_default() {
            let path = format!("{folder}/{}", item.name);
            if item.is_folder && !item.is_link {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn first_part(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

fn is_reserved(first: &str) -> bool {
    HOME_ENTRIES.contains(&first) || first == AT_ROOT || parse_version(first).is_some()
}

/// Parses the name of a version folder: 2 for `v2`.
fn parse_version(folder: &str) -> Option<u32> {
    let digits = folder.strip_prefix('v')?;
    let is_number = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|version| is_number && *version > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_round_trips_to_its_path_and_version() {
        for path in [
            ".heirloom/workspace.md",
            ".heirloom/adrs/ADR-0001-x.md",
            ".heirloom/projects/billing/project.md",
            ".heirloom/notes/x.md",
            "plans/0042-graph/agents/001.memory.md",
            "adrs/0001-x.md",
            "workspace.md",
            "v2/x.md",
            "at-root/x.md",
            "v1/x.md",
            "CLAUDE.md",
        ] {
            for version in [1, 2, 17] {
                let archived = ArchivedFile::parse(&location(path, version)).unwrap();
                assert_eq!((archived.source.as_str(), archived.version), (path, version));
            }
        }
        assert_eq!(location(".heirloom/adrs/x.md", 1), ".heirloom/archive/adrs/x.md");
        assert_eq!(location("plans/a/plan.md", 2), ".heirloom/archive/v2/plans/a/plan.md");
    }

    #[test]
    fn locations_of_earlier_releases_can_be_read() {
        let old = ArchivedFile::parse(".heirloom/archive/.heirloom/context/old.md").unwrap();
        assert_eq!(old.source, ".heirloom/context/old.md");
        let copy = ArchivedFile::parse(".heirloom/archive/plans/a/plan.memory.md.2").unwrap();
        assert_eq!((copy.source.as_str(), copy.copy), ("plans/a/plan.memory.md", Some(2)));
        let newest = ArchivedFile::parse(".heirloom/archive/plans/a/plan.memory.md").unwrap();
        assert!(newest.recency() > copy.recency());
        assert_eq!(ArchivedFile::parse("plans/a/plan.md"), None);
    }
}
