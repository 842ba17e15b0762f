//! The plans of a workspace in both layouts: files in the `_plans` folders of scopes, and the main documents of the level
//! `plan`.

use heirloom_core::document::list_of;
use heirloom_core::hierarchy::{Hierarchy, Level};
use heirloom_core::plan::{DocumentKind, KnownDates, PlanStatus, missing_fields};
use heirloom_core::{Document, Problem, Value, document, name, path};
use heirloom_store::layout::{self, DocumentRole, HierarchyDocuments};
use heirloom_store::listings::Listings;
use heirloom_store::{Root, archive};
use serde_json::Map;

use crate::workspace::found_document::FoundDocument;
use crate::workspace::inherit;
use crate::workspace::scopes::{ScopeFolder, ScopePath, Scopes};
use crate::workspace::template;
use crate::{Error, Session};

/// The level of plans.
const PLAN_LEVEL: &str = "plan";

/// A document of which the front matter was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentCard {
    pub(crate) path: String,
    pub(crate) text: String,
    fields: Map<String, Value>,
    pub(crate) problems: Vec<Problem>,
}

impl DocumentCard {
    /// Reads a document; `None` if it does not exist.
    pub(crate) fn read(root: &Root, path: &str) -> Option<Self> {
        let path = path.to_owned();
        match root.read(&path) {
            Ok(None) => None,
            Ok(Some(text)) => {
                let (fields, problems) = Document::read_fields(&path, &text);
                Some(DocumentCard { path, text, fields, problems })
            }
            Err(problem) => Some(DocumentCard { path, problems: vec![problem], ..Self::default() }),
        }
    }

    /// Returns whether it could not be read, so that nothing is known about it.
    pub(crate) fn is_unreadable(&self) -> bool {
        !self.problems.is_empty() && self.fields.is_empty()
    }

    /// Returns a field of the front matter as text.
    pub(crate) fn field(&self, key: &str) -> Option<String> {
        document::scalar_to_text(self.fields.get(key)?).map(|text| text.trim().to_owned())
    }

    /// Returns a field of the front matter as a list of texts.
    pub(crate) fn list(&self, key: &str) -> Vec<String> {
        list_of(self.fields.get(key))
    }

    /// Returns whether it says that another document replaces it.
    pub(crate) fn is_superseded(&self) -> bool {
        let status = self.field("status");
        !self.list("superseded_by").is_empty()
            || status.is_some_and(|status| status.eq_ignore_ascii_case("superseded"))
    }

    /// Returns whether it says that it is archived.
    pub(crate) fn is_archived(&self) -> bool {
        self.field("status").is_some_and(|status| status.eq_ignore_ascii_case("archived"))
    }

    /// Parses all of the document, without template text, which says nothing about it.
    pub(crate) fn parse(&self) -> Document {
        let document = Document::parse(&self.path, &self.text);
        let prose = template::without_template_text(&document.prose);
        match self.text.strip_suffix(document.prose.as_str()) {
            Some(head) if prose != document.prose => {
                Document::parse(&self.path, &format!("{head}{prose}"))
            }
            _ => document,
        }
    }

    /// Returns the fields that its front matter lacks and its text or its name tells.
    pub(crate) fn derived(&self, kind: DocumentKind) -> Map<String, Value> {
        let fields = missing_fields(&self.parse(), kind, &KnownDates::default());
        fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

/// Returns the plans in the `_plans` folders of scopes, in the order of scopes and names.
pub(crate) fn plans_of_scopes(
    scopes: &Scopes<'_>,
    within: &[ScopePath],
) -> (Vec<FoundDocument>, Vec<Problem>) {
    let (found, problems) = scopes.documents(within, &[ScopeFolder::Plans]);
    (found.into_iter().flat_map(|folder| folder.documents).collect(), problems)
}

/// Returns the plans of the level `plan` of the default hierarchy, by name; none if it has no such level.
pub(crate) fn plans_of_level(
    session: &Session,
) -> Result<(Vec<FoundDocument>, Vec<Problem>), Error> {
    let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
    Ok(documents_of_level(session.root(), &hierarchy, PLAN_LEVEL))
}

/// Returns the main document of each name of a level. A level without names has one document.
pub(crate) fn documents_of_level(
    root: &Root,
    hierarchy: &Hierarchy,
    level: &str,
) -> (Vec<FoundDocument>, Vec<Problem>) {
    let Some(needs) = hierarchy.level(level).map(Level::required_levels) else {
        return (vec![], vec![]);
    };
    let mut needed = hierarchy.clone();
    needed.levels.retain(|other| other.name == level || needs.contains(&other.name.as_str()));
    let listings = Listings::of_hierarchy(root, &needed);
    let HierarchyDocuments { documents, problems } = layout::find_all(&listings, &needed);
    let mains = documents
        .into_iter()
        .filter(|placed| placed.level == level && placed.role == DocumentRole::Main);
    let named = mains.map(|placed| {
        let name =
            placed.selectors.last().map_or_else(|| level.to_owned(), |(_, name)| name.clone());
        let path = placed.document.path;
        let stamp = listings.stamp(&path);
        let stamp = stamp.filter(|stamp| stamp.is_older_than(listings.started_at()));
        FoundDocument { name, path, stamp }
    });
    (named.collect(), problems)
}

/// Returns how many plans of scopes, or of the level `plan`, are in the archive.
pub(crate) fn count_archived(
    session: &Session,
    folders: Option<&[String]>,
) -> Result<usize, Error> {
    let root = session.root();
    let mut sources: Vec<String> =
        archive::list(root).into_iter().map(|archived| archived.source).collect();
    match folders {
        Some(folders) => sources.retain(|source| {
            ScopeFolder::Plans.holds(source)
                && folders.iter().any(|folder| path::folder(source) == folder)
        }),
        None => {
            let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
            let Some(level) = hierarchy.level(PLAN_LEVEL) else { return Ok(0) };
            sources.retain(|source| level.match_main_document(source).is_some());
        }
    }
    sources.sort();
    sources.dedup();
    Ok(sources.len())
}

/// Returns an error for a word that is not a status of a plan, with the statuses, the most similar first.
pub(crate) fn unknown_status(typed: &str) -> Error {
    let words = PlanStatus::ALL.map(PlanStatus::as_str);
    let message = format!("`{}` is not a status of a plan", typed.escape_default());
    Error::not_found(message, name::nearest_first(typed, words.iter().copied(), words.len()))
}
