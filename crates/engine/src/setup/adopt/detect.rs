//! What a repository has that can be read: by the usual names, and decision records by what they say.

use heirloom_core::{adr, path};
use heirloom_store::Root;
use heirloom_store::walk::{self, Folder};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Error;
use crate::view::present;

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Found {
    /// Where.
    pub(super) path: String,
    /// What it is.
    pub(super) what: &'static str,
    /// What it was recognised by.
    pub(super) reason: String,
    /// How it is read.
    pub(super) read_as: String,
}

impl Found {
    /// Returns where it is.
    pub(in crate::setup) fn path(&self) -> &str {
        &self.path
    }
}

/// What was found, and what adopting it adds to the settings.
#[derive(Debug, Default)]
pub(super) struct Detected {
    pub(super) found: Vec<Found>,
    pub(super) hierarchies: Vec<&'static str>,
    /// Level and pattern; the level `LOWEST` is whichever comes first.
    pub(super) files: Vec<(&'static str, String)>,
    pub(super) adr_folders: Vec<String>,
    /// Whether the repository is larger than what was looked at.
    pub(super) is_cut_off: bool,
}

/// Stands for the first level of the hierarchy, whichever that is.
pub(super) const LOWEST: &str = "lowest";

const AS_LOWEST: &str = "the lowest level, so everything else may override it";

/// Files of other tools that every agent reads, lowest first.
const INSTRUCTIONS: &[(&str, &str)] = &[
    ("AGENTS.md", "instructions for agents"),
    ("CLAUDE.md", "instructions for Claude Code"),
    (".claude/CLAUDE.md", "instructions for Claude Code"),
    ("GEMINI.md", "instructions for Gemini"),
    (".cursorrules", "rules for Cursor"),
    (".windsurfrules", "rules for Windsurf"),
    (".github/copilot-instructions.md", "instructions for Copilot"),
];

/// Where Omegon and what came before it keep their facts.
const FACTS: &[&str] =
    &["ai/memory/facts.jsonl", ".omegon/memory/facts.jsonl", ".pi/memory/facts.jsonl"];

/// Where plans are.
const PLANS: &str = "plans";

/// What folders of decision records are called.
const RECORD_FOLDERS: &[&str] = &[
    "adr",
    "adrs",
    "decisions",
    "decision-records",
    "decision-log",
    "architecture-decisions",
    "architecture-decision-records",
    "architectural-decisions",
    "architectural-decision-records",
    "keps",
];

/// How many files of a folder are read to tell whether they are decision records.
const MAX_READ_FILES: usize = 8;

/// A larger file is no decision record.
const MAX_RECORD_BYTES: u64 = 256 * 1024;

/// Looks for everything that can be adopted.
pub(super) fn all(root: &Root) -> Detected {
    let mut detected = Detected::default();
    detected.take_hierarchies(root);
    detected.take_instructions(root);
    let walk = walk::walk(root);
    detected.is_cut_off = walk.is_cut_off;
    for folder in &walk.folders {
        detected.take_records(root, folder, &walk.folders);
    }
    detected.take_plans(root);
    for path in FACTS.iter().filter(|path| root.exists(path)) {
        let read_as = format!("memory, once `heir import {path}` has taken them over");
        detected.note(path, "facts of Omegon", "the usual name", &read_as);
    }
    detected
}

/// Takes a folder or a file that a person named.
pub(super) fn named(root: &Root, named: &str) -> Result<Detected, Error> {
    let mut detected = Detected::default();
    if !root.is_folder(named) {
        match root.read(named)? {
            Some(_) => detected.take_file(named, "a document", "you named it"),
            None => return Err(Error::not_found(format!("there is no folder `{named}`"), vec![])),
        }
        return Ok(detected);
    }
    let items = root.list(named)?;
    let files: Vec<String> =
        items.into_iter().filter(|item| !item.is_folder).map(|item| item.name).collect();
    let folder = Folder { path: named.to_owned(), files };
    let own = folder.files.iter().filter(|name| is_numbered(name)).count();
    let inner = walk::walk_in(root, named).folders;
    let numbered = own + inner.iter().filter(|inner| is_record_in(inner, &folder)).count();
    let markdown = folder.files.iter().filter(|name| name.ends_with(".md")).count();
    if numbered > 0 || records_by_content(root, &folder).is_some() {
        let reason = format!("you named it; {}", present::count(numbered, "numbered record"));
        detected.note_records(named, &reason);
    } else if markdown > 0 {
        let reason = format!("you named it; {}", present::count(markdown, "document"));
        detected.take_file(&format!("{named}/*.md"), "documents", &reason);
    } else {
        return Err(Error::not_found(
            format!("`{named}` holds no decision records and no markdown"),
            vec![],
        )
        .hint("name the folder that the documents are in"));
    }
    Ok(detected)
}

impl Detected {
    fn note(&mut self, path: &str, what: &'static str, reason: &str, read_as: &str) {
        let (path, reason, read_as) = (path.to_owned(), reason.to_owned(), read_as.to_owned());
        self.found.push(Found { path, what, reason, read_as });
    }

    fn note_records(&mut self, path: &str, reason: &str) {
        self.note(path, "decision records", reason, "decision records");
        self.adr_folders.push(path.to_owned());
    }

    fn take_file(&mut self, pattern: &str, what: &'static str, reason: &str) {
        self.note(pattern, what, reason, AS_LOWEST);
        self.files.push((LOWEST, pattern.to_owned()));
    }

    fn take_hierarchies(&mut self, root: &Root) {
        let usual = "the usual name";
        if root.is_folder(".limps") {
            let read_as = "workspace and projects of the hierarchy `plans`";
            self.note(".limps/", "a limps workspace", usual, read_as);
            self.hierarchies.push("plans");
            let files = [
                ("workspace", ".limps/workspace.md"),
                ("workspace", ".limps/context/*.md"),
                ("project", ".limps/projects/{project}/project.md"),
            ];
            self.files.extend(files.map(|(level, pattern)| (level, pattern.to_owned())));
            if root.is_folder(".limps/adrs") {
                self.adr_folders.push(".limps/adrs".to_owned());
            }
        }
        if root.is_folder(".memory") {
            let what = "a memory hierarchy of sprints";
            self.note(".memory/", what, usual, "the hierarchy `sprints`");
            self.hierarchies.push("sprints");
        }
        if root.is_folder("resources/workspaces") {
            let what = "workspaces by domain and repository";
            self.note("resources/workspaces/", what, usual, "the hierarchy `domains`");
            self.hierarchies.push("domains");
        }
    }

    fn take_instructions(&mut self, root: &Root) {
        for (path, what) in INSTRUCTIONS {
            let items = root.list(path::folder(path)).unwrap_or_default();
            let item = items.into_iter().find(|item| item.name == path::file_name(path));
            // A link leads to one of the others, mostly, and no agent should be told twice.
            if item.is_some_and(|item| !item.is_folder && !item.is_link) {
                self.take_file(path, what, "the usual name");
            }
        }
        let rules = root.list(".cursor/rules").unwrap_or_default();
        for (ending, pattern) in [(".mdc", ".cursor/rules/*.mdc"), (".md", ".cursor/rules/*.md")] {
            let count =
                rules.iter().filter(|item| !item.is_folder && item.name.ends_with(ending)).count();
            if count > 0 {
                self.take_file(pattern, "rules for Cursor", &present::count(count, "rule"));
            }
        }
    }

    /// Takes a folder of decision records. Those of its subfolders are read with it.
    fn take_records(&mut self, root: &Root, folder: &Folder, all: &[Folder]) {
        let is_within = |own: &String| path::is_within(&folder.path, own);
        if folder.path.is_empty() || self.adr_folders.iter().any(is_within) {
            return;
        }
        let name = path::file_name(&folder.path).to_lowercase().replace('_', "-");
        if RECORD_FOLDERS.contains(&name.as_str()) {
            let own = folder.files.iter().filter(|file| is_numbered(file)).count();
            let numbered = own + all.iter().filter(|inner| is_record_in(inner, folder)).count();
            if numbered > 0 {
                let count = present::count(numbered, "numbered record");
                let reason = format!("called `{}`; {count}", path::file_name(&folder.path));
                self.note_records(&folder.path, &reason);
                return;
            }
        }
        // The numbered files of a plan are its agents.
        if path::is_within(&folder.path, PLANS) {
            return;
        }
        if let Some(reason) = records_by_content(root, folder) {
            self.note_records(&folder.path, &reason);
        }
    }

    fn take_plans(&mut self, root: &Root) {
        let items = root.list(PLANS).unwrap_or_default();
        let is_plan = |name: &str| {
            let files = root.list(&format!("{PLANS}/{name}")).unwrap_or_default();
            let mut files = files.iter().filter(|item| !item.is_folder);
            files.any(|item| item.name == "plan.md" || item.name.ends_with("-plan.md"))
        };
        let folders = items.iter().filter(|item| item.is_folder && !item.is_link);
        let plans = folders.filter(|item| is_plan(&item.name)).count();
        if plans > 0 {
            let reason = format!("{} with a plan's document", present::count(plans, "folder"));
            self.note("plans/", "plans", &reason, "plans of the hierarchy `plans`");
            self.hierarchies.push("plans");
        }
        let is_flat = |name: &str| {
            let lower = name.to_lowercase();
            lower.ends_with(".md") && !matches!(path::stem(&lower), "readme" | "index" | "roadmap")
        };
        let flat = items.iter().filter(|item| !item.is_folder && is_flat(&item.name)).count();
        if flat > 0 {
            let reason = present::count(flat, "document");
            let read_as = "nothing yet: a plan is a folder with a `plan.md` in it";
            self.note("plans/*.md", "plans", &reason, read_as);
        }
    }
}

/// Returns whether a file is a numbered record by its name.
fn is_numbered(file: &str) -> bool {
    adr::is_record(file) && adr::id_of(file).1.is_some()
}

/// Returns whether a folder is a record by itself (`1729-images/README.md` beside `kep.yaml`), somewhere
/// in another.
fn is_record_in(inner: &Folder, folder: &Folder) -> bool {
    let has = |name: &str| inner.files.iter().any(|file| file == name);
    let readme = format!("{}/README.md", inner.path);
    path::is_within(&inner.path, &folder.path)
        && adr::folder_name(&readme).is_some()
        && has("README.md")
        && has(adr::METADATA)
}

/// Returns by what a folder is recognised as one of decision records: several of its files are
/// numbered and have the sections of a record.
fn records_by_content(root: &Root, folder: &Folder) -> Option<String> {
    let is_small = |file: &&String| {
        let metadata = root.metadata(&format!("{}/{file}", folder.path));
        matches!(metadata, Ok(Some(metadata)) if metadata.len() <= MAX_RECORD_BYTES)
    };
    let numbered = folder.files.iter().filter(|file| is_numbered(file) && !file.ends_with(".rst"));
    let read: Vec<&String> = numbered.filter(is_small).take(MAX_READ_FILES).collect();
    if read.len() < 2 {
        return None;
    }
    let is_record = |file: &&&String| {
        let text = root.read(&format!("{}/{file}", folder.path)).ok().flatten();
        text.is_some_and(|text| adr::has_sections(file, &text))
    };
    let records = read.iter().filter(is_record).count();
    (records >= 2 && records * 2 >= read.len()).then(|| {
        format!("{records} of {} numbered files have the sections of a decision record", read.len())
    })
}
