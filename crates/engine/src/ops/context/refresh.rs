//! `context refresh`: says that a document was read and still holds.

use heirloom_core::frontmatter;
use heirloom_store::journal::{self, Change};
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
    /// The document: a name (architecture), an id (ADR-0003) or a path.
    name: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Refreshed {
    /// The file.
    source: String,
    /// Its date before.
    before: Option<String>,
    /// Its date now.
    updated: String,
}

impl Operation for ContextRefresh {
    type Request = Request;
    type Response = Refreshed;
    const SPEC: Spec = Spec {
        name: "context_refresh",
        usage: "context refresh <name>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Set a document's `updated` date to today, after you have read it and it still holds. Nothing else in the file changes.",
    };

    fn run(session: &Session, request: Request) -> Result<Refreshed, Error> {
        let lock = journal::lock(session.root())?;
        let catalog = Catalog::read(session)?;
        let filed = catalog.find(&request.name)?;
        if let Some(problem) = filed.document.problems.first() {
            return Err(problem.clone().into());
        }
        let path = filed.document.path.clone();
        if !layout::is_markdown(&path) {
            let why =
                format!("{path} is not markdown, so it has no front matter to keep a date in");
            return Err(Error::bad_input(why).hint("its date is that of its last commit"));
        }
        let updated = session.today().to_string();
        let after = frontmatter::set(&path, &filed.text, "updated", &json!(updated))?;
        lock.apply(
            session.root(),
            &[Change { path: path.clone(), before: Some(filed.text.clone()), after }],
        )?;
        Ok(Refreshed {
            source: path,
            before: filed.judged.updated.map(|date| date.to_string()),
            updated,
        })
    }
}

impl Answer for Refreshed {
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
