//! `context archive`: takes documents out of the cascade.

use heirloom_core::graph::EdgeKind;
use heirloom_core::staleness::Action;
use heirloom_store::files::ARCHIVE;
use heirloom_store::journal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, Filed};
use crate::present;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(super) struct ContextArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// The document: a name, an id or a path.
    #[serde(default)]
    name: Option<String>,
    /// Take every document that is past the archive threshold.
    #[serde(default)]
    stale: bool,
    /// Show what would be done and do nothing.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Archived {
    /// What was moved.
    archived: Vec<Moved>,
    /// Whether nothing was really done.
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Moved {
    /// Where it was.
    source: String,
    /// Where it is.
    archived_to: String,
    /// What still refers to it.
    referred_to_by: Vec<String>,
}

impl Operation for ContextArchive {
    type Request = Request;
    type Response = Archived;
    const SPEC: Spec = Spec {
        name: "context_archive",
        usage: "context archive [name]",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Move a document to the archive, out of every agent's context; what still refers to it is listed. `context restore` brings it back.",
    };

    fn run(session: &Session, request: Request) -> Result<Archived, Error> {
        let _lock = journal::lock(session.root())?;
        let catalog = Catalog::read(session)?;
        let chosen: Vec<&Filed> = match (&request.name, request.stale) {
            (Some(name), false) => vec![catalog.find(name)?],
            (None, true) => catalog
                .filed
                .iter()
                .filter(|filed| {
                    !filed.is_closed() && filed.staleness().recommended_action == Action::Archive
                })
                .collect(),
            _ => {
                return Err(Error::bad_input(
                    "name a document, or take all that are past the archive threshold with --stale",
                )
                .hint("run `heir context health --stale` to see them"));
            }
        };
        let graph = catalog.graph(session);
        let mut archived = Vec::new();
        for filed in chosen {
            let source = filed.document.path.clone();
            let archived_to = format!("{ARCHIVE}/{source}");
            let is_reference =
                |kind: EdgeKind| matches!(kind, EdgeKind::References | EdgeKind::Supersedes);
            let mut referred_to_by: Vec<String> = graph
                .edges
                .iter()
                .filter(|edge| edge.to == filed.id && is_reference(edge.kind))
                .filter_map(|edge| graph.node(&edge.from))
                .map(|node| node.path.clone())
                .collect();
            referred_to_by.dedup();
            if !request.dry_run {
                let moved = session.root().rename(&source, &archived_to).map_err(Error::from);
                moved.map_err(|error| after_some(error, &archived))?;
            }
            archived.push(Moved { source, archived_to, referred_to_by });
        }
        Ok(Archived { archived, dry_run: request.dry_run })
    }
}

/// A failure half-way through says what was already done.
fn after_some(error: Error, archived: &[Moved]) -> Error {
    if archived.is_empty() {
        return error;
    }
    let paths: Vec<&str> = archived.iter().map(|moved| moved.source.as_str()).collect();
    Error { message: format!("{}; already archived: {}", error.message, paths.join(", ")), ..error }
}

impl Answer for Archived {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.archived.is_empty() {
            view.say("nothing is past the archive threshold");
        }
        let verb = if self.dry_run { "would archive " } else { "archived " };
        for moved in &self.archived {
            view.line([
                span(Role::Good, verb),
                span(Role::Source, &moved.source),
                format!(" → {}", moved.archived_to).into(),
            ]);
            if !moved.referred_to_by.is_empty() {
                view.line([span(
                    Role::Warning,
                    format!(
                        "   still referred to by {}:",
                        present::count(moved.referred_to_by.len(), "document")
                    ),
                )]);
                for path in &moved.referred_to_by {
                    view.line(["     ".into(), span(Role::Source, path)]);
                }
            }
        }
        view
    }
}
