//! The workspace of the `scale` measurement: most memories as facts of the log, some in markdown.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::failure::Failure;
use crate::files;
use crate::generate;
use crate::ids::{FIRST_RECORD_MS, uuid_v7};

/// One in so many memories is in a markdown file.
const MEMORIES_PER_MARKDOWN_ENTRY: usize = 20;
/// How many entries a markdown file has.
const ENTRIES_PER_FILE: usize = 100;
/// How many facts a file of the log has.
const FACTS_PER_SHARD: usize = 5_000;
/// How many agents each plan has.
const AGENTS_PER_PLAN: u32 = 10;
/// How many plans there are at least.
const MIN_PLANS: u32 = 10;
/// The time between two facts, in milliseconds.
pub(crate) const FACT_INTERVAL_MS: u64 = 60_000;

const MEMORY_HEAD: &str = "---\ntype: agent-memory\nsessions: 1\nupdated: 2026-01-01\n---\n\n\
                           # Memory\n\n## Findings\n\n";

/// A generated workspace.
pub(super) struct ScaleWorkspace {
    pub(super) root: PathBuf,
    /// How many memories are in markdown files.
    pub(super) in_markdown: usize,
}

/// Generates a workspace that holds memories.
pub(super) fn create(folder: &Path, memories: &[String]) -> Result<ScaleWorkspace, Failure> {
    let files = memories.len() / MEMORIES_PER_MARKDOWN_ENTRY / ENTRIES_PER_FILE;
    let plans = u32::try_from(files).unwrap_or(1) / AGENTS_PER_PLAN + 1;
    let root = generate::workspace(folder, plans.max(MIN_PLANS), AGENTS_PER_PLAN)?.root;
    let is_entry = |number: usize| number.is_multiple_of(MEMORIES_PER_MARKDOWN_ENTRY);
    let (entries, facts): (Vec<_>, Vec<_>) =
        memories.iter().enumerate().partition(|(number, _)| is_entry(*number));
    write_facts(&root, &facts)?;
    write_entries(&root, &entries)?;
    Ok(ScaleWorkspace { root, in_markdown: entries.len() })
}

/// Writes facts to the log, one minute apart.
pub(crate) fn write_facts(root: &Path, facts: &[(usize, &String)]) -> Result<(), Failure> {
    for (shard, facts) in facts.chunks(FACTS_PER_SHARD).enumerate() {
        let mut lines = String::new();
        for (number, memory) in facts {
            let number = *number as u64;
            let millis = FIRST_RECORD_MS + number * FACT_INTERVAL_MS;
            let id = uuid_v7(millis, number);
            let at = jiff::Timestamp::from_millisecond(i64::try_from(millis).unwrap_or_default());
            let at = at.map(|at| at.to_string()).unwrap_or_default();
            let line = json!({
                "v": 1, "id": id, "kind": "fact", "section": "Specs", "content": memory, "at": at, "by": "ada"
            });
            lines.push_str(&format!("{line}\n"));
        }
        let path = root.join(format!(".heirloom/memory/fact/2024-01-{shard:04}.jsonl"));
        files::write(&path, &lines)?;
    }
    Ok(())
}

/// Writes entries to the memory files of agents.
fn write_entries(root: &Path, entries: &[(usize, &String)]) -> Result<(), Failure> {
    let files = agent_memory_files(root)?;
    if files.len() * ENTRIES_PER_FILE < entries.len() {
        return Err(Failure::new("the workspace has too few agents for the memories"));
    }
    for (entries, path) in entries.chunks(ENTRIES_PER_FILE).zip(&files) {
        let mut text = MEMORY_HEAD.to_owned();
        entries.iter().for_each(|(_, memory)| text.push_str(&format!("- {memory}\n")));
        files::write(path, &text)?;
    }
    Ok(())
}

/// Returns the paths of the memory files of all agents.
fn agent_memory_files(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let plans = root.join("plans");
    for plan in fs::read_dir(&plans).map_err(Failure::io("listing", &plans))?.flatten() {
        let folder = plan.path().join("agents");
        for agent in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = agent.file_name().to_string_lossy().into_owned();
            if let Some(stem) = name.strip_suffix(".md").filter(|stem| !stem.ends_with(".memory")) {
                files.push(folder.join(format!("{stem}.memory.md")));
            }
        }
    }
    files.sort();
    Ok(files)
}
