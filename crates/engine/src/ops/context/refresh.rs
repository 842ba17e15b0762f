//! `context refresh`: confirms that a document is still correct.

use heirloom_core::frontmatter;
use heirloom_store::journal::{self, FileChange};
use heirloom_store::layout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextRefresh;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Document, by name (architecture), id (ADR-0003) or path.
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RefreshReport {
    /// Path of the file.
    source: String,
    /// Previous date.
    before: Option<String>,
    /// New date.
    updated: String,
}

impl Operation for ContextRefresh {
    type Request = Request;
    type Response = RefreshReport;
    const SPEC: Spec = Spec {
        name: "context_refresh",
        usage: "context refresh <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Set the `updated` date of a document to today, after checking that it is still correct. Nothing else in the file changes.",
    };

    fn run(session: &Session, request: Request) -> Result<RefreshReport, Error> {
        let lock = journal::lock(session.root())?;
        let catalog = Catalog::read(session)?;
        let catalog_entry = catalog.find(&request.name)?;
        if let Some(problem) = catalog_entry.document.problems.first() {
            return Err(problem.clone().into());
        }
        let path = catalog_entry.document.path.clone();
        if !layout::is_markdown(&path) {
            let message = format!("{path} is not markdown, so it has no front matter for a date");
            return Err(Error::bad_input(message).hint("its date is that of its last commit"));
        }
        let updated = session.today().to_string();
        let after = frontmatter::set(&path, &catalog_entry.text, "updated", &json!(updated))?;
        lock.apply_changes(
            session.root(),
            &[FileChange { path: path.clone(), before: Some(catalog_entry.text.clone()), after }],
        )?;
        Ok(RefreshReport {
            source: path,
            before: catalog_entry.assessment.updated.map(|date| date.to_string()),
            updated,
        })
    }
}

impl Answer for RefreshReport {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, "refreshed "),
            span(Role::Source, &self.source),
            format!("  {} → {}", self.before.as_deref().unwrap_or("no date"), self.updated).into(),
        ]);
        view
    }
}
