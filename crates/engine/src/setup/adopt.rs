//! `heir adopt`: adds documents that a repository already has to the settings, without moving them.

mod detect;

use std::fs;
use std::path::Path;

use heirloom_core::{Hint, hierarchy, path};
use heirloom_store::journal::{self, FileChange};
use heirloom_store::{Config, Root, config};
use schemars::JsonSchema;
use serde::Serialize;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::git_files::extend_git_files;
use crate::view::{Role, View, span};
use crate::{Answer, Error};
use detect::{Detection, FIRST_LEVEL};

pub use detect::AdoptionCandidate;

/// The result of `heir adopt`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdoptReport {
    /// The folder.
    root: String,
    /// The documents that were found.
    found: Vec<AdoptionCandidate>,
    /// The hierarchy that commands use by default.
    hierarchy: String,
    /// The new settings, written or not.
    config: String,
    /// Whether the settings differ from before.
    changed: bool,
    /// What the default hierarchy does not read; another one, chosen with `--hierarchy`, may.
    not_read_by_default: Vec<String>,
    /// Whether the repository has more folders than were searched.
    cut_off: bool,
    /// Whether nothing was written.
    dry_run: bool,
}

/// The files that are written, for messages.
const WRITTEN_FILES: &str =
    ".heirloom/config.toml, and lines for git in .gitignore and .gitattributes";

/// The beginning of a new settings file.
const HEADER: &str = "# Settings of this workspace. Every key has a default.\n\n";

/// Finds documents to adopt and, unless it is a dry run, writes settings that include them. If a path is
/// named, only that is adopted. Unless `is_root` is set, the workspace that contains the folder is used.
pub fn run(
    folder: &Path,
    is_root: bool,
    target: Option<&Path>,
    dry_run: bool,
) -> Result<AdoptReport, Error> {
    let folder = &fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    let enclosing = workspace_of(folder).filter(|_| !is_root);
    let root = Root::open_new(enclosing.unwrap_or(folder))?;
    let detected = match target {
        Some(target) => detect::at_path(&root, &path_from_root(&root, folder, target)?)?,
        None => detect::all(&root),
    };
    if detected.found.is_empty() {
        let searched = ".limps/, .memory/, resources/workspaces/, plans/, CLAUDE.md, AGENTS.md, GEMINI.md, rules for Cursor and Copilot, facts of Omegon and folders of decision records";
        return Err(Error::not_found(
            format!("nothing to adopt in {}", root.path().display()),
            vec![],
        )
        .hint(
            Hint::text(format!("searched for {searched}; "))
                .command("adopt", &["FOLDER"])
                .then(" adopts another folder, and ")
                .command("init", &[])
                .then(" sets up a new workspace"),
        ));
    }
    let settings = settings(&root, &detected)?;
    let changed = settings.before.as_deref() != Some(settings.after.as_str());
    if changed && !dry_run {
        write(&root, settings.before, &settings.after)?;
    }
    Ok(AdoptReport {
        root: root.path().display().to_string(),
        found: detected.found,
        hierarchy: settings.hierarchy,
        config: settings.after,
        changed,
        not_read_by_default: settings.not_read,
        cut_off: detected.is_cut_off,
        dry_run,
    })
}

/// Returns the documents that could be adopted, if the settings do not include all of them yet.
pub(super) fn pending(root: &Root) -> Result<Vec<AdoptionCandidate>, Error> {
    let detected = detect::all(root);
    let settings = settings(root, &detected)?;
    let is_pending = settings.before.as_deref() != Some(settings.after.as_str());
    Ok(if is_pending { detected.found } else { vec![] })
}

/// Returns the workspace that contains a folder, within the same repository.
pub(super) fn workspace_of(folder: &Path) -> Option<&Path> {
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

/// Converts a path that the user gave relative to a folder into one relative to the root.
fn path_from_root(root: &Root, folder: &Path, target: &Path) -> Result<String, Error> {
    let outside = || {
        Error::bad_input(format!("{} is not in {}", target.display(), root.path().display()))
            .hint("name a folder of this repository, or its root with --root")
    };
    let base = folder.strip_prefix(root.path()).unwrap_or(Path::new(""));
    let inner = match target.is_absolute() {
        true => target.strip_prefix(root.path()).map_err(|_| outside())?.to_path_buf(),
        false => base.join(target),
    };
    let written = inner.to_str().ok_or_else(outside)?.replace('\\', "/");
    let inner = path::resolve_link("", &written).ok_or_else(outside)?;
    let is_reserved = [".heirloom", ".git"].iter().any(|folder| path::is_within(&inner, folder));
    if inner.is_empty() || is_reserved { Err(outside()) } else { Ok(inner) }
}

/// The settings before and after adopting.
struct Settings {
    before: Option<String>,
    after: String,
    hierarchy: String,
    /// What the hierarchy does not read.
    not_read: Vec<String>,
}

fn settings(root: &Root, detected: &Detection) -> Result<Settings, Error> {
    let before = root.read(config::PATH)?;
    let mut document = parse(before.as_deref().unwrap_or_default())?;
    let hierarchy = choose_hierarchy(&mut document, detected);
    let current = Config::parse(&document.to_string())?;
    let levels = current.find_hierarchy(&hierarchy).map(|found| found.levels).unwrap_or_default();
    let mut not_read = Vec::new();
    for (level, pattern) in &detected.files {
        let level = if *level == FIRST_LEVEL {
            levels.first()
        } else {
            levels.iter().find(|found| found.name == *level)
        };
        match level {
            None => not_read.push(pattern.clone()),
            Some(level)
                if level.patterns().any(|all| all.split('|').any(|one| one == *pattern)) => {}
            Some(level) => add_to_array(&mut document, &["levels", &level.name, "files"], pattern),
        }
    }
    let others = detected.hierarchies.iter().filter(|other| **other != hierarchy);
    not_read.extend(others.map(|other| format!("the hierarchy `{other}`")));
    not_read.dedup();
    for folder in &detected.adr_folders {
        let mut read = current.adrs.folders.iter().map(|path| path.trim_end_matches('/'));
        // The subfolders of a folder are read with it.
        if !read.any(|parent| path::is_within(folder, parent)) {
            add_to_array(&mut document, &["adrs", "folders"], folder);
        }
    }
    for searched in &detected.searched {
        let mut read = current.documents.paths.iter().map(|path| path.trim_end_matches('/'));
        if !read.any(|parent| path::is_within(searched, parent)) {
            add_to_array(&mut document, &["documents", "paths"], searched);
        }
    }
    let header = if before.is_none() { HEADER } else { "" };
    let after = format!("{header}{document}");
    Config::parse(&after)?;
    Ok(Settings { before, after, hierarchy, not_read })
}

fn write(root: &Root, before: Option<String>, after: &str) -> Result<(), Error> {
    match before {
        None => drop(root.create(config::PATH, after)?),
        Some(before) => journal::lock(root)?.apply_changes(
            root,
            &[FileChange {
                path: config::PATH.to_owned(),
                before: Some(before),
                after: after.to_owned(),
            }],
        )?,
    }
    extend_git_files(root, &Config::load(root)?)?;
    Ok(())
}

/// Returns the hierarchy that the settings name, or else sets the first that was found.
fn choose_hierarchy(document: &mut DocumentMut, detected: &Detection) -> String {
    if let Some(chosen) = document.get("hierarchy").and_then(Item::as_str) {
        return chosen.to_owned();
    }
    let chosen = detected.hierarchies.first().copied().unwrap_or(hierarchy::DEFAULT_HIERARCHY);
    document["hierarchy"] = value(chosen);
    chosen.to_owned()
}

fn parse(text: &str) -> Result<DocumentMut, Error> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = 1 + error.span().map_or(0, |span| text[..span.start].matches('\n').count());
        Error::bad_input(format!("{}:{line}: {}", config::PATH, error.message().trim()))
    })
}

/// Adds an entry to an array, creating tables as needed; inline tables are supported.
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
    let is_missing = |array: &Array| !array.iter().any(|item| item.as_str() == Some(entry));
    if let Some(array) = item.as_array_mut().filter(|array| is_missing(array)) {
        array.push(entry);
    }
}

impl Answer for AdoptReport {
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
        view.title("Adoptable");
        view.table(&[], rows.collect());
        view.title(match (self.changed, self.dry_run) {
            (false, _) => "The settings are unchanged".to_owned(),
            (true, true) => format!("Would write {WRITTEN_FILES}"),
            (true, false) => format!("Wrote {WRITTEN_FILES}"),
        });
        if self.changed {
            view.text(self.config.as_str());
        }
        if !self.not_read_by_default.is_empty() {
            let not_read = self.not_read_by_default.join(", ");
            view.line([span(
                Role::Warning,
                format!("⚠️ the hierarchy `{}` does not read {not_read}", self.hierarchy),
            )]);
        }
        if self.cut_off {
            view.line([span(
                Role::Warning,
                "⚠️ this repository has more folders than were searched; `heir adopt FOLDER` adopts a single one",
            )]);
        }
        view.blank();
        view.line([
            "Nothing was moved. See the result with ".into(),
            span(Role::Key, "heir context resolve"),
            " and ".into(),
            span(Role::Key, "heir adr list"),
        ]);
        view
    }
}
