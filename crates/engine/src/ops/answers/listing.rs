//! Named documents with their titles, status and freshness.

use heirloom_core::staleness::Staleness;
use heirloom_core::{Document, Problem};
use heirloom_store::layout::Placed;
use schemars::JsonSchema;
use serde::Serialize;

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::documents::Documents;
use crate::workspace::inherit;
use crate::{Answer, Error, Session};

/// Named things with their titles.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listing {
    items: Vec<Item>,
    /// What could not be read.
    problems: Vec<Problem>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    /// Its name.
    name: String,
    /// Its title.
    title: Option<String>,
    /// Its status.
    status: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// Its file.
    source: String,
    /// How fresh it is.
    staleness: Staleness,
}

impl Listing {
    /// Lists the names of a level of the default hierarchy, by their main documents.
    pub(crate) fn of_level(
        session: &Session,
        level: &str,
        keep: impl Fn(&Document) -> bool,
    ) -> Result<Self, Error> {
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let (placed, problems) = Documents::of_level(session, &hierarchy, level);
        Self::of(session, &placed, problems, keep)
    }

    /// Lists documents by the last name that leads to them. A folder that cannot be read is an error
    /// where nothing else is left to list.
    pub(crate) fn of(
        session: &Session,
        placed: &[Placed],
        mut problems: Vec<Problem>,
        keep: impl Fn(&Document) -> bool,
    ) -> Result<Self, Error> {
        if let Some(problem) = problems.first().filter(|_| placed.is_empty()) {
            return Err(problem.clone().into());
        }
        let documents: Vec<&Document> = placed.iter().map(|placed| &*placed.document).collect();
        let (judged, date_problems) = inherit::judge(session, &documents)?;
        problems.extend(documents.iter().flat_map(|document| document.problems.iter().cloned()));
        problems.extend(date_problems);
        problems.sort();
        problems.dedup();
        let kept = placed.iter().zip(judged).filter(|(placed, _)| keep(&placed.document));
        let items = kept.map(|(placed, judged)| {
            let document = &placed.document;
            let name = placed.selectors.last().map(|(_, name)| name.clone());
            Item {
                name: name.unwrap_or_else(|| document.path.clone()),
                title: document.title.clone(),
                status: document.field("status").map(str::to_owned),
                project: document.field("project").map(str::to_owned),
                source: document.path.clone(),
                staleness: judged.staleness,
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
