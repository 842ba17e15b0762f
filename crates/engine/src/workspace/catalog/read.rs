//! Reads all documents of a workspace.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use heirloom_core::adr::Adr;
use heirloom_core::hierarchy::Hierarchy;
use heirloom_core::parallel::{self, Work};
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, Problem};
use heirloom_store::adrs::{self, AdrDocument, Scope};
use heirloom_store::layout::{self, HierarchyDocument};

use super::entry::CatalogEntry;
use super::name_index::NameIndex;
use super::places::{self, DocumentIndex};
use crate::workspace::documents::{CachedEntries, Documents, Flags, ReadScope};
use crate::workspace::inherit::{self, Assessment};
use crate::workspace::template;
use crate::{Error, Session};

/// The number of documents from which a second thread saves time.
const MIN_PARALLEL_DOCUMENTS: usize = 1000;

/// All documents of a workspace.
#[derive(Debug)]
pub struct Catalog {
    /// The hierarchy by which it was read.
    pub hierarchy: Hierarchy,
    /// The documents.
    pub entries: Vec<CatalogEntry>,
    /// The decision records among them.
    pub adrs: Vec<Adr>,
    /// Problems found while reading.
    pub problems: Vec<Problem>,
    pub(super) by_path: HashMap<String, usize>,
    pub(super) places: DocumentIndex,
    pub(super) names: NameIndex,
}

impl Catalog {
    /// Reads all documents with their texts.
    pub fn read(session: &Session) -> Result<Self, Error> {
        let (root, config) = (session.root(), session.config()?);
        let (_, hierarchy) = inherit::hierarchy(config, None)?;
        let layout::HierarchyDocuments { documents: placed, mut problems } =
            layout::read_all(root, &hierarchy);
        let (records, record_problems) = adrs::read(root, config, Scope::AllProjects);
        problems.extend(record_problems);
        let level_documents = placed.iter().map(|placed| &*placed.document);
        let documents = level_documents.chain(records.iter().map(|record| &record.document));
        let flags: Vec<Flags> = documents
            .map(|document| Flags { is_read: true, is_unedited: template::is_unedited(document) })
            .collect();
        Self::assemble(session, hierarchy, placed, records, problems, &flags)
    }

    /// Reads all documents without their texts, from the cache where files are unchanged. The entries of
    /// memory documents are read on demand.
    pub(crate) fn read_without_text(session: &Session) -> Result<(Self, CachedEntries), Error> {
        Self::read_outlines(session, |_, _| ReadScope::Everything)
    }

    pub(super) fn read_outlines(
        session: &Session,
        needs: impl FnOnce(&Hierarchy, &[HierarchyDocument]) -> ReadScope,
    ) -> Result<(Self, CachedEntries), Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let Documents { placed, records, flags, cached_entries, problems } =
            Documents::read(session, &hierarchy, |placed| needs(&hierarchy, placed))?;
        let catalog = Self::assemble(session, hierarchy, placed, records, problems, &flags)?;
        Ok((catalog, cached_entries))
    }

    /// Drops the catalog on another thread, because freeing many documents takes time.
    pub(crate) fn drop_in_background(self) {
        let document_count = self.entries.len();
        parallel::drop_in_background(self, document_count);
    }

    /// Builds the catalog from the documents of levels and the decision records, with the flags of both
    /// in this order.
    fn assemble(
        session: &Session,
        hierarchy: Hierarchy,
        placed: Vec<HierarchyDocument>,
        records: Vec<AdrDocument>,
        mut problems: Vec<Problem>,
        flags: &[Flags],
    ) -> Result<Self, Error> {
        let root = session.root();
        let (assigned, naming_problems) = places::find_assigned_names(root, &hierarchy, &placed);
        let (assessments, date_problems) = judge(session, &placed, &records, flags)?;
        problems.extend(placed.iter().flat_map(|placed| placed.document.problems.iter().cloned()));
        problems.extend(naming_problems.into_iter().chain(date_problems));
        problems.extend(root.repository_problem().cloned());
        problems.sort();
        problems.dedup();
        let mut catalog_entry: Vec<CatalogEntry> = Vec::with_capacity(flags.len());
        let mut assessed_flags = assessments.into_iter().zip(flags);
        let placed = placed.into_iter().zip(assessed_flags.by_ref());
        catalog_entry.extend(placed.map(|(placed, (assessment, flags))| {
            CatalogEntry::of_placed(placed, assessment, flags)
        }));
        let records = records.into_iter().zip(assessed_flags);
        catalog_entry.extend(
            records.map(|(record, (assessment, flags))| {
                CatalogEntry::of_adr(record, assessment, flags)
            }),
        );
        make_unique(&mut catalog_entry);
        let adrs: Vec<Adr> = catalog_entry
            .iter()
            .filter_map(|catalog_entry| catalog_entry.adr.as_deref().cloned())
            .collect();
        let supersession = Supersession::new(&adrs);
        let decisions =
            catalog_entry.iter_mut().filter(|catalog_entry| catalog_entry.adr.is_some());
        for (at, catalog_entry) in decisions.enumerate() {
            catalog_entry.is_replaced = supersession.is_replaced(at);
        }
        let is_parallel = catalog_entry.len() >= MIN_PARALLEL_DOCUMENTS;
        let index_names = || {
            let paths = catalog_entry.iter().enumerate();
            let by_path = paths
                .map(|(at, catalog_entry)| (catalog_entry.document.path.clone(), at))
                .collect();
            (by_path, NameIndex::new(&catalog_entry))
        };
        let ((by_path, names), places) =
            parallel::join(Work::long_if(is_parallel), index_names, || {
                DocumentIndex::new(&hierarchy, &catalog_entry, assigned)
            });
        Ok(Catalog { by_path, places, names, adrs, hierarchy, entries: catalog_entry, problems })
    }

    /// Returns whether all documents inherit from a document: the main document of a level without names
    /// (`workspace.md`), or one that was adopted for such a level (`CLAUDE.md`).
    pub(crate) fn is_root_document(&self, catalog_entry: &CatalogEntry) -> bool {
        let level = catalog_entry.level.as_deref().and_then(|level| self.hierarchy.level(level));
        level.filter(|level| !level.needs_selection()).is_some_and(|level| {
            let pattern = level.patterns().nth(catalog_entry.pattern);
            let is_adopted = |pattern: &str| level.additional.iter().any(|other| other == pattern);
            pattern.is_some_and(|pattern| level.is_main_pattern(pattern) || is_adopted(pattern))
        })
    }

    /// Returns the document at a path.
    pub(crate) fn find_by_path(&self, path: &str) -> Option<&CatalogEntry> {
        self.by_path.get(path).map(|&at| &self.entries[at])
    }
}

/// Determines the date and staleness of the documents of levels, then of the decision records. A
/// document that was not read has no date.
fn judge(
    session: &Session,
    placed: &[HierarchyDocument],
    records: &[AdrDocument],
    flags: &[Flags],
) -> Result<(Vec<Assessment>, Vec<Problem>), Error> {
    let level_documents = placed.iter().map(|placed| &*placed.document);
    let documents = level_documents.chain(records.iter().map(|record| &record.document));
    let read: Vec<&Document> = documents
        .zip(flags)
        .filter(|(_, flags)| flags.is_read)
        .map(|(document, _)| document)
        .collect();
    let (mut assessments, problems) = inherit::assess(session, &read)?;
    inherit::limit_decisions_to_review(&mut assessments, &read, records);
    if read.len() == flags.len() {
        return Ok((assessments, problems));
    }
    let undated = inherit::assess_undated(session)?;
    let mut assessments = assessments.into_iter();
    let next = |flags: &Flags| if flags.is_read { assessments.next() } else { None };
    let all = flags.iter().map(next).map(|assessment| assessment.unwrap_or(undated)).collect();
    Ok((all, problems))
}

/// Gives documents with the same id (`a.md` and `a.mdc`) ids that contain their paths.
fn make_unique(catalog_entry: &mut [CatalogEntry]) {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(catalog_entry.len());
    let mut ambiguous: Vec<usize> = Vec::new();
    for (at, document) in catalog_entry.iter().enumerate() {
        match first.entry(&document.id) {
            Entry::Occupied(other) => ambiguous.extend([*other.get(), at]),
            Entry::Vacant(entry) => {
                entry.insert(at);
            }
        }
    }
    for at in ambiguous {
        let document = &mut catalog_entry[at];
        document.id = format!("{}:{}", document.kind.as_str(), document.document.path);
    }
}
