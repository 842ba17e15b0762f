//! Searches all workspaces that are registered on this machine.

use std::collections::BTreeSet;
use std::path::Path;

use heirloom_core::{Hint, Problem};

use super::instructions::MAX_INSTRUCTIONS;
use super::search::MAX_NEAR_MISSES;
use super::{Search, SearchResult};
use crate::{Error, Session};

/// Searches this workspace and all registered ones, and names the workspace of each hit. A workspace
/// that cannot be searched becomes a problem of the result.
pub(crate) fn search_workspaces(
    session: &Session,
    search: &Search<'_>,
) -> Result<SearchResult, Error> {
    search.check_limit()?;
    let Some(registry) = session.registry() else {
        return Err(Error::system("the folder with the registry of workspaces is not known")
            .hint("set HEIRLOOM_HOME to a folder in which you may write"));
    };
    let (registered, mut problems) = registry.list();
    let current = session.root().path();
    let mut workspaces: Vec<(String, &Path)> =
        registered.iter().map(|entry| (entry.name.clone(), entry.folder.as_path())).collect();
    if workspaces.iter().all(|(_, folder)| *folder != current) {
        let name = current.file_name().map(|name| name.to_string_lossy().into_owned());
        workspaces.insert(0, (name.unwrap_or_else(|| "this".to_owned()), current));
    }
    let mut all = SearchResult::default();
    let mut kinds = BTreeSet::new();
    for (name, folder) in workspaces {
        let mut run = |session: &Session| {
            if !search.kinds.is_empty() {
                kinds.extend(Search::kinds(session)?);
            }
            search.run_unchecked(session)
        };
        let result = match folder == current {
            true => run(session),
            false => session.open_other(folder).and_then(|other| run(&other)),
        };
        match result {
            Ok(result) => all.merge(result, &name),
            Err(error) => problems.push(
                Problem::in_file(folder.display().to_string(), error.message).hint(
                    Hint::default()
                        .command("workspace forget", &[&name])
                        .then(" removes it from the registry"),
                ),
            ),
        }
    }
    search.check_kinds(&kinds)?;
    all.problems.extend(problems);
    let score = |hit: &super::Hit| hit.item.score.unwrap_or_default();
    let SearchResult { hits, instructions, near_misses, archived, .. } = &mut all;
    for hits in [hits, instructions, near_misses, archived] {
        hits.sort_by(|a, b| score(b).total_cmp(&score(a)));
        hits.truncate(search.limit);
    }
    all.sessions.sort_by(|a, b| b.score.total_cmp(&a.score));
    all.sessions.truncate(search.limit);
    all.near_misses.truncate(MAX_NEAR_MISSES);
    all.instructions.truncate(MAX_INSTRUCTIONS);
    if !all.hits.is_empty() {
        all.near_misses.clear();
        all.is_filtered = false;
    }
    Ok(all)
}

impl SearchResult {
    /// Adds the result of another workspace.
    fn merge(&mut self, other: SearchResult, workspace: &str) {
        let with_workspace = |mut hit: super::Hit| {
            hit.workspace = Some(workspace.to_owned());
            hit
        };
        self.hits.extend(other.hits.into_iter().map(with_workspace));
        self.instructions.extend(other.instructions.into_iter().map(with_workspace));
        self.archived.extend(other.archived.into_iter().map(with_workspace));
        self.sessions.extend(other.sessions.into_iter().map(|mut session| {
            session.workspace = Some(workspace.to_owned());
            session
        }));
        // Filtered hits answer the question, so they displace the near misses of other workspaces.
        if other.is_filtered && !self.is_filtered {
            self.near_misses.clear();
        }
        if other.is_filtered || !self.is_filtered {
            self.near_misses.extend(other.near_misses.into_iter().map(with_workspace));
        }
        let problems = other.problems.into_iter().map(|mut problem| {
            problem.path = format!("{workspace}: {}", problem.path);
            problem
        });
        self.problems.extend(problems);
        self.is_filtered |= other.is_filtered;
        self.is_lexical_only |= other.is_lexical_only;
    }
}
