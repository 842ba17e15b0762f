//! Reads the plans, overviews and other documents of a scope.

use heirloom_core::Problem;
use heirloom_core::parallel;
use heirloom_store::Root;

use super::answer::HiddenCount;
use super::document_state::DocumentState;
use super::entries::{DocumentEntry, OverviewEntry, Tier};
use super::entry_cache::CacheFile;
use super::request::{Filters, ScopeSelection};
use crate::workspace::found_document::FoundDocument;
use crate::workspace::inherit;
use crate::workspace::plan_documents::{
    DocumentCard, count_archived, documents_of_level, plans_of_level, plans_of_scopes,
};
use crate::workspace::scopes::{FolderDocuments, OVERVIEW_FILE, ScopeFolder, ScopePath};
use crate::{Error, Session};

/// From this many documents on, documents are read in parallel.
const MIN_PARALLEL_DOCUMENTS: usize = 12;

/// Entries of one kind, with what was found besides them.
#[derive(Debug)]
pub(super) struct EntryList<E> {
    pub(super) entries: Vec<E>,
    pub(super) hidden: HiddenCount,
    pub(super) problems: Vec<Problem>,
}

/// Documents of one kind, and which of them are wanted.
pub(super) struct DocumentGroup<'f> {
    documents: Vec<FoundDocument>,
    filters: &'f Filters,
    hidden: HiddenCount,
    problems: Vec<Problem>,
}

/// Finds the plans of a scope and of all scopes in it; without a scope, the plans of the repository.
pub(super) fn find_plans<'f>(
    session: &Session,
    selected: &ScopeSelection<'_>,
    filters: &'f Filters,
) -> Result<DocumentGroup<'f>, Error> {
    let ScopeSelection { scopes, scope, within } = selected;
    let (documents, problems) = match scope {
        Some(_) => plans_of_scopes(scopes, within),
        None => plans_of_level(session)?,
    };
    let folder = |scope: &ScopePath| scopes.folder(scope, ScopeFolder::Plans);
    let folders = scope.as_ref().map(|_| within.iter().filter_map(folder).collect::<Vec<_>>());
    let archived = count_archived(session, folders.as_deref())?;
    let hidden = HiddenCount { archived, ..HiddenCount::default() };
    Ok(DocumentGroup { documents, filters, hidden, problems })
}

/// Selects the documents in a folder of scopes.
pub(super) fn in_folder<'f>(
    found: &[FolderDocuments],
    folder: ScopeFolder,
    filters: &'f Filters,
) -> DocumentGroup<'f> {
    let found = found.iter().filter(|found| found.folder == folder);
    let documents = found.flat_map(|found| &found.documents).cloned().collect();
    DocumentGroup { documents, filters, hidden: HiddenCount::default(), problems: vec![] }
}

/// Reads groups of documents, and returns the entries of each.
pub(super) fn read<const N: usize>(
    session: &Session,
    groups: [DocumentGroup<'_>; N],
    tier: Tier,
) -> [Result<EntryList<DocumentEntry>, Error>; N] {
    let documents = groups.iter().flat_map(|group| &group.documents);
    let documents: Vec<FoundDocument> = documents.cloned().collect();
    let mut states = read_states(session.root(), &documents, tier).into_iter();
    groups.map(|group| {
        let states = states.by_ref().take(group.documents.len()).flatten();
        group.choose(states)
    })
}

impl DocumentGroup<'_> {
    /// Returns the entries of those documents that are in force and wanted.
    fn choose(
        self,
        states: impl Iterator<Item = DocumentState>,
    ) -> Result<EntryList<DocumentEntry>, Error> {
        let DocumentGroup { documents, filters, mut hidden, mut problems } = self;
        let mut entries = Vec::with_capacity(documents.len());
        let mut other_statuses = Vec::new();
        for state in states {
            match state {
                DocumentState::Current(entry) => {
                    let is_wanted = filters.accept_status(entry.status.as_deref())
                        && filters.accept_tags(&entry.tags);
                    match is_wanted {
                        true => entries.push(*entry),
                        // A status that some document has is not unknown.
                        false => other_statuses.extend(entry.status),
                    }
                }
                DocumentState::Archived => hidden.archived += 1,
                DocumentState::Superseded => hidden.superseded += 1,
                DocumentState::Unreadable(found) => problems.extend(found),
            }
        }
        let own = entries.iter().filter_map(|entry: &DocumentEntry| entry.status.as_deref());
        filters.check_status(&own.chain(other_statuses.iter().map(String::as_str)))?;
        Ok(EntryList { entries, hidden, problems })
    }
}

/// Reads documents; `None` for one that does not exist any more. Those that were not changed since an earlier request are
/// not read again if no text of them is needed.
fn read_states(root: &Root, found: &[FoundDocument], tier: Tier) -> Vec<Option<DocumentState>> {
    if tier != Tier::T0 {
        return parallel::map(found, MIN_PARALLEL_DOCUMENTS, |document| {
            DocumentState::read(root, document, tier)
        });
    }
    let file = CacheFile::read(root, found.len());
    let cache = file.documents();
    let mut states: Vec<_> = found.iter().map(|document| cache.get(document)).collect();
    let missing: Vec<usize> = (0..found.len()).filter(|at| states[*at].is_none()).collect();
    let read = parallel::map(&missing, MIN_PARALLEL_DOCUMENTS, |at| {
        DocumentState::read(root, &found[*at], tier)
    });
    let mut is_new = false;
    for (at, state) in missing.into_iter().zip(read) {
        let is_cacheable = !matches!(state, None | Some(DocumentState::Unreadable(_)));
        is_new |= is_cacheable && found[at].stamp.is_some();
        states[at] = state;
    }
    if is_new {
        cache.save(root, found, &states);
    }
    states
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
    let workspaces = workspaces.into_iter().map(|found| (found.name, found.path, Tier::T1));
    let projects =
        projects.into_iter().map(|found| (format!("project/{}", found.name), found.path, Tier::T0));
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
