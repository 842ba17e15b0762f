//! The lines that a workspace needs in `.gitignore` and `.gitattributes`.

use heirloom_core::hierarchy::{Hierarchy, Level};
use heirloom_core::lines::detect_newline;
use heirloom_core::memory::learning;
use heirloom_store::journal::{self, FileChange};
use heirloom_store::{Config, Root};

use crate::Error;

const GITIGNORE: &str = "# Heirloom: derived and local files\n.heirloom/cache/\n.heirloom/local/\n";
const GITATTRIBUTES: &str = "# Heirloom: branches that each add memory merge without a conflict\n.heirloom/memory/**/*.jsonl text eol=lf merge=union\n*.memory.md merge=union\n";

/// How a file was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileOutcome {
    Created,
    Kept,
    Extended,
}

/// Makes git ignore derived files and merge memory files by union.
pub(super) fn extend_git_files(
    root: &Root,
    config: &Config,
) -> Result<Vec<(String, FileOutcome)>, Error> {
    let hierarchy = config.find_hierarchy(&config.hierarchy);
    let learnings = hierarchy.iter().flat_map(learning_attributes);
    let attributes = format!("{GITATTRIBUTES}{}", learnings.collect::<String>());
    [(".gitignore", GITIGNORE), (".gitattributes", attributes.as_str())]
        .into_iter()
        .map(|(path, lines)| Ok((path.to_owned(), extend(root, path, lines)?)))
        .collect()
}

/// Returns the lines that merge the files of decisions and lessons of a hierarchy by union.
fn learning_attributes(hierarchy: &Hierarchy) -> impl Iterator<Item = String> {
    let patterns = hierarchy.levels.iter().flat_map(Level::patterns);
    let alternatives = patterns.flat_map(|pattern| pattern.split('|'));
    // Git reads a pattern up to the first space.
    let is_named = |one: &&str| {
        learning::kind_of_file(one).is_some() && !one.contains([' ', '"']) && !one.starts_with('!')
    };
    let line = |one: &str| {
        let parts = one.split('/').map(|part| if part.starts_with('{') { "*" } else { part });
        // A pattern without a slash would match in every folder.
        let root = if one.contains('/') { "" } else { "/" };
        format!("{root}{} merge=union\n", parts.collect::<Vec<_>>().join("/"))
    };
    alternatives.filter(is_named).map(line)
}

/// Adds the lines that a file does not contain yet.
fn extend(root: &Root, path: &str, lines: &str) -> Result<FileOutcome, Error> {
    let Some(before) = root.read(path)? else {
        root.create(path, lines)?;
        return Ok(FileOutcome::Created);
    };
    let has = |line: &str| before.lines().any(|existing| existing.trim() == line);
    let missing: Vec<&str> = lines.lines().filter(|line| !has(line)).collect();
    if missing.iter().all(|line| line.starts_with('#')) {
        return Ok(FileOutcome::Kept);
    }
    let newline = detect_newline(&before);
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { newline };
    let after = format!("{before}{gap}{}{newline}", missing.join(newline));
    journal::lock(root)?.apply_changes(
        root,
        &[FileChange { path: path.to_owned(), before: Some(before), after }],
    )?;
    Ok(FileOutcome::Extended)
}
