//! Finds the documents that are searched and belong to no level: what the setting `documents.paths` names.

use heirloom_core::{Problem, path};

use crate::listings::Listings;
use crate::{Config, layout};

/// The depth to which folders are searched.
const MAX_DEPTH: usize = 6;

/// The most documents that are read. Settings come with the repository, and must not keep a machine busy for hours.
pub const MAX_DOCUMENTS: usize = 5_000;

/// Finds the documents in the order of their paths: files that the settings name, and the markdown files of folders.
/// Links, hidden files and templates in folders are left out.
pub fn find(listings: &Listings<'_>, config: &Config) -> (Vec<String>, Vec<Problem>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    for named in config.documents.plain_paths() {
        match listings.stamp(&named) {
            Some(_) => found.push(named),
            None => find_in(listings, &named, MAX_DEPTH, &mut found, &mut problems),
        }
    }
    found.sort();
    found.dedup();
    if found.len() > MAX_DOCUMENTS {
        let message = format!(
            "documents.paths names {} documents, and only the first {MAX_DOCUMENTS} are searched",
            found.len()
        );
        problems.push(Problem::in_file(crate::config::PATH, message).hint("name smaller folders"));
        found.truncate(MAX_DOCUMENTS);
    }
    (found, problems)
}

/// Returns whether a path is one of the documents.
pub fn contains(listings: &Listings<'_>, config: &Config, path: &str) -> bool {
    let is_named = |named: String| path::is_within(path, &named);
    config.documents.plain_paths().any(is_named)
        && find(listings, config).0.iter().any(|found| found == path)
}

/// Returns whether a file of a folder is a document; a template says nothing.
fn is_document(name: &str) -> bool {
    layout::is_markdown(name) && !name.to_lowercase().contains("template")
}

fn find_in(
    listings: &Listings<'_>,
    folder: &str,
    depth: usize,
    found: &mut Vec<String>,
    problems: &mut Vec<Problem>,
) {
    let mut folders = Vec::new();
    let visited = listings.visit(folder, |item| {
        let inner = format!("{folder}/{}", item.name);
        match item.is_folder {
            _ if !item.is_utf8 || item.is_link || item.name.starts_with('.') => {}
            true => folders.push(inner),
            false if is_document(&item.name) => found.push(inner),
            false => {}
        }
    });
    problems.extend(visited.err());
    for inner in folders {
        if depth == 0 || found.len() > MAX_DOCUMENTS {
            break;
        }
        find_in(listings, &inner, depth - 1, found, problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Root;

    #[test]
    fn files_and_folders_are_found() {
        let home = tempfile::tempdir().unwrap();
        let root = Root::open_new(home.path()).unwrap();
        for file in [
            "README.md",
            "docs/a.md",
            "docs/in/b.md",
            "docs/c.png",
            "docs/.hidden/d.md",
            "docs/template.md",
        ] {
            assert!(root.create(file, "# X\n").unwrap());
        }
        let config =
            "[documents]\npaths = [\"README.md\", \"./docs/\", \"docs/a.md\", \"missing\"]\n";
        let config = Config::parse(config).unwrap();
        let listings = Listings::new(&root);
        let (found, problems) = find(&listings, &config);
        assert_eq!(found, ["README.md", "docs/a.md", "docs/in/b.md"]);
        assert_eq!(problems, []);
        assert!(contains(&listings, &config, "docs/in/b.md"));
        assert!(!contains(&listings, &config, "docs/c.png"));
        assert!(!contains(&listings, &config, "docsy.md"));
    }
}
