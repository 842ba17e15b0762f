//! `heir adopt`: points a hierarchy at what a repository already has, moving nothing.

use heirloom_core::hierarchy;
use heirloom_store::journal::{self, Change};
use heirloom_store::{Config, Root, config};
use schemars::JsonSchema;
use serde::Serialize;
use toml_edit::{Array, DocumentMut, Item, Table, value};

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
}

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

/// Finds what is there and, unless it is a dry run, writes the settings that read it.
pub fn run(folder: &std::path::Path, dry_run: bool) -> Result<Adopted, Error> {
    let root = Root::new_at(folder)?;
    let plan = look(&root)?;
    if plan.found.is_empty() {
        let looked_for = ".limps/, .memory/, resources/workspaces/, CLAUDE.md, AGENTS.md, .cursor/rules/ and folders of decision records such as docs/adr";
        return Err(Error::not_found(
            format!("nothing to adopt in {}", root.path().display()),
            vec![],
        )
        .hint(format!("looked for {looked_for}; `heir init` sets up a new workspace")));
    }
    let before = root.read(config::PATH)?;
    let mut document: DocumentMut = before
        .as_deref()
        .unwrap_or("# Settings of this workspace. Every key has a default.\n")
        .parse()
        .map_err(|error: toml_edit::TomlError| {
            Error::bad_input(format!("{}: {}", config::PATH, error.message()))
        })?;
    let hierarchy = choose_hierarchy(&mut document, &plan);
    let levels = hierarchy::built_in()
        .shift_remove(&hierarchy)
        .map(|found| found.levels)
        .unwrap_or_default();
    for (level, pattern) in &plan.files {
        let level = if *level == "lowest" {
            levels.first()
        } else {
            levels.iter().find(|own| own.name == *level)
        };
        let reads_it_already = level.is_some_and(|level| {
            level.patterns().any(|own| own.split('|').any(|own| own == *pattern))
        });
        if let Some(level) = level.filter(|_| !reads_it_already) {
            add_to_array(&mut document, &["levels", &level.name, "files"], pattern);
        }
    }
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
        dry_run,
    })
}

fn write(root: &Root, before: Option<String>, after: &str) -> Result<(), Error> {
    match before {
        None => drop(root.create(config::PATH, after)?),
        Some(before) => journal::lock(root)?.apply(
            root,
            &[Change { path: config::PATH.to_owned(), before, after: after.to_owned() }],
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

fn add_to_array(document: &mut DocumentMut, path: &[&str], entry: &str) {
    let Some((last, tables)) = path.split_last() else { return };
    let mut table: &mut Table = document.as_table_mut();
    for key in tables {
        let item = table.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let Some(next) = item.as_table_mut() else { return };
        table = next;
    }
    let item = table.entry(last).or_insert_with(|| value(Array::new()));
    if let Some(array) =
        item.as_array_mut().filter(|array| !array.iter().any(|own| own.as_str() == Some(entry)))
    {
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
            (false, _) => "The settings already read all of it",
            (true, true) => "Would write .heirloom/config.toml",
            (true, false) => "Wrote .heirloom/config.toml",
        });
        if self.changed {
            view.text(self.config.as_str());
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
