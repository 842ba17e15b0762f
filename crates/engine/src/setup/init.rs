//! `heir init`: creates the files of a workspace and never overwrites any.

use std::fs;
use std::path::Path;

use heirloom_core::hierarchy;
use heirloom_store::{Config, Root};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::adopt::{self, AdoptionCandidate};
use super::git_files::{FileOutcome, extend_git_files};
use crate::view::{Role, View, span};
use crate::workspace::new_workspace;
use crate::{Answer, Error};

/// The workspace to set up.
#[derive(Debug)]
pub struct Request<'r> {
    /// The folder.
    pub folder: &'r Path,
    /// The hierarchy.
    pub hierarchy: &'r str,
    /// The workspace's name; by default the folder's.
    pub name: Option<&'r str>,
    /// Today.
    pub today: Date,
}

/// The result of `heir init`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitReport {
    /// The folder.
    root: String,
    /// The hierarchy that was set up.
    hierarchy: String,
    /// The hierarchy that commands use by default; an existing setting is kept.
    default_hierarchy: String,
    /// Files that were written.
    created: Vec<String>,
    /// Files that existed and were not changed.
    kept: Vec<String>,
    /// Files to which lines were added.
    extended: Vec<String>,
    /// Existing documents that `heir adopt` would read.
    adoptable: Vec<AdoptionCandidate>,
}

/// Refuses a folder that lies in a workspace of the same repository, so that a second workspace is nested in
/// it only if the user names the folder.
pub fn check_not_nested(folder: &Path) -> Result<(), Error> {
    let folder = &fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    match adopt::workspace_of(folder).filter(|above| above != folder) {
        None => Ok(()),
        Some(above) => Err(Error::bad_input(format!(
            "{} lies in the workspace {}",
            folder.display(),
            above.display()
        ))
        .hint(
            "commands here use that workspace; `heir init .` sets up another one in this folder",
        )),
    }
}

/// Sets up a workspace.
pub fn run(request: &Request<'_>) -> Result<InitReport, Error> {
    if !hierarchy::built_in().contains_key(request.hierarchy) {
        let names: Vec<String> = hierarchy::built_in().into_keys().collect();
        return Err(Error::not_found(
            format!("there is no hierarchy `{}`", request.hierarchy),
            names,
        ));
    }
    let root = Root::open_new(request.folder)?;
    let folder_name = root
        .path()
        .file_name()
        .map_or_else(|| "workspace".to_owned(), |name| name.to_string_lossy().into_owned());
    let name = request.name.unwrap_or(&folder_name);
    let mut report = InitReport {
        root: root.path().display().to_string(),
        hierarchy: request.hierarchy.to_owned(),
        default_hierarchy: request.hierarchy.to_owned(),
        created: vec![],
        kept: vec![],
        extended: vec![],
        // Searched before anything is written, so that new files are not found.
        adoptable: adopt::pending(&root)?,
    };
    for (path, text) in new_workspace::initial_files(request.hierarchy, name, request.today) {
        if root.create(&path, &text)? { report.created.push(path) } else { report.kept.push(path) }
    }
    let config = Config::load(&root)?;
    for (path, outcome) in extend_git_files(&root, &config)? {
        match outcome {
            FileOutcome::Created => report.created.push(path),
            FileOutcome::Kept => report.kept.push(path),
            FileOutcome::Extended => report.extended.push(path),
        }
    }
    report.default_hierarchy = config.hierarchy;
    Ok(report)
}

impl Answer for InitReport {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, "workspace "),
            span(Role::Source, &self.root),
            format!("  ({})", self.hierarchy).into(),
        ]);
        let rows =
            |word: &'static str, role: Role, paths: &[String]| -> Vec<Vec<crate::view::Span>> {
                paths
                    .iter()
                    .map(|path| vec![span(role, format!("  {word}")), path.as_str().into()])
                    .collect()
            };
        let all = rows("created", Role::Good, &self.created)
            .into_iter()
            .chain(rows("extended", Role::Warning, &self.extended))
            .chain(rows("kept", Role::Dim, &self.kept));
        view.table(&[], all.collect());
        if self.default_hierarchy != self.hierarchy {
            view.line([span(Role::Warning, format!("⚠️ .heirloom/config.toml sets hierarchy = \"{}\", which stays the default; use --hierarchy {}, or change the setting", self.default_hierarchy, self.hierarchy))]);
        }
        if !self.adoptable.is_empty() {
            let paths: Vec<&str> = self.adoptable.iter().map(AdoptionCandidate::path).collect();
            view.blank();
            view.line([
                format!("This repository already has {}; ", paths.join(", ")).into(),
                span(Role::Key, "heir adopt"),
                " makes it part of the workspace without moving it".into(),
            ]);
        }
        if self.hierarchy == hierarchy::DEFAULT_HIERARCHY {
            view.blank();
            view.line([
                "Next: edit .heirloom/workspace.md, then ".into(),
                span(Role::Key, "heir plan new \"My first plan\""),
                " and ".into(),
                span(Role::Key, "heir context resolve 0001"),
            ]);
        }
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests set up real files")]
    fn a_folder_in_a_workspace_of_the_same_repository_is_refused() {
        let home = tempfile::tempdir().unwrap();
        for folder in ["shop/.heirloom", "shop/docs/api", "shop/vendored/.git", "other"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let check = |folder: &str| check_not_nested(&home.path().join(folder));
        let error = check("shop/docs/api").unwrap_err();
        assert!(error.message.contains("lies in the workspace"), "{}", error.message);
        // The workspace itself, a repository inside of it, and a folder beside it.
        for folder in ["shop", "shop/vendored", "other"] {
            assert!(check(folder).is_ok(), "{folder}");
        }
    }
}
