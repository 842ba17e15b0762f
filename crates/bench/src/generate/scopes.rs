//! A generated workspace of the hierarchy `domains`: plans, overviews and learnings in scopes.

use std::fs;
use std::path::{Path, PathBuf};

use super::commit;
use crate::failure::Failure;
use crate::files;
use crate::prose::Prose;

/// The name of the only workspace.
pub(crate) const WORKSPACE: &str = "devtools";

const DOMAINS: u32 = 5;
const REPOSITORIES_PER_DOMAIN: u32 = 4;
/// The entries of each file of decisions or lessons.
const LEARNINGS_PER_FILE: u32 = 20;
/// The plans for each document in `_features`, `_spikes` or `_architecture`.
const PLANS_PER_FURTHER_DOCUMENT: u32 = 20;
const STATUSES: [&str; 5] = ["new", "in_progress", "partial", "done", "abandoned"];
const FURTHER_FOLDERS: [&str; 3] = ["_features", "_spikes", "_architecture"];

/// Writes a workspace with `plans` plans into `root`, and commits it. Returns the canonical path of the root.
pub(crate) fn scopes_workspace(root: &Path, plans: u32) -> Result<PathBuf, Failure> {
    fs::create_dir_all(root).map_err(Failure::io("making", root))?;
    let root = root.canonicalize().map_err(Failure::io("finding", root))?;
    let write = |path: &str, text: &str| files::write(&root.join(path), text);
    write(".gitignore", ".heirloom/cache/\n")?;
    write(".heirloom/config.toml", "hierarchy = \"domains\"\n")?;
    let scopes = scopes();
    for scope in &scopes {
        let path = format!("resources/workspaces/{scope}/OVERVIEW.md");
        write(&path, &overview(scope, &mut Prose::of(&path)))?;
        if scope.split('/').count() < 3 {
            for file in ["decisions", "lessons"] {
                let path = format!("user/memory/workspaces/{scope}/{file}.md");
                write(&path, &learnings(&mut Prose::of(&path)))?;
            }
        }
    }
    for number in 0..plans {
        // The workspace itself has no plans.
        let scope = &scopes[1 + number as usize % (scopes.len() - 1)];
        let (month, day) = (1 + number / 28 % 12, 1 + number % 28);
        let path =
            format!("resources/workspaces/{scope}/_plans/26{month:02}{day:02}-{number:04}.md");
        let created = format!("2026-{month:02}-{day:02}");
        write(&path, &plan(number, &created, &mut Prose::of(&path)))?;
        if number % PLANS_PER_FURTHER_DOCUMENT == 0 {
            let folder = FURTHER_FOLDERS[number as usize / 20 % FURTHER_FOLDERS.len()];
            let path = format!("resources/workspaces/{scope}/{folder}/{number:04}.md");
            write(&path, &overview(scope, &mut Prose::of(&path)))?;
        }
    }
    commit(&root)?;
    Ok(root)
}

/// Returns the workspace, its domains and their repositories.
fn scopes() -> Vec<String> {
    let mut scopes = vec![WORKSPACE.to_owned()];
    for domain in 0..DOMAINS {
        scopes.push(format!("{WORKSPACE}/domain-{domain}"));
        let repositories = 0..REPOSITORIES_PER_DOMAIN;
        scopes
            .extend(repositories.map(|at| format!("{WORKSPACE}/domain-{domain}/repository-{at}")));
    }
    scopes
}

fn overview(scope: &str, prose: &mut Prose) -> String {
    format!(
        "---\nname: {}\ndescription: {}\ntags: [{}, {}]\nupdated: {}\n---\n\n# {scope}\n\n{}\n{}",
        prose.title(),
        prose.sentence(),
        prose.word(),
        prose.word(),
        prose.date(),
        prose.section("Purpose"),
        prose.section("Parts"),
    )
}

fn plan(number: u32, created: &str, prose: &mut Prose) -> String {
    let status = STATUSES[number as usize % STATUSES.len()];
    format!(
        "---\nname: {}\ndescription: {}\nstatus: {status}\ncreated: {created}\nupdated: 2026-02-19\n\
         tags: [{}, {}]\n---\n\n# Plan\n\n{}\n{}\n## Steps\n\n{}\n",
        prose.title(),
        prose.sentence(),
        prose.word(),
        prose.word(),
        prose.section("Scope"),
        prose.section("Design"),
        prose.list(8),
    )
}

fn learnings(prose: &mut Prose) -> String {
    let entries = (0..LEARNINGS_PER_FILE).map(|_| {
        format!(
            "### [{}] {}\n\n**Category:** {}\n**Tags:** {}, {}\n\n{}\n\n---\n\n",
            prose.date(),
            prose.title(),
            prose.word(),
            prose.word(),
            prose.word(),
            prose.paragraph(2),
        )
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_is_in_a_scope() {
        let temp = tempfile::tempdir().unwrap();
        let root = scopes_workspace(temp.path(), 60).unwrap();
        let plans = scopes().into_iter().map(|scope| {
            let folder = root.join(format!("resources/workspaces/{scope}/_plans"));
            fs::read_dir(folder).map_or(0, Iterator::count)
        });
        assert_eq!(plans.sum::<usize>(), 60);
    }
}
