//! Named documents with their titles, status and freshness.

use heirloom_core::graph::NodeKind;
use heirloom_core::staleness::Staleness;
use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::{Catalog, Filed};
use crate::present;
use crate::view::{Role, View, span};
use crate::{Answer, Error, Session};

/// Named things with their titles.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listing {
    items: Vec<Item>,
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
    #[serde(flatten)]
    staleness: Staleness,
}

impl Listing {
    /// Lists the documents of a kind.
    pub(crate) fn of(
        session: &Session,
        kind: NodeKind,
        keep: impl Fn(&Filed) -> bool,
    ) -> Result<Self, Error> {
        let catalog = Catalog::read(session)?;
        let items =
            catalog.filed.iter().filter(|filed| filed.kind == kind && keep(filed)).map(|filed| {
                Item {
                    name: filed
                        .selectors
                        .last()
                        .map_or_else(|| filed.id.clone(), |(_, name)| name.clone()),
                    title: filed.document.title.clone(),
                    status: filed.document.field("status").map(str::to_owned),
                    project: filed.document.field("project").map(str::to_owned),
                    source: filed.document.path.clone(),
                    staleness: *filed.staleness(),
                }
            });
        Ok(Listing { items: items.collect() })
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
        view
    }
}
