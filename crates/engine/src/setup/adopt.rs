//! `heir adopt`: points a hierarchy at what a repository already has, moving nothing.

mod detect;

use std::fs;
use std::path::Path;

use heirloom_core::{hierarchy, path};
use heirloom_store::journal::{self, Change};
use heirloom_store::{Config, Root, config};
use schemars::JsonSchema;
use serde::Serialize;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::git_files::extend_git_files;
use crate::view::{Role, View, span};
use crate::{Answer, Error};
use detect::{Detected, LOWEST};

pub use detect::Found;

/// What was found and how it is read from now on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Adopted {
    /// The folder.
    root: String,
    /// What was found.
    found: Vec<Found>,
    /// The hierarchy that commands use by default.
    hierarchy: String,
    /// The settings as they are now, or would be.
    config: String,
    /// Whether anything had to be changed.
    changed: bool,
    /// What the default hierarchy does not read; `--hierarchy` may.
    not_read_by_default: Vec<String>,
    /// Whether the repository has more folders than were looked into.
    cut_off: bool,
    /// Whether nothing was really done.
    dry_run: bool,
}

/// The files that it writes, in words.
const WRITTEN: &str =
    ".heirloom/config.toml, and what git should know of it into .gitignore and .gitattributes";

/// What new settings begin with.
const HEADER: &str = "# Settings of this workspace. Every key has a default.\n\n";

/// Finds what is there and, unless it is a dry run, writes the settings that read it. A path that is
/// named is taken alone. Unless the folder is said to be the root, the workspace around it is meant.
pub fn run(
    folder: &Path,
    is_root: bool,
    named: Option<&Path>,
    dry_run: bool,
) -> Result<Adopted, Error> {
    let folder = &fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let around = workspace_of(folder).filter(|_| !is_root);
    let root = Root::new_at(around.unwrap_or(folder))?;
    let detected = match named {
        Some(named) => detect::named(&root, &within(&root, folder, named)?)?,
        None => detect::all(&root),
    };
    if detected.found.is_empty() {
        let looked_for = ".limps/, .memory/, resources/workspaces/, plans/, CLAUDE.md, AGENTS.md, GEMINI.md, rules for Cursor and Copilot, facts of Omegon and folders of decision records";
        return Err(Error::not_found(
            format!("nothing to adopt in {}", root.path().display()),
            vec![],
        )
        .hint(format!(
            "looked for {looked_for}; `heir adopt FOLDER` takes another folder, and `heir init` sets up a new workspace"
        )));
    }
    let settings = settings(&root, &detected)?;
    let changed = settings.before.as_deref() != Some(settings.after.as_str());
    if changed && !dry_run {
        write(&root, settings.before, &settings.after)?;
    }
    Ok(Adopted {
        root: root.path().display().to_string(),
        found: detected.found,
        hierarchy: settings.hierarchy,
        config: settings.after,
        changed,
        not_read_by_default: settings.left,
        cut_off: detected.is_cut_off,
        dry_run,
    })
}

/// Returns what a folder has that its settings do not read yet.
pub(super) fn pending(root: &Root) -> Result<Vec<Found>, Error> {
    let detected = detect::all(root);
    let settings = settings(root, &detected)?;
    let is_pending = settings.before.as_deref() != Some(settings.after.as_str());
    Ok(if is_pending { detected.found } else { vec![] })
}

/// Returns the workspace that a folder lies in, in the same repository.
fn workspace_of(folder: &Path) -> Option<&Path> {
    for folder in folder.ancestors() {
        if folder.join(".heirloom").is_dir() {
            return Some(folder);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// Returns a path that a person named in a folder as one from the root.
fn within(root: &Root, folder: &Path, named: &Path) -> Result<String, Error> {
    let outside = || {
        Error::bad_input(format!("{} is not in {}", named.display(), root.path().display()))
            .hint("name a folder of this repository, or its root with --root")
    };
    let from = folder.strip_prefix(root.path()).unwrap_or(Path::new(""));
    let inner = match named.is_absolute() {
        true => named.strip_prefix(root.path()).map_err(|_| outside())?.to_path_buf(),
        false => from.join(named),
    };
    let written = inner.to_str().ok_or_else(outside)?.replace('\\', "/");
    let inner = path::joined("", &written).ok_or_else(outside)?;
    let is_own = [".heirloom", ".git"].iter().any(|own| path::is_within(&inner, own));
    if inner.is_empty() || is_own { Err(outside()) } else { Ok(inner) }
}

/// The settings before and after adopting.
struct Settings {
    before: Option<String>,
    after: String,
    hierarchy: String,
    /// What the hierarchy has no place for.
    left: Vec<String>,
}

fn settings(root: &Root, detected: &Detected) -> Result<Settings, Error> {
    let before = root.read(config::PATH)?;
    let mut document = parse(before.as_deref().unwrap_or_default())?;
    let hierarchy = choose_hierarchy(&mut document, detected);
    let current = Config::parse(&document.to_string())?;
    let levels = current.find_hierarchy(&hierarchy).map(|found| found.levels).unwrap_or_default();
    let mut left = Vec::new();
    for (level, pattern) in &detected.files {
        let level = if *level == LOWEST {
            levels.first()
        } else {
            levels.iter().find(|own| own.name == *level)
        };
        match level {
            None => left.push(pattern.clone()),
            Some(level)
                if level.patterns().any(|own| own.split('|').any(|own| own == *pattern)) => {}
            Some(level) => add_to_array(&mut document, &["levels", &level.name, "files"], pattern),
        }
    }
    let found = detected.hierarchies.iter().filter(|found| **found != hierarchy);
    left.extend(found.map(|found| format!("the hierarchy `{found}`")));
    left.dedup();
    for folder in &detected.adr_folders {
        let mut read = current.adrs.folders.iter().map(|own| own.trim_end_matches('/'));
        // The subfolders of a folder are read with it.
        if !read.any(|own| path::is_within(folder, own)) {
            add_to_array(&mut document, &["adrs", "folders"], folder);
        }
    }
    let header = if before.is_none() { HEADER } else { "" };
    let after = format!("{header}{document}");
    Config::parse(&after)?;
    Ok(Settings { before, after, hierarchy, left })
}

fn write(root: &Root, before: Option<String>, after: &str) -> Result<(), Error> {
    match before {
        None => drop(root.create(config::PATH, after)?),
        Some(before) => journal::lock(root)?.apply(
            root,
            &[Change {
                path: config::PATH.to_owned(),
                before: Some(before),
                after: after.to_owned(),
            }],
        )?,
    }
    extend_git_files(root)?;
    Ok(())
}

/// A hierarchy that the settings name stays; else the first that was found is the default.
fn choose_hierarchy(document: &mut DocumentMut, detected: &Detected) -> String {
    if let Some(chosen) = document.get("hierarchy").and_then(Item::as_str) {
        return chosen.to_owned();
    }
    let chosen = detected.hierarchies.first().copied().unwrap_or(hierarchy::DEFAULT);
    document["hierarchy"] = value(chosen);
    chosen.to_owned()
}

fn parse(text: &str) -> Result<DocumentMut, Error> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = 1 + error.span().map_or(0, |span| text[..span.start].matches('\n').count());
        Error::bad_input(format!("{}:{line}: {}", config::PATH, error.message().trim()))
    })
}

/// Adds an entry to an array, through tables of either style.
fn add_to_array(document: &mut DocumentMut, path: &[&str], entry: &str) {
    let Some((last, tables)) = path.split_last() else { return };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in tables {
        let item = table.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let Some(next) = item.as_table_like_mut() else { return };
        table = next;
    }
    let item = table.entry(last).or_insert_with(|| value(Array::new()));
    let missing = |array: &Array| !array.iter().any(|own| own.as_str() == Some(entry));
    if let Some(array) = item.as_array_mut().filter(|array| missing(array)) {
        array.push(entry);
    }
}

impl Answer for Adopted {
    fn view(&self) -> View {
        let mut view = View::new();
        let rows = self.found.iter().map(|found| {
            vec![
                span(Role::Source, &found.path),
                found.what.into(),
                span(Role::Dim, format!("({})", found.reason)),
                span(Role::Dim, format!("→ {}", found.read_as)),
            ]
        });
        view.title("Found");
        view.table(&[], rows.collect());
        view.title(match (self.changed, self.dry_run) {
            (false, _) => "The settings stay as they are".to_owned(),
            (true, true) => format!("Would write {WRITTEN}"),
            (true, false) => format!("Wrote {WRITTEN}"),
        });
        if self.changed {
            view.text(self.config.as_str());
        }
        if !self.not_read_by_default.is_empty() {
            let left = self.not_read_by_default.join(", ");
            view.line([span(
                Role::Warning,
                format!("⚠️ the hierarchy `{}` does not read {left}", self.hierarchy),
            )]);
        }
        if self.cut_off {
            view.line([span(
                Role::Warning,
                "⚠️ this repository has more folders than were looked into; `heir adopt FOLDER` takes one",
            )]);
        }
        view.blank();
        view.line([
            "Nothing was moved. See it with ".into(),
            span(Role::Key, "heir context resolve"),
            " and ".into(),
            span(Role::Key, "heir adr list"),
        ]);
        view
    }
}
