//! A generated workspace of any number of plans, byte for byte the same on every machine.

pub(crate) mod scopes;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use heirloom_testkit::isolate_git;
use serde::Serialize;

use crate::documents::{self, PROJECTS};
use crate::failure::Failure;
use crate::files;
use crate::numbers::count;
use crate::prose::Prose;

const CONTEXT_DOCUMENTS: [&str; 5] = ["vision", "brand", "architecture", "nfrs", "conventions"];
const DECISION_RECORDS: u32 = 12;
/// The date of the commit.
const COMMIT_DATE: &str = "2026-02-20T12:00:00Z";

/// A generated workspace on disk.
pub(crate) struct Workspace {
    /// The canonical path of its root, a git repository.
    pub(crate) root: PathBuf,
    /// Its plans, in order of their numbers.
    pub(crate) plans: Vec<Plan>,
    pub(crate) size: WorkspaceSize,
}

/// The full names of a plan and of its agents.
pub(crate) struct Plan {
    /// `0042-invoice-cache-export`.
    pub(crate) name: String,
    /// `001-schema-loader`, in order.
    pub(crate) agents: Vec<String>,
}

/// The size of a workspace.
#[derive(Serialize)]
pub(crate) struct WorkspaceSize {
    pub(crate) plans: usize,
    /// How many agents each plan has.
    pub(crate) agents: usize,
    /// How many markdown documents there are.
    pub(crate) documents: usize,
    /// The size of all documents.
    pub(crate) bytes: usize,
}

impl fmt::Display for WorkspaceSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (plans, documents) = (count(self.plans), count(self.documents));
        let (agents, kilobytes) = (self.agents, count(self.bytes / 1000));
        write!(f, "{plans} plans with {agents} agents each: {documents} documents, {kilobytes} KB")
    }
}

/// Writes a workspace of `plans` plans with `agents` agents each into `root`, and commits it.
pub(crate) fn workspace(root: &Path, plans: u32, agents: u32) -> Result<Workspace, Failure> {
    fs::create_dir_all(root).map_err(Failure::io("making", root))?;
    let root = root.canonicalize().map_err(Failure::io("finding", root))?;
    let size =
        WorkspaceSize { plans: plans as usize, agents: agents as usize, documents: 0, bytes: 0 };
    let mut workspace = Workspace { root, plans: Vec::new(), size };

    workspace.write_file(".gitignore", ".heirloom/cache/\n")?;
    workspace.write_file(
        ".gitattributes",
        "*.jsonl text eol=lf merge=union\n*.memory.md merge=union\n",
    )?;
    workspace.write_file(".heirloom/config.toml", "# Every setting has its default.\n")?;
    workspace.write_document(".heirloom/workspace.md", documents::workspace_document)?;
    for name in CONTEXT_DOCUMENTS {
        workspace.write_document(&format!(".heirloom/context/{name}.md"), |prose| {
            documents::context_document(name, prose)
        })?;
    }
    for number in 1..=DECISION_RECORDS {
        let slug = slug(&mut Prose::of(&format!("adr {number}")), 2);
        workspace
            .write_document(&format!(".heirloom/adrs/ADR-{number:04}-{slug}.md"), |prose| {
                documents::adr(number, prose)
            })?;
    }
    for project in PROJECTS {
        let path = format!(".heirloom/projects/{project}/project.md");
        workspace.write_document(&path, |prose| documents::project_document(project, prose))?;
    }
    for number in 1..=plans {
        let plan = workspace.write_plan(number, agents)?;
        workspace.plans.push(plan);
    }
    commit(&workspace.root)?;
    Ok(workspace)
}

impl Workspace {
    fn write_plan(&mut self, number: u32, agents: u32) -> Result<Plan, Failure> {
        let mut names = Prose::of(&format!("plan {number}"));
        let name = format!("{number:04}-{}", slug(&mut names, 3));
        let folder = format!("plans/{name}");
        let agents: Vec<_> =
            (1..=agents).map(|agent| format!("{agent:03}-{}", slug(&mut names, 2))).collect();

        self.write_document(&format!("{folder}/{name}-plan.md"), |prose| {
            documents::plan_document(number, prose)
        })?;
        if number % 2 == 1 {
            self.write_document(&format!("{folder}/context.md"), |prose| {
                documents::context_document("plan context", prose)
            })?;
        }
        if number % 3 != 2 {
            self.write_document(&format!("{folder}/plan.memory.md"), |prose| {
                documents::plan_memory(&name, prose)
            })?;
        }
        for (order, agent) in agents.iter().enumerate() {
            self.write_document(&format!("{folder}/agents/{agent}.md"), |prose| {
                documents::agent_document(&name, prose)
            })?;
            if order % 2 == 0 {
                let path = format!("{folder}/agents/{agent}.memory.md");
                self.write_document(&path, |prose| documents::agent_memory(&name, agent, prose))?;
            }
        }
        Ok(Plan { name, agents })
    }

    fn write_document(
        &mut self,
        path: &str,
        document: impl FnOnce(&mut Prose) -> String,
    ) -> Result<(), Failure> {
        let text = document(&mut Prose::of(path));
        self.size.documents += 1;
        self.size.bytes += text.len();
        self.write_file(path, &text)
    }

    fn write_file(&self, path: &str, text: &str) -> Result<(), Failure> {
        files::write(&self.root.join(path), text)
    }
}

fn slug(prose: &mut Prose, words: usize) -> String {
    let words: Vec<_> = (0..words).map(|_| prose.word()).collect();
    words.join("-")
}

/// Commits everything in `root`, independent of the clock.
fn commit(root: &Path) -> Result<(), Failure> {
    git(root, &["init", "-q", "-b", "main"])?;
    git(root, &["add", "-A"])?;
    git(root, &["commit", "-q", "-m", "workspace: generated"])
}

/// Runs git without its housekeeping, which would run in the background of the timed commands.
fn git(root: &Path, arguments: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("git");
    isolate_git(&mut command);
    let output = command
        .env("GIT_AUTHOR_DATE", COMMIT_DATE)
        .env("GIT_COMMITTER_DATE", COMMIT_DATE)
        .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "commit.gpgSign=false"])
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(Failure::io("running git in", root))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let command = format!("git {}", arguments.join(" "));
            Err(Failure::command(command, output.status, &output.stderr))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::workspace;

    fn documents(root: &Path) -> BTreeMap<String, String> {
        let mut documents = BTreeMap::new();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    if !path.ends_with(".git") {
                        folders.push(path);
                    }
                } else if path.extension().is_some_and(|extension| extension == "md") {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                    documents.insert(name, fs::read_to_string(path).unwrap());
                }
            }
        }
        documents
    }

    #[test]
    fn the_commit_is_deterministic() {
        let temp = tempfile::tempdir().unwrap();
        let heads = ["one", "two"].map(|name| {
            let generated = workspace(&temp.path().join(name), 10, 2).unwrap();
            fs::read_to_string(generated.root.join(".git/refs/heads/main")).unwrap()
        });
        assert_eq!(heads[0], heads[1]);
    }

    #[test]
    fn more_plans_leave_the_documents_of_fewer_unchanged() {
        let temp = tempfile::tempdir().unwrap();
        let small = workspace(&temp.path().join("small"), 10, 3).unwrap();
        let large = workspace(&temp.path().join("large"), 14, 3).unwrap();
        let small_documents = documents(&small.root);
        let large_documents = documents(&large.root);
        assert_eq!(small.size.documents, small_documents.len());
        assert!(large_documents.len() > small_documents.len());
        for (path, text) in &small_documents {
            assert_eq!(large_documents.get(path), Some(text), "{path}");
        }
    }

    #[test]
    fn documents_have_one_to_four_kilobytes() {
        let temp = tempfile::tempdir().unwrap();
        let generated = workspace(temp.path(), 30, 5).unwrap();
        for (path, text) in documents(&generated.root) {
            assert!((1000..=4096).contains(&text.len()), "{path} has {} bytes", text.len());
        }
    }

    #[test]
    fn a_superseded_decision_and_its_successor_name_each_other() {
        let temp = tempfile::tempdir().unwrap();
        let generated = workspace(temp.path(), 10, 1).unwrap();
        let adrs: Vec<_> = documents(&generated.root)
            .into_iter()
            .filter(|(path, _)| path.contains("/adrs/"))
            .collect();
        let containing = |line: &str| adrs.iter().filter(|(_, text)| text.contains(line)).count();
        assert_eq!(adrs.len(), 12);
        assert_eq!(containing("\nstatus: superseded\nsuperseded_by: ADR-00"), 2);
        assert_eq!(containing("\nstatus: accepted\nsupersedes: ADR-00"), 2);
    }
}
