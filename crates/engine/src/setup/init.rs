//! `heir init`: the layout of a workspace, never overwriting anything.

use std::path::Path;

use heirloom_core::hierarchy;
use heirloom_store::{Config, Root};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::adopt::{self, Found};
use super::git_files::{Outcome, extend_git_files};
use crate::view::{Role, View, span};
use crate::workspace::new_workspace;
use crate::{Answer, Error};

/// What to set up.
#[derive(Debug)]
pub struct Request<'r> {
    /// The folder.
    pub folder: &'r Path,
    /// The hierarchy.
    pub hierarchy: &'r str,
    /// The workspace's name; else the folder's.
    pub name: Option<&'r str>,
    /// Today.
    pub today: Date,
}

/// What was set up.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Initialised {
    /// The folder.
    root: String,
    /// The hierarchy that was set up.
    hierarchy: String,
    /// The hierarchy that commands use by default: an existing setting stays.
    default_hierarchy: String,
    /// Files that were written.
    created: Vec<String>,
    /// Files that were there already and were left alone.
    kept: Vec<String>,
    /// Files that were extended by lines of ours.
    extended: Vec<String>,
    /// What was there before and `heir adopt` would read.
    adoptable: Vec<Found>,
}

/// Sets up a workspace.
pub fn run(request: &Request<'_>) -> Result<Initialised, Error> {
    if !hierarchy::built_in().contains_key(request.hierarchy) {
        let names: Vec<String> = hierarchy::built_in().into_keys().collect();
        return Err(Error::not_found(
            format!("there is no hierarchy `{}`", request.hierarchy),
            names,
        ));
    }
    let root = Root::new_at(request.folder)?;
    let folder_name = root
        .path()
        .file_name()
        .map_or_else(|| "workspace".to_owned(), |name| name.to_string_lossy().into_owned());
    let name = request.name.unwrap_or(&folder_name);
    let mut done = Initialised {
        root: root.path().display().to_string(),
        hierarchy: request.hierarchy.to_owned(),
        default_hierarchy: request.hierarchy.to_owned(),
        created: vec![],
        kept: vec![],
        extended: vec![],
        // What this command is about to write is nothing to adopt.
        adoptable: adopt::pending(&root)?,
    };
    for (path, text) in new_workspace::files(request.hierarchy, name, request.today) {
        if root.create(&path, &text)? { done.created.push(path) } else { done.kept.push(path) }
    }
    for (path, outcome) in extend_git_files(&root)? {
        match outcome {
            Outcome::Created => done.created.push(path),
            Outcome::Kept => done.kept.push(path),
            Outcome::Extended => done.extended.push(path),
        }
    }
    done.default_hierarchy = Config::load(&root)?.hierarchy;
    Ok(done)
}

impl Answer for Initialised {
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
            view.line([span(Role::Warning, format!("⚠️ .heirloom/config.toml says hierarchy = \"{}\", and that stays the default; use --hierarchy {}, or change the setting", self.default_hierarchy, self.hierarchy))]);
        }
        if !self.adoptable.is_empty() {
            let paths: Vec<&str> = self.adoptable.iter().map(Found::path).collect();
            view.blank();
            view.line([
                format!("This repository already has {}; ", paths.join(", ")).into(),
                span(Role::Key, "heir adopt"),
                " reads it where it is".into(),
            ]);
        }
        if self.hierarchy == hierarchy::DEFAULT {
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
