//! Finds documents that can be adopted: by their usual names, and decision records by their content.

use heirloom_core::hot::generated::{self, GeneratedState};
use heirloom_core::{adr, path};
use heirloom_store::walk::{self, Folder};
use heirloom_store::{Root, layout};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Error;
use crate::view::present;

/// A file or a folder that can be adopted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AdoptionCandidate {
    /// The path or pattern.
    pub(super) path: String,
    /// What it is.
    pub(super) what: &'static str,
    /// Why it was recognised.
    pub(super) reason: String,
    /// How it is read after adoption.
    pub(super) read_as: String,
}

impl AdoptionCandidate {
    /// Returns the path.
    pub(in crate::setup) fn path(&self) -> &str {
        &self.path
    }
}

/// What was found, and what its adoption adds to the settings.
#[derive(Debug, Default)]
pub(super) struct Detection {
    pub(super) found: Vec<AdoptionCandidate>,
    pub(super) hierarchies: Vec<&'static str>,
    /// Level and pattern; `FIRST_LEVEL` stands for the first level.
    pub(super) files: Vec<(&'static str, String)>,
    pub(super) adr_folders: Vec<String>,
    /// Files and folders of documents that are only searched.
    pub(super) searched: Vec<String>,
    /// Whether the repository has more folders than were searched.
    pub(super) is_cut_off: bool,
}

/// Stands for the first level of the hierarchy.
pub(super) const FIRST_LEVEL: &str = "lowest";

const READ_AS_LOWEST: &str = "the lowest level, so everything else may override it";

/// Instruction files of other tools, lowest priority first: path and description.
const INSTRUCTIONS: &[(&str, &str)] = &[
    ("AGENTS.md", "instructions for agents"),
    ("CLAUDE.md", "instructions for Claude Code"),
    (".claude/CLAUDE.md", "instructions for Claude Code"),
    ("GEMINI.md", "instructions for Gemini"),
    (".cursorrules", "rules for Cursor"),
    (".windsurfrules", "rules for Windsurf"),
    (".github/copilot-instructions.md", "instructions for Copilot"),
];

/// Usual names of documents about a repository, in lower case without the extension.
const DOCUMENT_NAMES: &[&str] =
    &["readme", "contributing", "architecture", "development", "hacking", "glossary"];

/// Usual names of folders of documents.
const DOCUMENT_FOLDERS: &[&str] = &["doc", "docs", "documentation"];

/// A folder with more documents is not proposed: it is mostly generated, or a website.
const MAX_DOCUMENTS: usize = 500;

const READ_AS_SEARCHED: &str = "documents that recall finds, and that contexts point to";

/// Fact files of Omegon and its predecessors.
const OMEGON_FACTS: &[&str] =
    &["ai/memory/facts.jsonl", ".omegon/memory/facts.jsonl", ".pi/memory/facts.jsonl"];

/// The folder of plans.
const PLANS_FOLDER: &str = "plans";

/// Usual names of folders of decision records.
const RECORD_FOLDER_NAMES: &[&str] = &[
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

/// Limits the files of a folder that are read to recognise decision records.
const MAX_SAMPLED_FILES: usize = 8;

/// A larger file is not a decision record.
const MAX_RECORD_BYTES: u64 = 256 * 1024;

/// Finds everything that can be adopted.
pub(super) fn all(root: &Root) -> Detection {
    let mut detection = Detection::default();
    detection.add_hierarchies(root);
    detection.add_instructions(root);
    let walk = walk::walk(root);
    detection.is_cut_off = walk.is_cut_off;
    for folder in &walk.folders {
        detection.add_records(root, folder, &walk.folders);
    }
    detection.add_plans(root);
    for path in OMEGON_FACTS.iter().filter(|path| root.exists(path)) {
        let read_as = format!("memory, once `heir import {path}` has imported them");
        detection.add(path, "facts of Omegon", "the usual name", &read_as);
    }
    // Nearly every repository has a README.md, so documents alone are no reason to adopt it.
    if !detection.found.is_empty() {
        detection.add_documents(&walk.folders);
    }
    detection
}

/// Adopts a folder or a file that the user named.
pub(super) fn at_path(root: &Root, target: &str) -> Result<Detection, Error> {
    let mut detection = Detection::default();
    if !root.is_folder(target) {
        match root.read(target)? {
            Some(_) => detection.add_file(target, "a document", "you named it"),
            None => {
                return Err(Error::not_found(
                    format!("there is no file or folder `{target}`"),
                    vec![],
                ));
            }
        }
        return Ok(detection);
    }
    let items = root.list(target)?;
    let files: Vec<String> =
        items.into_iter().filter(|item| !item.is_folder).map(|item| item.name).collect();
    let folder = Folder { path: target.to_owned(), files };
    let files = folder.files.iter().filter(|name| is_numbered(name)).count();
    let inner = walk::walk_in(root, target).folders;
    let numbered = files + inner.iter().filter(|inner| is_record_in(inner, &folder)).count();
    let markdown = folder.files.iter().filter(|name| name.ends_with(".md")).count();
    if numbered > 0 || records_by_content(root, &folder).is_some() {
        let reason = format!("you named it; {}", present::count(numbered, "numbered record"));
        detection.add_record_folder(target, &reason);
    } else if markdown > 0 {
        let reason = format!("you named it; {}", present::count(markdown, "document"));
        detection.add_file(&format!("{target}/*.md"), "documents", &reason);
    } else {
        return Err(Error::not_found(
            format!("`{target}` contains no decision records and no markdown files"),
            vec![],
        )
        .hint("name the folder that contains the documents"));
    }
    Ok(detection)
}

impl Detection {
    fn add(&mut self, path: &str, what: &'static str, reason: &str, read_as: &str) {
        let (path, reason, read_as) = (path.to_owned(), reason.to_owned(), read_as.to_owned());
        self.found.push(AdoptionCandidate { path, what, reason, read_as });
    }

    fn add_record_folder(&mut self, path: &str, reason: &str) {
        self.add(path, "decision records", reason, "decision records");
        self.adr_folders.push(path.to_owned());
    }

    fn add_file(&mut self, pattern: &str, what: &'static str, reason: &str) {
        self.add(pattern, what, reason, READ_AS_LOWEST);
        self.files.push((FIRST_LEVEL, pattern.to_owned()));
    }

    fn add_hierarchies(&mut self, root: &Root) {
        let reason = "the usual name";
        if root.is_folder(".limps") {
            let read_as = "workspace and projects of the hierarchy `plans`";
            self.add(".limps/", "a limps workspace", reason, read_as);
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
            self.add(".memory/", what, reason, "the hierarchy `sprints`");
            self.hierarchies.push("sprints");
        }
        if root.is_folder("resources/workspaces") {
            let what = "workspaces by domain and repository";
            self.add("resources/workspaces/", what, reason, "the hierarchy `domains`");
            self.hierarchies.push("domains");
        }
    }

    fn add_instructions(&mut self, root: &Root) {
        for (path, what) in INSTRUCTIONS {
            let items = root.list(path::folder(path)).unwrap_or_default();
            let item = items.into_iter().find(|item| item.name == path::file_name(path));
            // A symbolic link mostly points to one of the other files, which is read already.
            if item.is_some_and(|item| !item.is_folder && !item.is_link) {
                self.add_file(path, what, "the usual name");
            }
        }
        let rules = root.list(".cursor/rules").unwrap_or_default();
        // What `hot link` put there is read from its source.
        let is_generated = |name: &str| {
            let text = root.read(&format!(".cursor/rules/{name}")).ok().flatten();
            text.is_some_and(|text| generated::file_state(&text) == GeneratedState::Unchanged)
        };
        for (extension, pattern) in [(".mdc", ".cursor/rules/*.mdc"), (".md", ".cursor/rules/*.md")]
        {
            let count = rules
                .iter()
                .filter(|item| !item.is_folder && item.name.ends_with(extension))
                .filter(|item| !item.is_link && !is_generated(&item.name))
                .count();
            if count > 0 {
                self.add_file(pattern, "rules for Cursor", &present::count(count, "rule"));
            }
        }
    }

    /// Adds a folder of decision records, unless a parent was added, which includes it.
    fn add_records(&mut self, root: &Root, folder: &Folder, all: &[Folder]) {
        let is_within = |parent: &String| path::is_within(&folder.path, parent);
        if folder.path.is_empty() || self.adr_folders.iter().any(is_within) {
            return;
        }
        let name = path::file_name(&folder.path).to_lowercase().replace('_', "-");
        if RECORD_FOLDER_NAMES.contains(&name.as_str()) {
            let files = folder.files.iter().filter(|file| is_numbered(file)).count();
            let numbered = files + all.iter().filter(|inner| is_record_in(inner, folder)).count();
            if numbered > 0 {
                let count = present::count(numbered, "numbered record");
                let reason = format!("called `{}`; {count}", path::file_name(&folder.path));
                self.add_record_folder(&folder.path, &reason);
                return;
            }
        }
        // The numbered files in a plan are its agents.
        if path::is_within(&folder.path, PLANS_FOLDER) {
            return;
        }
        if let Some(reason) = records_by_content(root, folder) {
            self.add_record_folder(&folder.path, &reason);
        }
    }

    /// Adds documents about the repository, and folders of documents besides decision records.
    fn add_documents(&mut self, folders: &[Folder]) {
        let top = folders.iter().find(|folder| folder.path.is_empty());
        for name in top.into_iter().flat_map(|folder| &folder.files) {
            let lower = name.to_lowercase();
            if layout::is_markdown(name) && DOCUMENT_NAMES.contains(&path::stem(&lower)) {
                self.add_searched(name, "a document", "the usual name");
            }
        }
        for named in folders.iter().filter(|it| DOCUMENT_FOLDERS.contains(&it.path.as_str())) {
            let is_record_folder =
                |inner: &Folder| self.adr_folders.iter().any(|it| path::is_within(&inner.path, it));
            let inner = folders.iter().filter(|inner| {
                path::is_within(&inner.path, &named.path) && !is_record_folder(inner)
            });
            let files = inner.flat_map(|inner| &inner.files);
            let count = files.filter(|file| layout::is_markdown(file)).count();
            if (1..=MAX_DOCUMENTS).contains(&count) {
                self.add_searched(&named.path, "documents", &present::count(count, "document"));
            }
        }
    }

    fn add_searched(&mut self, path: &str, what: &'static str, reason: &str) {
        self.add(path, what, reason, READ_AS_SEARCHED);
        self.searched.push(path.to_owned());
    }

    fn add_plans(&mut self, root: &Root) {
        let items = root.list(PLANS_FOLDER).unwrap_or_default();
        let is_plan = |name: &str| {
            let files = root.list(&format!("{PLANS_FOLDER}/{name}")).unwrap_or_default();
            let mut files = files.iter().filter(|item| !item.is_folder);
            files.any(|item| item.name == "plan.md" || item.name.ends_with("-plan.md"))
        };
        let folders = items.iter().filter(|item| item.is_folder && !item.is_link);
        let plans = folders.filter(|item| is_plan(&item.name)).count();
        if plans > 0 {
            let reason = format!("{} with a plan's document", present::count(plans, "folder"));
            self.add("plans/", "plans", &reason, "plans of the hierarchy `plans`");
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
            self.add("plans/*.md", "plans", &reason, read_as);
        }
    }
}

/// Returns whether a file name is that of a numbered record.
fn is_numbered(file: &str) -> bool {
    adr::is_adr_file_name(file) && adr::derive_id(file).1.is_some()
}

/// Returns whether a folder is a record (`1729-images/README.md` with `kep.yaml`) and lies within another
/// folder.
fn is_record_in(inner: &Folder, folder: &Folder) -> bool {
    let has = |name: &str| inner.files.iter().any(|file| file == name);
    let readme = format!("{}/README.md", inner.path);
    path::is_within(&inner.path, &folder.path)
        && adr::folder_name(&readme).is_some()
        && has("README.md")
        && has(adr::METADATA_FILE_NAME)
}

/// Recognises a folder of decision records by its content and returns the reason: at least two numbered
/// files, and at least half of those sampled, have the sections of a record.
fn records_by_content(root: &Root, folder: &Folder) -> Option<String> {
    let is_small = |file: &&String| {
        let metadata = root.metadata(&format!("{}/{file}", folder.path));
        matches!(metadata, Ok(Some(metadata)) if metadata.len() <= MAX_RECORD_BYTES)
    };
    let numbered = || {
        let files = folder.files.iter();
        files.filter(|file| is_numbered(file) && !path::is_restructured_text(file))
    };
    let sampled: Vec<&String> = numbered().filter(is_small).take(MAX_SAMPLED_FILES).collect();
    if sampled.len() < 2 {
        return None;
    }
    let is_record = |file: &&&String| {
        let text = root.read(&format!("{}/{file}", folder.path)).ok().flatten();
        text.is_some_and(|text| adr::has_adr_sections(file, &text))
    };
    let records = sampled.iter().filter(is_record).count();
    let (looked_at, all) = (sampled.len(), numbered().count());
    (records >= 2 && records * 2 >= looked_at).then(|| match looked_at == all {
        true => format!("{records} of {all} numbered files have the sections of a decision record"),
        false => format!(
            "{all} numbered files; {records} of the first {looked_at} have the sections of a decision record"
        ),
    })
}
