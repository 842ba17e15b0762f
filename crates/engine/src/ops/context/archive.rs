//! `context archive`: takes documents out of the cascade.

use heirloom_core::graph::{EdgeKind, Graph};
use heirloom_core::staleness::Action;
use heirloom_store::journal::{self, Rename};
use heirloom_store::{Root, archive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::archive::{Archive, Unit};
use crate::workspace::catalog::{Catalog, Extent, Filed};
use crate::{Answer, Effect, Error, ErrorKind, Group, Operation, Session, Spec};

pub(crate) struct ContextArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The document: a name, an id or a path. A plan goes with all of its folder.
    #[serde(default)]
    name: Option<String>,
    /// Take every document that is past the archive threshold.
    #[serde(default)]
    stale: bool,
    /// Show what would be done and do nothing.
    #[serde(default)]
    dry_run: bool,
    /// Archive the document that everything inherits from without asking.
    #[serde(default)]
    yes: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Archived {
    /// What was moved.
    archived: Vec<Moved>,
    /// What is past the archive threshold and was left alone.
    left: Vec<Left>,
    /// Whether nothing was really done.
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Moved {
    /// Where it was.
    source: String,
    /// Where it is.
    archived_to: String,
    /// Every file that was moved, where it was.
    files: Vec<String>,
    /// What still refers to it.
    referred_to_by: Vec<String>,
    #[serde(skip)]
    renames: Vec<Rename>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Left {
    /// The document.
    source: String,
    /// Why it was left alone.
    reason: String,
}

impl Operation for ContextArchive {
    type Request = Request;
    type Response = Archived;
    const SPEC: Spec = Spec {
        name: "context_archive",
        usage: "context archive [name]",
        group: Group::Plans,
        effect: Effect::TakesAway,
        about: "Move a document to the archive, out of every agent's context; a plan goes with its agents and memory. What still refers to it is listed. `context restore` brings it back.",
    };

    fn run(session: &Session, request: Request) -> Result<Archived, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let catalog = Catalog::read(session)?;
        let (units, left) = match (&request.name, request.stale) {
            (Some(name), false) => {
                let filed = catalog.find(name)?;
                if catalog.is_root_document(filed) && !request.yes && !request.dry_run {
                    return Err(unconfirmed(filed));
                }
                filed.check_is_file(root)?;
                (vec![Unit::around(&catalog.hierarchy, &filed.document.path)], vec![])
            }
            (None, true) => overdue(root, &catalog),
            _ => {
                return Err(Error::bad_input(
                    "name a document, or take all that are past the archive threshold with --stale",
                )
                .hint("run `heir context health --stale` to see them"));
            }
        };
        let graph = catalog.graph(session, Extent::Everything);
        let files = Archive::new(root);
        let moved = units.iter().map(|unit| {
            let version = files.next_version(&catalog.hierarchy, unit);
            moved(root, &catalog, &graph, unit, version)
        });
        let archived: Vec<Moved> = moved.collect();
        if !request.dry_run {
            let renames = archived.iter().flat_map(|moved| moved.renames.clone());
            lock.rename(root, &renames.collect::<Vec<_>>())?;
        }
        Ok(Archived { archived, left, dry_run: request.dry_run })
    }
}

fn unconfirmed(filed: &Filed) -> Error {
    let message = format!("everything inherits from {}", filed.document.path);
    Error::new(ErrorKind::Unconfirmed, message).hint("it is archived only with `yes` (--yes)")
}

/// Returns what is past the archive threshold, and what is left alone all the same: the document
/// that everything inherits from, and a plan of which a part is still current.
fn overdue(root: &Root, catalog: &Catalog) -> (Vec<Unit>, Vec<Left>) {
    let is_overdue = |filed: &Filed| filed.staleness().recommended_action == Action::Archive;
    let mut units: Vec<Unit> = Vec::new();
    let mut left = Vec::new();
    for filed in catalog.filed.iter().filter(|filed| !filed.is_closed() && is_overdue(filed)) {
        let source = filed.document.path.clone();
        if catalog.is_root_document(filed) {
            let reason = "everything inherits from it; name it to archive it".to_owned();
            left.push(Left { source, reason });
            continue;
        }
        if let Err(error) = filed.check_is_file(root) {
            left.push(Left { source, reason: error.message });
            continue;
        }
        let unit = Unit::around(&catalog.hierarchy, &source);
        let mut members = catalog.filed.iter().filter(|filed| unit.holds(&filed.document.path));
        match members.find(|member| !member.is_closed() && !is_overdue(member)) {
            Some(current) => {
                let reason = format!("{} is still current", current.document.path);
                left.push(Left { source, reason });
            }
            None if units.contains(&unit) => {}
            None => units.push(unit),
        }
    }
    let all = units.clone();
    units.retain(|unit| !all.iter().any(|other| other.encloses(unit)));
    (units, left)
}

fn moved(root: &Root, catalog: &Catalog, graph: &Graph, unit: &Unit, version: u32) -> Moved {
    let renames: Vec<Rename> = unit
        .parts_in(root)
        .into_iter()
        .map(|part| Rename { from: part.to_owned(), to: archive::location(part, version) })
        .collect();
    let files = renames.iter().flat_map(|part| match root.is_folder(&part.from) {
        true => archive::files_under(root, &part.from),
        false => vec![part.from.clone()],
    });
    let is_member = |id: &String| {
        catalog.filed.iter().any(|filed| filed.id == *id && unit.holds(&filed.document.path))
    };
    let is_reference = |kind: EdgeKind| matches!(kind, EdgeKind::References | EdgeKind::Supersedes);
    let mut referred_to_by: Vec<String> = graph
        .edges
        .iter()
        .filter(|edge| is_reference(edge.kind) && is_member(&edge.to) && !is_member(&edge.from))
        .filter_map(|edge| graph.node(&edge.from))
        .map(|node| node.path.clone())
        .collect();
    referred_to_by.sort();
    referred_to_by.dedup();
    Moved {
        source: renames.first().map(|part| part.from.clone()).unwrap_or_default(),
        archived_to: renames.first().map(|part| part.to.clone()).unwrap_or_default(),
        files: files.collect(),
        referred_to_by,
        renames,
    }
}

impl Answer for Archived {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.archived.is_empty() && self.left.is_empty() {
            view.say("nothing is past the archive threshold");
        }
        let verb = if self.dry_run { "would archive " } else { "archived " };
        for moved in &self.archived {
            for Rename { from, to } in &moved.renames {
                view.line([
                    span(Role::Good, verb),
                    span(Role::Source, from),
                    format!(" → {to}").into(),
                ]);
            }
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
        for Left { source, reason } in &self.left {
            view.line([
                span(Role::Warning, "left "),
                span(Role::Source, source),
                format!(": {reason}").into(),
            ]);
        }
        view
    }
}
