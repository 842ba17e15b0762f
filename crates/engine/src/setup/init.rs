//! `heir init`: the layout of a workspace, never overwriting anything.

use std::path::Path;

use heirloom_core::hierarchy;
use heirloom_core::lines::newline_of;
use heirloom_store::journal::{self, Change};
use heirloom_store::{Config, Root};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::adopt::{self, Found};
use super::scaffold;
use crate::view::{Role, View, span};
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

const GITIGNORE: &str = "# Heirloom: derived and local files\n.heirloom/cache/\n.heirloom/local/\n";
const GITATTRIBUTES: &str = "# Heirloom: branches that each add memory merge without a conflict\n.heirloom/memory/**/*.jsonl text eol=lf merge=union\n*.memory.md merge=union\n";

const CONTEXT_FILES: [(&str, &str, &str); 5] = [
    ("vision", "Vision", "Where this is going, and why it is worth going there."),
    ("brand", "Brand", "Terminology, tone and style: the words we use, and those we do not."),
    ("architecture", "Architecture", "Technical principles that hold across projects."),
    (
        "nfrs",
        "Non-functional requirements",
        "Security, performance and accessibility that all work must meet.",
    ),
    ("conventions", "Conventions", "Code style, reviews and how changes land."),
];

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
    for (path, text) in files(request.hierarchy, name, request.today) {
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

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Created,
    Kept,
    Extended,
}

/// Makes git ignore what is derived and merge memory by union.
pub(super) fn extend_git_files(root: &Root) -> Result<Vec<(String, Outcome)>, Error> {
    [(".gitignore", GITIGNORE), (".gitattributes", GITATTRIBUTES)]
        .into_iter()
        .map(|(path, lines)| Ok((path.to_owned(), extend(root, path, lines)?)))
        .collect()
}

/// Returns the documents and settings of a new workspace, by path.
pub(super) fn files(hierarchy: &str, name: &str, today: Date) -> Vec<(String, String)> {
    let config = format!(
        "# Settings of this workspace. Every key has a default; `heir` refuses a key that it does not know.\nhierarchy = \"{hierarchy}\"\n\n# [staleness]      # days\n# warning = 14\n# critical = 30\n# archive = 90\n"
    );
    let mut files = vec![(".heirloom/config.toml".to_owned(), config)];
    match hierarchy {
        "sprints" => {
            let claude = format!("# {name}\n\nWhat every agent should know of this project.\n");
            files.push(("CLAUDE.md".to_owned(), claude));
            for (path, text) in [
                (
                    ".memory/project/conventions/general.md",
                    scaffold::context(
                        "general",
                        "Conventions",
                        "Coding standards and patterns.",
                        today,
                    ),
                ),
                (
                    ".memory/sprint/sprint-01/goals.md",
                    scaffold::context(
                        "goals",
                        "Goals of sprint-01",
                        "What this sprint is to achieve.",
                        today,
                    ),
                ),
                (
                    ".memory/sprint/sprint-01/context.md",
                    scaffold::context(
                        "context",
                        "Context of sprint-01",
                        "What is particular to this sprint.",
                        today,
                    ),
                ),
                (
                    ".memory/stage/planning/feedback.md",
                    scaffold::context(
                        "feedback",
                        "Feedback on planning",
                        "What reviews of this stage said.",
                        today,
                    ),
                ),
                (
                    ".memory/agent/planner/prompt.md",
                    scaffold::context("prompt", "Planner", "What the planner is to do.", today),
                ),
            ] {
                files.push((path.to_owned(), text));
            }
        }
        "domains" => {
            let scope = heirloom_core::name::slug(name);
            let scope = if scope.is_empty() { "main".to_owned() } else { scope };
            let overview = |title: &str| {
                format!(
                    "---\nname: {title}\ndescription: What {title} is, in a sentence or two.\ntags: []\nupdated: {today}\n---\n\n# {title}\n\nWhat to know before working here.\n"
                )
            };
            files.push((format!("resources/workspaces/{scope}/OVERVIEW.md"), overview(&scope)));
            files.push((
                format!("resources/workspaces/{scope}/common/OVERVIEW.md"),
                overview("common"),
            ));
            files.push((
                format!("user/memory/workspaces/{scope}/decisions.md"),
                format!("---\nupdated: {today}\n---\n\n# Decisions\n"),
            ));
            files.push((
                format!("user/memory/workspaces/{scope}/lessons.md"),
                format!("---\nupdated: {today}\n---\n\n# Lessons\n"),
            ));
            files.push((
                "agent/rules/common/global-conventions.md".to_owned(),
                scaffold::context(
                    "global-conventions",
                    "Global conventions",
                    "What more than four in five conversations need.",
                    today,
                ),
            ));
        }
        _ => {
            files.push((".heirloom/workspace.md".to_owned(), scaffold::workspace(name, today)));
            files.extend(CONTEXT_FILES.iter().map(|(file, title, about)| {
                (
                    format!(".heirloom/context/{file}.md"),
                    scaffold::context(file, title, about, today),
                )
            }));
            for folder in [".heirloom/adrs", ".heirloom/projects", "plans"] {
                files.push((format!("{folder}/.gitkeep"), String::new()));
            }
        }
    }
    files
}

/// Adds the lines that a file does not have yet, and nothing else.
fn extend(root: &Root, path: &str, lines: &str) -> Result<Outcome, Error> {
    let Some(before) = root.read(path)? else {
        root.create(path, lines)?;
        return Ok(Outcome::Created);
    };
    let has = |line: &str| before.lines().any(|own| own.trim() == line);
    let missing: Vec<&str> = lines.lines().filter(|line| !has(line)).collect();
    if missing.iter().all(|line| line.starts_with('#')) {
        return Ok(Outcome::Kept);
    }
    let newline = newline_of(&before);
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { newline };
    let after = format!("{before}{gap}{}{newline}", missing.join(newline));
    journal::lock(root)?
        .apply(root, &[Change { path: path.to_owned(), before: Some(before), after }])?;
    Ok(Outcome::Extended)
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
