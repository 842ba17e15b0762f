//! All documents of a workspace, for the operations that need every one of them.

mod chains;
mod conflicts;
mod duplicates;
mod links;
mod naming;
mod renumbering;

pub(crate) use links::Extent;
pub(crate) use renumbering::{PlanFolder, RenumberEdit};

use std::collections::HashMap;

use heirloom_core::adr::{self, Adr};
use heirloom_core::cascade::Layer;
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::{Hierarchy, Selectors};
use heirloom_core::staleness::Staleness;
use heirloom_core::supersession::Supersession;
use heirloom_core::{Document, Problem, parallel};
use heirloom_store::Root;
use heirloom_store::adrs::{self, AdrDocument, Scope};
use heirloom_store::layout::{self, Placed};

use crate::workspace::documents::{Documents, Flags, Needs, Notebooks};
use crate::workspace::inherit::{self, Assessment};
use crate::workspace::template;
use crate::{Error, Session};
use chains::Places;
use naming::NameIndex;

/// Statuses of a finished document, which is not expected to be refreshed.
const CLOSED_STATUSES: &[&str] = &[
    "done",
    "complete",
    "completed",
    "abandoned",
    "closed",
    "archived",
    "superseded",
    "deprecated",
    "rejected",
    "withdrawn",
];

/// The number of documents from which a second thread saves time.
const MIN_PARALLEL_DOCUMENTS: usize = 1000;

/// A document with its kind, its place in the hierarchy and its freshness.
#[derive(Debug, Clone)]
pub struct CatalogEntry {
    /// The id in the graph.
    pub id: String,
    /// The kind.
    pub kind: NodeKind,
    /// The level; none for a decision record.
    pub level: Option<String>,
    /// The priority of the level.
    pub priority: i64,
    /// The position of the pattern that found it among the patterns of its level.
    pub pattern: usize,
    /// The names that lead to it: of its project, plan and agent.
    pub selectors: Selectors,
    /// The parsed document.
    pub document: Box<Document>,
    /// The text; empty if it was read from the cache.
    pub text: String,
    /// The decision record, if it is one.
    pub adr: Option<Box<Adr>>,
    /// Whether the document was read; otherwise only its path is known.
    pub(crate) is_read: bool,
    /// Whether it still is an unedited template.
    pub is_unedited: bool,
    /// Whether an accepted decision record replaced it.
    pub is_replaced: bool,
    /// The date and the staleness.
    pub assessment: Assessment,
}

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
    by_path: HashMap<String, usize>,
    places: Places,
    names: NameIndex,
}

impl CatalogEntry {
    /// Returns whether it is finished, so that its age does not matter.
    pub fn is_closed(&self) -> bool {
        let status = match &self.adr {
            Some(adr) => Some(adr.status.word().to_owned()),
            None => self.document.field("status").map(str::to_lowercase),
        };
        self.is_replaced || status.is_some_and(|status| CLOSED_STATUSES.contains(&status.as_str()))
    }

    /// Returns the document as a layer of values.
    fn layer(&self) -> Layer<'_> {
        Layer {
            level: self.level.as_deref().unwrap_or_default(),
            priority: self.priority,
            document: &self.document,
        }
    }

    /// Returns the staleness.
    pub fn staleness(&self) -> &Staleness {
        &self.assessment.staleness
    }

    /// Refuses to edit a decision record that is a folder, because its status and number are not in
    /// its text but in a metadata file.
    pub(crate) fn check_is_file(&self, root: &Root) -> Result<(), Error> {
        let metadata = adr::metadata_path(&self.document.path).filter(|path| root.exists(path));
        match metadata {
            None => Ok(()),
            Some(metadata) => Err(Error::bad_input(format!(
                "{} is a folder with its status in {metadata}, which this command cannot edit",
                self.short_name()
            ))
            .hint("edit the files of the folder by hand")),
        }
    }

    /// Returns the name to show: an ADR's id, or else the path relative to `.heirloom/`.
    pub fn short_name(&self) -> &str {
        match &self.adr {
            Some(adr) => &adr.id,
            None => self.document.path.strip_prefix(".heirloom/").unwrap_or(&self.document.path),
        }
    }
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
    pub(crate) fn read_without_text(session: &Session) -> Result<(Self, Notebooks), Error> {
        Self::read_outlines(session, |_, _| Needs::Everything)
    }

    /// Reads the documents that the direct relations of one document depend on. Of the others, only
    /// the paths and the references are read.
    pub(crate) fn read_neighbourhood(
        session: &Session,
        typed: &str,
    ) -> Result<(Self, Notebooks), Error> {
        let mut needs = Needs::Everything;
        let (catalog, notebooks) = Self::read_outlines(session, |hierarchy, placed| {
            needs = naming::needs_of(hierarchy, placed, typed);
            needs.clone()
        })?;
        // The name may have matched a document whose surroundings were not read.
        match catalog.find(typed).is_ok_and(|filed| !needs.leads_through(&filed.selectors)) {
            true => Self::read_without_text(session),
            false => Ok((catalog, notebooks)),
        }
    }

    fn read_outlines(
        session: &Session,
        needs: impl FnOnce(&Hierarchy, &[Placed]) -> Needs,
    ) -> Result<(Self, Notebooks), Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let Documents { placed, records, flags, notebooks, problems } =
            Documents::read(session, &hierarchy, |placed| needs(&hierarchy, placed))?;
        let catalog = Self::assemble(session, hierarchy, placed, records, problems, &flags)?;
        Ok((catalog, notebooks))
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
        placed: Vec<Placed>,
        records: Vec<AdrDocument>,
        mut problems: Vec<Problem>,
        flags: &[Flags],
    ) -> Result<Self, Error> {
        let root = session.root();
        let (assigned, naming_problems) = chains::find_assigned_names(root, &hierarchy, &placed);
        let (assessments, date_problems) = judge(session, &placed, &records, flags)?;
        problems.extend(placed.iter().flat_map(|placed| placed.document.problems.iter().cloned()));
        problems.extend(naming_problems.into_iter().chain(date_problems));
        problems.extend(root.repository_problem().cloned());
        problems.sort();
        problems.dedup();
        let mut filed: Vec<CatalogEntry> = Vec::with_capacity(flags.len());
        let mut assessed_flags = assessments.into_iter().zip(flags);
        let placed = placed.into_iter().zip(assessed_flags.by_ref());
        filed.extend(
            placed.map(|(placed, (assessment, flags))| file_placed(placed, assessment, flags)),
        );
        let records = records.into_iter().zip(assessed_flags);
        filed.extend(
            records.map(|(record, (assessment, flags))| file_record(record, assessment, flags)),
        );
        naming::make_unique(&mut filed);
        let adrs: Vec<Adr> =
            filed.iter().filter_map(|filed| filed.adr.as_deref().cloned()).collect();
        let supersession = Supersession::new(&adrs);
        let decisions = filed.iter_mut().filter(|filed| filed.adr.is_some());
        for (at, filed) in decisions.enumerate() {
            filed.is_replaced = supersession.is_replaced(at);
        }
        let is_parallel = filed.len() >= MIN_PARALLEL_DOCUMENTS;
        let index_names = || {
            let paths = filed.iter().enumerate();
            let by_path = paths.map(|(at, filed)| (filed.document.path.clone(), at)).collect();
            (by_path, NameIndex::new(&filed))
        };
        let ((by_path, names), places) =
            parallel::join(is_parallel, index_names, || Places::new(&hierarchy, &filed, assigned));
        Ok(Catalog { by_path, places, names, adrs, hierarchy, entries: filed, problems })
    }

    /// Returns whether all documents inherit from a document: the main document of a level without names
    /// (`workspace.md`), or one that was adopted for such a level (`CLAUDE.md`).
    pub(crate) fn is_root_document(&self, filed: &CatalogEntry) -> bool {
        let level = filed.level.as_deref().and_then(|level| self.hierarchy.level(level));
        level.filter(|level| !level.needs_selection()).is_some_and(|level| {
            let pattern = level.patterns().nth(filed.pattern);
            let is_adopted = |pattern: &str| level.preexisting.iter().any(|other| other == pattern);
            pattern.is_some_and(|pattern| level.is_main(pattern) || is_adopted(pattern))
        })
    }

    /// Returns the document at a path.
    pub fn find_by_path(&self, path: &str) -> Option<&CatalogEntry> {
        self.by_path.get(path).map(|&at| &self.entries[at])
    }
}

/// Determines the date and staleness of the documents of levels, then of the decision records. A
/// document that was not read has no date.
fn judge(
    session: &Session,
    placed: &[Placed],
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

/// Returns the id of a document of a level, as relations use it.
pub(crate) fn id_of(placed: &Placed) -> String {
    naming::id_of(naming::kind_of(&placed.level, placed.role), placed)
}

/// Returns the id of a decision record, as relations use it.
pub(crate) fn id_of_record(id: &str, project: Option<&str>) -> String {
    let scope = project.map(|project| format!("{project}/")).unwrap_or_default();
    format!("adr/{scope}{id}")
}

fn file_placed(placed: Placed, assessment: Assessment, flags: &Flags) -> CatalogEntry {
    let kind = naming::kind_of(&placed.level, placed.role);
    CatalogEntry {
        id: naming::id_of(kind, &placed),
        kind,
        level: Some(placed.level),
        priority: placed.priority,
        pattern: placed.pattern,
        selectors: placed.selectors,
        is_read: flags.is_read,
        is_unedited: flags.is_unedited,
        document: placed.document,
        text: placed.text,
        adr: None,
        is_replaced: false,
        assessment,
    }
}

fn file_record(record: AdrDocument, assessment: Assessment, flags: &Flags) -> CatalogEntry {
    CatalogEntry {
        id: id_of_record(&record.adr.id, record.project.as_deref()),
        kind: NodeKind::Adr,
        level: None,
        priority: 0,
        pattern: 0,
        selectors: record
            .project
            .into_iter()
            .map(|project| ("project".to_owned(), project))
            .collect(),
        is_read: flags.is_read,
        is_unedited: flags.is_unedited,
        document: Box::new(record.document),
        text: record.text,
        adr: Some(Box::new(record.adr)),
        is_replaced: false,
        assessment,
    }
}
