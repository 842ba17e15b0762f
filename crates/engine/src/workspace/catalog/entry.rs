//! One document of the catalog.

use heirloom_core::Document;
use heirloom_core::adr::{self, Adr};
use heirloom_core::cascade::Layer;
use heirloom_core::graph::NodeKind;
use heirloom_core::hierarchy::Selectors;
use heirloom_core::memory::MemoryFormat;
use heirloom_core::staleness::Staleness;
use heirloom_store::Root;
use heirloom_store::adrs::AdrDocument;
use heirloom_store::layout::HierarchyDocument;

use super::ids;
use crate::Error;
use crate::workspace::documents::Flags;
use crate::workspace::inherit::Assessment;

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
    /// The format of its entries, if it has entries.
    pub memory_format: Option<MemoryFormat>,
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

impl CatalogEntry {
    /// Returns whether it is finished, so that its age does not matter.
    pub(crate) fn is_closed(&self) -> bool {
        let status = match &self.adr {
            Some(adr) => Some(adr.status.as_str().to_owned()),
            None => self.document.field("status").map(str::to_lowercase),
        };
        self.is_replaced || status.is_some_and(|status| CLOSED_STATUSES.contains(&status.as_str()))
    }

    /// Returns the document as a layer of values.
    pub(super) fn layer(&self) -> Layer<'_> {
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
    pub(crate) fn short_name(&self) -> &str {
        match &self.adr {
            Some(adr) => &adr.id,
            None => self.document.path.strip_prefix(".heirloom/").unwrap_or(&self.document.path),
        }
    }

    /// Returns the last part of the document's name: a plan's folder, an ADR's id, a file's stem.
    pub(super) fn own_name(&self) -> String {
        match (&self.adr, self.kind, self.selectors.last()) {
            (Some(adr), _, _) => adr.id.clone(),
            (None, NodeKind::Project | NodeKind::Plan | NodeKind::Agent, Some((_, name))) => {
                name.clone()
            }
            _ => self.id.rsplit('/').next().unwrap_or(&self.id).to_owned(),
        }
    }

    /// Creates the entry of a document of a level.
    pub(super) fn of_placed(
        placed: HierarchyDocument,
        assessment: Assessment,
        flags: &Flags,
    ) -> Self {
        let kind = ids::kind_of(&placed.level, placed.role);
        CatalogEntry {
            memory_format: placed.role.memory_format(),
            id: ids::id_of(&placed),
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

    /// Creates the entry of a decision record.
    pub(super) fn of_adr(record: AdrDocument, assessment: Assessment, flags: &Flags) -> Self {
        CatalogEntry {
            id: ids::id_of_adr(&record.adr.id, record.project.as_deref()),
            kind: NodeKind::Adr,
            memory_format: None,
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
}
