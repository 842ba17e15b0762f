//! A list of documents with title, status and freshness.

use heirloom_core::staleness::Staleness;
use heirloom_core::{Document, Problem};
use heirloom_store::layout::HierarchyDocument;
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::documents::Documents;
use crate::workspace::inherit;
use crate::{Answer, Error, Session};

/// Documents with title, status and freshness.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listing {
    items: Vec<ListedDocument>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ListedDocument {
    /// Name of the document.
    name: String,
    /// Title of the document.
    title: Option<String>,
    /// Status from its front matter.
    status: Option<String>,
    /// Project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// Path of the file.
    source: String,
    /// Age of the document and what to do about it.
    staleness: Staleness,
}

impl Listing {
    /// Lists the main documents of a level of the default hierarchy that `keep` accepts.
    pub(crate) fn of_level(
        session: &Session,
        level: &str,
        keep: impl Fn(&Document) -> bool,
    ) -> Result<Self, Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let (placed, problems) = Documents::of_level(session, &hierarchy, level);
        Self::of(session, &placed, problems, keep)
    }

    /// Lists the documents that `keep` accepts, named by their last selector. An unreadable folder is an
    /// error only if there is no document at all.
    pub(crate) fn of(
        session: &Session,
        placed: &[HierarchyDocument],
        mut problems: Vec<Problem>,
        keep: impl Fn(&Document) -> bool,
    ) -> Result<Self, Error> {
        if let Some(problem) = problems.first().filter(|_| placed.is_empty()) {
            return Err(problem.clone().into());
        }
        let documents: Vec<&Document> = placed.iter().map(|placed| &*placed.document).collect();
        let (assessments, date_problems) = inherit::assess(session, &documents)?;
        problems.extend(documents.iter().flat_map(|document| document.problems.iter().cloned()));
        problems.extend(date_problems);
        problems.sort();
        problems.dedup();
        let kept = placed.iter().zip(assessments).filter(|(placed, _)| keep(&placed.document));
        let items = kept.map(|(placed, assessment)| {
            let document = &placed.document;
            let name = placed.selectors.last().map(|(_, name)| name.clone());
            ListedDocument {
                name: name.unwrap_or_else(|| document.path.clone()),
                title: document.title.clone(),
                status: document.field("status").map(str::to_owned),
                project: document.field("project").map(str::to_owned),
                source: document.path.clone(),
                staleness: assessment.staleness,
            }
        });
        Ok(Listing { items: items.collect(), problems })
    }
}

impl Answer for Listing {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.items.is_empty() {
            view.line([span(Role::Dim, "none")]);
        }
        let rows = self.items.iter().map(|item| {
            vec![
                span(Role::Key, &item.name),
                item.title.as_deref().unwrap_or("").into(),
                item.status.as_deref().unwrap_or("").into(),
                span(Role::Dim, item.project.as_deref().unwrap_or("")),
                present::freshness(&item.staleness),
            ]
        });
        view.table(&["name", "title", "status", "project", "freshness"], rows.collect());
        if !self.problems.is_empty() {
            view.title("Problems");
            present::problems(&mut view, &self.problems);
        }
        view
    }
}
