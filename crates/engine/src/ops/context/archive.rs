//! `context archive`: moves documents to the archive.

use heirloom_core::Hint;
use heirloom_core::graph::{EdgeKind, Graph};
use heirloom_core::staleness::RecommendedAction;
use heirloom_store::journal::{self, Rename};
use heirloom_store::{Root, archive};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::archive::{Archive, Unit};
use crate::workspace::catalog::{Catalog, CatalogEntry, GraphExtent};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Document, by name, id or path. A plan includes its whole folder.
    #[serde(default)]
    name: Option<String>,
    /// Archive every document past the archive threshold.
    #[serde(default)]
    stale: bool,
    /// Only show what would be done.
    #[serde(default)]
    dry_run: bool,
    /// Confirm archiving the document that everything inherits from.
    #[serde(default)]
    yes: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ArchiveReport {
    /// Archived documents and plans.
    archived: Vec<ArchivedUnit>,
    /// Documents past the archive threshold that were skipped.
    left: Vec<SkippedDocument>,
    /// Whether this is only a preview: nothing was changed.
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ArchivedUnit {
    /// Path before.
    source: String,
    /// Path in the archive.
    archived_to: String,
    /// Path before of every moved file.
    files: Vec<String>,
    /// Documents that still refer to it.
    referred_to_by: Vec<String>,
    #[serde(skip)]
    renames: Vec<Rename>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkippedDocument {
    /// Path of the document.
    source: String,
    /// Why it was skipped.
    reason: String,
}

impl Operation for ContextArchive {
    type Request = Request;
    type Response = ArchiveReport;
    const SPEC: Spec = Spec {
        name: "context_archive",
        usage: "context archive [name]",
        group: Group::Plans,
        effect: Effect::Removes,
        about: "Move a document to the archive, out of every context. A plan includes its agents and memory. Remaining references are listed. `context restore` restores it.",
    };

    fn run(session: &Session, request: Request) -> Result<ArchiveReport, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let catalog = Catalog::read(session)?;
        let (units, left) = match (&request.name, request.stale) {
            (Some(name), false) => {
                let catalog_entry = catalog.find(name)?;
                if catalog.is_root_document(catalog_entry) && !request.yes && !request.dry_run {
                    return Err(confirmation_error(catalog_entry));
                }
                catalog_entry.check_is_file(root)?;
                (vec![Unit::of_document(&catalog.hierarchy, &catalog_entry.document.path)], vec![])
            }
            (None, true) => find_overdue(root, &catalog),
            _ => {
                return Err(Error::bad_input("it is not clear what to archive").hint(
                    Hint::text("name a document, or use ")
                        .field("stale")
                        .then(" for all past the archive threshold, which ")
                        .call("context_health", [("stale", true)])
                        .then(" lists"),
                ));
            }
        };
        let graph = catalog.graph(session, GraphExtent::Everything);
        let files = Archive::new(root);
        let moves = units.iter().map(|unit| {
            let version = files.next_version(&catalog.hierarchy, unit);
            plan_move(root, &catalog, &graph, unit, version)
        });
        let archived: Vec<ArchivedUnit> = moves.collect();
        if !request.dry_run {
            let renames = archived.iter().flat_map(|moved| moved.renames.clone());
            lock.rename(root, &renames.collect::<Vec<_>>())?;
        }
        Ok(ArchiveReport { archived, left, dry_run: request.dry_run })
    }
}

fn confirmation_error(catalog_entry: &CatalogEntry) -> Error {
    let message = format!("everything inherits from {}", catalog_entry.document.path);
    Error::unconfirmed(message)
}

/// Returns what is past the archive threshold, and what is skipped nevertheless: the document that
/// everything inherits from, and plans with a current part.
fn find_overdue(root: &Root, catalog: &Catalog) -> (Vec<Unit>, Vec<SkippedDocument>) {
    let is_overdue = |catalog_entry: &CatalogEntry| {
        catalog_entry.staleness().recommended_action == RecommendedAction::Archive
    };
    let mut units: Vec<Unit> = Vec::new();
    let mut skipped = Vec::new();
    for catalog_entry in catalog
        .entries
        .iter()
        .filter(|catalog_entry| !catalog_entry.is_closed() && is_overdue(catalog_entry))
    {
        let source = catalog_entry.document.path.clone();
        if catalog.is_root_document(catalog_entry) {
            let reason = "everything inherits from it; archive it by name".to_owned();
            skipped.push(SkippedDocument { source, reason });
            continue;
        }
        if let Err(error) = catalog_entry.check_is_file(root) {
            skipped.push(SkippedDocument { source, reason: error.message });
            continue;
        }
        let unit = Unit::of_document(&catalog.hierarchy, &source);
        let mut members = catalog
            .entries
            .iter()
            .filter(|catalog_entry| unit.contains(&catalog_entry.document.path));
        match members.find(|member| !member.is_closed() && !is_overdue(member)) {
            Some(current) => {
                let reason = format!("{} is still current", current.document.path);
                skipped.push(SkippedDocument { source, reason });
            }
            None if units.contains(&unit) => {}
            None => units.push(unit),
        }
    }
    let all = units.clone();
    units.retain(|unit| !all.iter().any(|other| other.encloses(unit)));
    (units, skipped)
}

fn plan_move(
    root: &Root,
    catalog: &Catalog,
    graph: &Graph,
    unit: &Unit,
    version: u32,
) -> ArchivedUnit {
    let renames: Vec<Rename> = unit
        .existing_parts(root)
        .into_iter()
        .map(|part| Rename { from: part.to_owned(), to: archive::location(part, version) })
        .collect();
    let files = renames.iter().flat_map(|part| match root.is_folder(&part.from) {
        true => archive::files_under(root, &part.from),
        false => vec![part.from.clone()],
    });
    let is_member = |id: &String| {
        catalog.entries.iter().any(|catalog_entry| {
            catalog_entry.id == *id && unit.contains(&catalog_entry.document.path)
        })
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
    ArchivedUnit {
        source: renames.first().map(|part| part.from.clone()).unwrap_or_default(),
        archived_to: renames.first().map(|part| part.to.clone()).unwrap_or_default(),
        files: files.collect(),
        referred_to_by,
        renames,
    }
}

impl Answer for ArchiveReport {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.archived.is_empty() && self.left.is_empty() {
            view.plain_line("nothing is past the archive threshold");
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
        let skip_verb = if self.dry_run { "would skip " } else { "skipped " };
        for SkippedDocument { source, reason } in &self.left {
            view.line([
                span(Role::Warning, skip_verb),
                span(Role::Source, source),
                format!(": {reason}").into(),
            ]);
        }
        view
    }
}
