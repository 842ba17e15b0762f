//! `heir adopt`: points a hierarchy at what a repository already has, moving nothing.

use heirloom_core::hierarchy;
use heirloom_store::journal::{self, Change};
use heirloom_store::{Config, Root, config};
use schemars::JsonSchema;
use serde::Serialize;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::init;
use crate::view::{Role, View, span};
use crate::{Answer, Error};

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
    /// Whether nothing was really done.
    dry_run: bool,
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Found {
    /// Where.
    path: String,
    /// What it is.
    what: &'static str,
    /// How it is read.
    read_as: String,
}

/// What adopting adds to the settings.
#[derive(Debug, Default)]
struct Plan {
    found: Vec<Found>,
    hierarchies: Vec<&'static str>,
    /// Level and pattern.
    files: Vec<(&'static str, &'static str)>,
    adr_folders: Vec<&'static str>,
    /// What the chosen hierarchy has no place for.
    left: Vec<String>,
}

const NEW_CONFIG: &str = "# Settings of this workspace. Every key has a default.\n";

const ADR_FOLDERS: &[&str] = &[
    "docs/adr",
    "docs/adrs",
    "doc/adr",
    "docs/decisions",
    "docs/architecture/decisions",
    "docs/architecture/adr",
    "docs/architecture-decisions",
    "architecture/decisions",
    "adr",
    "ADR",
    "decisions",
];

/// Files of other tools that every agent reads, lowest first.
const INSTRUCTIONS: &[(&str, &str)] = &[
    ("AGENTS.md", "instructions for agents"),
    ("CLAUDE.md", "instructions for Claude Code"),
    (".github/copilot-instructions.md", "instructions for Copilot"),
];

/// Where Omegon and what came before it keep their facts.
const FACTS: &[&str] =
    &["ai/memory/facts.jsonl", ".omegon/memory/facts.jsonl", ".pi/memory/facts.jsonl"];

/// Finds what is there and, unless it is a dry run, writes the settings that read it.
pub fn run(folder: &std::path::Path, dry_run: bool) -> Result<Adopted, Error> {
    let root = Root::new_at(folder)?;
    let mut plan = look(&root)?;
    if plan.found.is_empty() {
        let looked_for = ".limps/, .memory/, resources/workspaces/, CLAUDE.md, AGENTS.md, .cursor/rules/, facts of Omegon and folders of decision records such as docs/adr";
        return Err(Error::not_found(
            format!("nothing to adopt in {}", root.path().display()),
            vec![],
        )
        .hint(format!("looked for {looked_for}; `heir init` sets up a new workspace")));
    }
    let before = root.read(config::PATH)?;
    let mut document = parse(before.as_deref().unwrap_or(NEW_CONFIG))?;
    let hierarchy = choose_hierarchy(&mut document, &plan);
    let levels = Config::parse(&document.to_string())?
        .find_hierarchy(&hierarchy)
        .map(|found| found.levels)
        .unwrap_or_default();
    for (level, pattern) in &plan.files {
        let level = if *level == "lowest" {
            levels.first()
        } else {
            levels.iter().find(|own| own.name == *level)
        };
        match level {
            None => plan.left.push((*pattern).to_owned()),
            Some(level)
                if level.patterns().any(|own| own.split('|').any(|own| own == *pattern)) => {}
            Some(level) => add_to_array(&mut document, &["levels", &level.name, "files"], pattern),
        }
    }
    plan.left.extend(
        plan.hierarchies
            .iter()
            .filter(|found| **found != hierarchy)
            .map(|found| format!("the hierarchy `{found}`")),
    );
    for folder in &plan.adr_folders {
        add_to_array(&mut document, &["adrs", "folders"], folder);
    }
    let after = document.to_string();
    Config::parse(&after)?;
    let changed = before.as_deref() != Some(after.as_str());
    if changed && !dry_run {
        write(&root, before, &after)?;
    }
    Ok(Adopted {
        root: root.path().display().to_string(),
        found: plan.found,
        hierarchy,
        config: after,
        changed,
        not_read_by_default: plan.left,
        dry_run,
    })
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
    init::extend_git_files(root)?;
    Ok(())
}

fn look(root: &Root) -> Result<Plan, Error> {
    let mut plan = Plan::default();
    let mut note = |path: &str, what: &'static str, read_as: &str| {
        plan.found.push(Found { path: path.to_owned(), what, read_as: read_as.to_owned() });
    };
    if root.is_folder(".limps") {
        note(".limps/", "a limps workspace", "workspace and projects of the hierarchy `plans`");
        plan.hierarchies.push("plans");
        plan.files.extend([
            ("workspace", ".limps/workspace.md"),
            ("workspace", ".limps/context/*.md"),
            ("project", ".limps/projects/{project}/project.md"),
        ]);
        if root.is_folder(".limps/adrs") {
            plan.adr_folders.push(".limps/adrs");
        }
    }
    if root.is_folder(".memory") {
        note(".memory/", "a memory hierarchy of sprints", "the hierarchy `sprints`");
        plan.hierarchies.push("sprints");
    }
    if root.is_folder("resources/workspaces") {
        note(
            "resources/workspaces/",
            "workspaces by domain and repository",
            "the hierarchy `domains`",
        );
        plan.hierarchies.push("domains");
    }
    for (path, what) in INSTRUCTIONS {
        if root.exists(path) {
            note(path, what, "the lowest level, so everything else may override it");
            plan.files.push(("lowest", path));
        }
    }
    let rules = root.list(".cursor/rules").unwrap_or_default();
    for (ending, pattern) in [(".mdc", ".cursor/rules/*.mdc"), (".md", ".cursor/rules/*.md")] {
        if rules.iter().any(|item| !item.is_folder && item.name.ends_with(ending)) {
            note(pattern, "rules for Cursor", "the lowest level");
            plan.files.push(("lowest", pattern));
        }
    }
    for folder in ADR_FOLDERS {
        let holds_records = |folder: &str| {
            root.list(folder).is_ok_and(|items| {
                items.iter().any(|item| {
                    heirloom_core::adr::is_record(&item.name)
                        && heirloom_core::adr::id_of(&item.name).1.is_some()
                })
            })
        };
        if holds_records(folder) {
            note(folder, "decision records", "decision records");
            plan.adr_folders.push(folder);
        }
    }
    for path in FACTS.iter().filter(|path| root.exists(path)) {
        note(
            path,
            "facts of Omegon",
            &format!("memory, once `heir import {path}` has taken them over"),
        );
    }
    Ok(plan)
}

/// A hierarchy that the settings name stays; else the first that was found is the default.
fn choose_hierarchy(document: &mut DocumentMut, plan: &Plan) -> String {
    if let Some(chosen) = document.get("hierarchy").and_then(Item::as_str) {
        return chosen.to_owned();
    }
    let chosen = plan.hierarchies.first().copied().unwrap_or(hierarchy::DEFAULT);
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
                span(Role::Dim, format!("→ {}", found.read_as)),
            ]
        });
        view.title("Found");
        view.table(&[], rows.collect());
        view.title(match (self.changed, self.dry_run) {
            (false, _) => "The settings stay as they are",
            (true, true) => "Would write .heirloom/config.toml",
            (true, false) => "Wrote .heirloom/config.toml",
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
