//! Asking every workspace of this machine at once.

use std::collections::BTreeSet;
use std::path::Path;

use heirloom_core::Problem;

use super::search::NEAR_MISSES;
use super::{Search, SearchResult};
use crate::{Error, Session};

/// Asks this workspace and all that are registered, and names the workspace of each hit. One that
/// cannot be asked does not stop the others.
pub(crate) fn across(session: &Session, search: &Search<'_>) -> Result<SearchResult, Error> {
    search.check_limit()?;
    let Some(registry) = session.registry() else {
        return Err(Error::system("nothing says where this machine's workspaces are registered")
            .hint("set HEIRLOOM_HOME to a folder of yours"));
    };
    let (registered, mut problems) = registry.list();
    let own = session.root().path();
    let mut workspaces: Vec<(String, &Path)> =
        registered.iter().map(|one| (one.name.clone(), one.folder.as_path())).collect();
    if workspaces.iter().all(|(_, folder)| *folder != own) {
        let name = own.file_name().map(|name| name.to_string_lossy().into_owned());
        workspaces.insert(0, (name.unwrap_or_else(|| "this".to_owned()), own));
    }
    let mut all = SearchResult::default();
    let mut kinds = BTreeSet::new();
    for (name, folder) in workspaces {
        let mut ask = |session: &Session| {
            if !search.kinds.is_empty() {
                kinds.extend(Search::kinds(session)?);
            }
            search.run_unchecked(session)
        };
        let asked = match folder == own {
            true => ask(session),
            false => session.other(folder).and_then(|other| ask(&other)),
        };
        match asked {
            Ok(found) => all.take(found, &name),
            Err(error) => problems.push(
                Problem::of_file(folder.display().to_string(), error.message)
                    .hint(format!("`heir workspace forget {name}` leaves it out")),
            ),
        }
    }
    search.check_kinds(&kinds)?;
    all.problems.extend(problems);
    let score = |hit: &super::Hit| hit.thing.score.unwrap_or_default();
    for hits in [&mut all.hits, &mut all.near_misses] {
        hits.sort_by(|a, b| score(b).total_cmp(&score(a)));
        hits.truncate(search.limit);
    }
    all.near_misses.truncate(NEAR_MISSES);
    if !all.hits.is_empty() {
        all.near_misses.clear();
        all.is_filtered = false;
    }
    Ok(all)
}

impl SearchResult {
    fn take(&mut self, other: SearchResult, workspace: &str) {
        let named = |mut hit: super::Hit| {
            hit.workspace = Some(workspace.to_owned());
            hit
        };
        self.hits.extend(other.hits.into_iter().map(named));
        // What was left out by a filter answers, and what comes near elsewhere does not.
        if other.is_filtered && !self.is_filtered {
            self.near_misses.clear();
        }
        if other.is_filtered || !self.is_filtered {
            self.near_misses.extend(other.near_misses.into_iter().map(named));
        }
        let of_it = other.problems.into_iter().map(|mut problem| {
            problem.path = format!("{workspace}: {}", problem.path);
            problem
        });
        self.problems.extend(of_it);
        self.is_filtered |= other.is_filtered;
        self.is_by_words |= other.is_by_words;
    }
}
