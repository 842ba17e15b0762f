//! Reads the plans, overviews and other documents of a scope.

use heirloom_core::Problem;
use heirloom_core::{parallel, path};

use super::answer::HiddenCount;
use super::entries::{DocumentEntry, OverviewEntry, Tier};
use super::request::{Filters, ScopeSelection};
use crate::workspace::inherit;
use crate::workspace::plan_documents::{
    DocumentCard, PlanPath, count_archived, documents_of_level, plans_of_level, plans_of_scopes,
};
use crate::workspace::scopes::{FolderDocuments, OVERVIEW_FILE, ScopeFolder, ScopePath};
use crate::{Error, Session};

/// From this many documents on, documents are read in parallel.
const MIN_PARALLEL_DOCUMENTS: usize = 32;

/// Entries of one kind, with what was found besides them.
#[derive(Debug)]
pub(super) struct EntryList<E> {
    pub(super) entries: Vec<E>,
    pub(super) hidden: HiddenCount,
    pub(super) problems: Vec<Problem>,
}

/// What became of a document: its entry, or why it has none.
enum DocumentOutcome {
    Entry(Box<DocumentEntry>),
    Archived,
    Superseded,
    /// It does not pass the filters. Its status is kept, because a status that some document has is not unknown.
    Filtered(Option<String>),
    Unreadable(Vec<Problem>),
}

/// Reads the plans of a scope and of all scopes in it; without a scope, the plans of the repository.
pub(super) fn plans(
    session: &Session,
    selected: &ScopeSelection<'_>,
    filters: &Filters,
    tier: Tier,
) -> Result<EntryList<DocumentEntry>, Error> {
    let ScopeSelection { scopes, scope, within } = selected;
    let (found, problems) = match scope {
        Some(_) => plans_of_scopes(scopes, within),
        None => plans_of_level(session)?,
    };
    let mut collected = read_documents(session, &found, filters, tier, problems)?;
    let folder = |scope: &ScopePath| scopes.folder(scope, ScopeFolder::Plans);
    let folders = scope.as_ref().map(|_| within.iter().filter_map(folder).collect::<Vec<_>>());
    collected.hidden.archived += count_archived(session, folders.as_deref())?;
    Ok(collected)
}

/// Reads the documents in a folder of scopes.
pub(super) fn folder(
    session: &Session,
    found: &[FolderDocuments],
    folder: ScopeFolder,
    filters: &Filters,
    tier: Tier,
) -> Result<EntryList<DocumentEntry>, Error> {
    let found = found.iter().filter(|found| found.folder == folder);
    let documents = found
        .flat_map(|found| &found.paths)
        .map(|document| PlanPath { name: path::stem(document).to_owned(), path: document.clone() });
    read_documents(session, &documents.collect::<Vec<_>>(), filters, tier, vec![])
}

fn read_documents(
    session: &Session,
    found: &[PlanPath],
    filters: &Filters,
    tier: Tier,
    mut problems: Vec<Problem>,
) -> Result<EntryList<DocumentEntry>, Error> {
    let root = session.root();
    let read = parallel::map(found, MIN_PARALLEL_DOCUMENTS, |plan| {
        let card = DocumentCard::read(root, &plan.path)?;
        Some(match () {
            () if card.is_unreadable() => DocumentOutcome::Unreadable(card.problems),
            () if card.is_archived() => DocumentOutcome::Archived,
            () if card.is_superseded() => DocumentOutcome::Superseded,
            () => {
                let entry = DocumentEntry::new(card, &plan.name, tier);
                let is_wanted = filters.accept_status(entry.status.as_deref())
                    && filters.accept_tags(&entry.tags);
                match is_wanted {
                    true => DocumentOutcome::Entry(Box::new(entry)),
                    false => DocumentOutcome::Filtered(entry.status),
                }
            }
        })
    });
    let mut entries = Vec::with_capacity(read.len());
    let mut hidden = HiddenCount::default();
    let mut other_statuses = Vec::new();
    for read in read.into_iter().flatten() {
        match read {
            DocumentOutcome::Entry(entry) => entries.push(*entry),
            DocumentOutcome::Archived => hidden.archived += 1,
            DocumentOutcome::Superseded => hidden.superseded += 1,
            DocumentOutcome::Filtered(status) => other_statuses.extend(status),
            DocumentOutcome::Unreadable(found) => problems.extend(found),
        }
    }
    let own = entries.iter().filter_map(|entry: &DocumentEntry| entry.status.as_deref());
    filters.check_status(&own.chain(other_statuses.iter().map(String::as_str)))?;
    Ok(EntryList { entries, hidden, problems })
}

/// Reads the overviews of a scope, of the scopes around it and of those in it, the outermost first. The workspace's own is
/// returned with its text, and that of a repository if it was asked for; others without.
pub(super) fn overviews(
    session: &Session,
    selected: &ScopeSelection<'_>,
    tier: Option<Tier>,
) -> Result<EntryList<OverviewEntry>, Error> {
    let ScopeSelection { scopes, scope, within } = selected;
    let Some(scope) = scope else { return repository_overviews(session, tier) };
    let mut around: Vec<ScopePath> = scope.ancestors().collect();
    around.reverse();
    let places = around.iter().chain(within).filter_map(|place| {
        let is_asked_for = place == scope && place.depth() > 2;
        let default = if place.depth() == 1 || is_asked_for { Tier::T1 } else { Tier::T0 };
        let path = scopes.file(place, OVERVIEW_FILE)?;
        Some((place.to_string(), path, tier.unwrap_or(default)))
    });
    Ok(read_overviews(session, &places.collect::<Vec<_>>()))
}

/// Reads the documents that describe a repository without scopes: that of its workspace, and those of its projects.
fn repository_overviews(
    session: &Session,
    tier: Option<Tier>,
) -> Result<EntryList<OverviewEntry>, Error> {
    let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    let root = session.root();
    let (workspaces, mut problems) = documents_of_level(root, &hierarchy, "workspace");
    let (projects, more) = documents_of_level(root, &hierarchy, "project");
    problems.extend(more);
    let workspaces = workspaces.into_iter().map(|(name, path)| (name, path, Tier::T1));
    let projects =
        projects.into_iter().map(|(name, path)| (format!("project/{name}"), path, Tier::T0));
    let places = workspaces.chain(projects);
    let places = places.map(|(name, path, default)| (name, path, tier.unwrap_or(default)));
    let mut collected = read_overviews(session, &places.collect::<Vec<_>>());
    collected.problems.extend(problems);
    Ok(collected)
}

fn read_overviews(
    session: &Session,
    places: &[(String, String, Tier)],
) -> EntryList<OverviewEntry> {
    let root = session.root();
    let read = parallel::map(places, MIN_PARALLEL_DOCUMENTS, |(scope, path, tier)| {
        let card = DocumentCard::read(root, path)?;
        match card.is_unreadable() {
            true => Some(Err(card.problems)),
            false => Some(Ok(OverviewEntry::new(card, scope.clone(), *tier))),
        }
    });
    let mut collected =
        EntryList { entries: vec![], hidden: HiddenCount::default(), problems: vec![] };
    for read in read.into_iter().flatten() {
        match read {
            Ok(entry) => collected.entries.push(entry),
            Err(problems) => collected.problems.extend(problems),
        }
    }
    collected
}
