//! `adr supersede`: records that one decision replaces another, in both files or in neither.

use std::collections::BTreeSet;

use heirloom_core::Hint;
use heirloom_core::adr::{self, Status};
use heirloom_core::graph::EdgeKind;
use heirloom_core::supersession::Supersession;
use heirloom_store::journal::FileChange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{WriteTransaction, lifecycle};
use crate::view::{Role, View, span};
use crate::workspace::catalog::{Catalog, CatalogEntry};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrSupersede;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Decision record that is replaced.
    old: String,
    /// Decision record that replaces it.
    new: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SupersessionReport {
    /// Id of the replaced record.
    old: String,
    /// Id of the record that replaces it.
    new: String,
    /// Edited files.
    edited: Vec<String>,
    /// The new edge of the graph.
    edge: heirloom_core::graph::GraphEdge,
    /// References to the old record that remain.
    still_referred_to_by: Vec<ReferencePlace>,
    /// Warnings.
    warnings: Vec<Hint>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ReferencePlace {
    path: String,
    line: usize,
}

impl Operation for AdrSupersede {
    type Request = Request;
    type Response = SupersessionReport;
    const SPEC: Spec = Spec {
        name: "adr_supersede",
        usage: "adr supersede <old> <new>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Record that one decision replaces another. Both files are edited together, and remaining references to the old one are listed.",
    };

    fn run(session: &Session, request: Request) -> Result<SupersessionReport, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let catalog = Catalog::read(session)?;
        let (old, old_adr) = catalog.find_adr(&request.old)?;
        let (new, new_adr) = catalog.find_adr(&request.new)?;
        if old.id == new.id {
            return Err(Error::bad_input(format!("{} cannot supersede itself", old_adr.id)));
        }
        for catalog_entry in [old, new] {
            if let Some(problem) = catalog_entry.document.problems.first() {
                return Err(problem.clone().into());
            }
            catalog_entry.check_is_file(session.root())?;
        }
        check_acyclic(&catalog, old_adr, new_adr)?;
        let changes = link(&catalog, (old, old_adr), (new, new_adr))?;
        let edited = changes
            .iter()
            .filter(|change| change.before.as_ref() != Some(&change.after))
            .map(|change| change.path.clone())
            .collect();
        for change in changes {
            transaction.edit(&change.path, change.before.as_deref(), change.after);
        }
        let known = lifecycle::read_ingested(session, [old_adr, new_adr])?;
        let mut warnings = warnings(old_adr, new_adr);
        let warning =
            lifecycle::supersede_adr(&mut transaction, &known, old_adr, new_adr, &new.document)?;
        warnings.extend(warning.map(Hint::from));
        transaction.commit()?;
        Ok(SupersessionReport {
            old: old_adr.id.clone(),
            new: new_adr.id.clone(),
            edited,
            edge: heirloom_core::graph::GraphEdge {
                from: new.id.clone(),
                to: old.id.clone(),
                kind: EdgeKind::Supersedes,
                via: None,
            },
            still_referred_to_by: remaining_references(session, &old_adr.path)?,
            warnings,
        })
    }
}

/// Returns an error if the old record already replaced the new one, directly or indirectly.
fn check_acyclic(catalog: &Catalog, old: &adr::Adr, new: &adr::Adr) -> Result<(), Error> {
    let supersession = Supersession::new(&catalog.adrs);
    let position = |adr: &adr::Adr| supersession.index_of_path(&adr.path).unwrap_or_default();
    if supersession.is_descendant(position(old), position(new)) {
        return Err(Error::bad_input(format!(
            "{} already replaces {}; this would create a cycle",
            old.id, new.id
        ))
        .hint(Hint::text("see ").call("adr_history", [("id", &old.id)])));
    }
    Ok(())
}

/// Returns the edits that link the two records to each other.
fn link(
    catalog: &Catalog,
    (old, old_adr): (&CatalogEntry, &adr::Adr),
    (new, new_adr): (&CatalogEntry, &adr::Adr),
) -> Result<[FileChange; 2], Error> {
    let changes = [
        FileChange {
            path: old_adr.path.clone(),
            before: Some(old.text.clone()),
            after: adr::mark_superseded(&old_adr.path, &old.text, new_adr)?,
        },
        FileChange {
            path: new_adr.path.clone(),
            before: Some(new.text.clone()),
            after: adr::mark_supersedes(&new_adr.path, &new.text, old_adr)?,
        },
    ];
    if !links_only_this_pair(catalog, &changes) {
        return Err(Error::bad_input(format!(
            "{} and {} are written in a way that cannot be linked safely; nothing was changed",
            old_adr.id, new_adr.id
        ))
        .hint("edit both files by hand"));
    }
    Ok(changes)
}

fn warnings(old: &adr::Adr, new: &adr::Adr) -> Vec<Hint> {
    let mut warnings = Vec::new();
    if matches!(old.status, Status::Draft | Status::Proposed | Status::Rejected | Status::Withdrawn)
    {
        warnings.push(format!("{} was {} and was never accepted", old.id, old.status).into());
    }
    if new.status != Status::Accepted {
        let reason = format!("{} is {}, so neither decision is in force", new.id, new.status);
        warnings.push(
            Hint::text(reason).then("; accept it with ").call(
                "adr_status",
                [("id", new.id.as_str()), ("status", Status::Accepted.as_str())],
            ),
        );
    }
    warnings
}

/// Returns whether the changes add exactly one supersession, between the two changed records.
fn links_only_this_pair(catalog: &Catalog, changes: &[FileChange; 2]) -> bool {
    let edited = |adr: &adr::Adr| match changes.iter().find(|change| change.path == adr.path) {
        Some(change) => adr::read(&adr.path, &change.after),
        None => adr.clone(),
    };
    let adrs: Vec<adr::Adr> = catalog.adrs.iter().map(edited).collect();
    let after = Supersession::new(&adrs);
    let (old, new) = (after.index_of_path(&changes[0].path), after.index_of_path(&changes[1].path));
    let before = Supersession::new(&catalog.adrs);
    let pairs = |supersession: &Supersession<'_>| -> BTreeSet<(usize, usize)> {
        (0..adrs.len())
            .flat_map(|new| {
                supersession.predecessors(new).map(move |old| (new, old)).collect::<Vec<_>>()
            })
            .collect()
    };
    let mut expected = pairs(&before);
    expected.extend(new.zip(old));
    pairs(&after) == expected
}

/// Reads the workspace again and returns the remaining references to the retired record.
fn remaining_references(session: &Session, retired: &str) -> Result<Vec<ReferencePlace>, Error> {
    let catalog = Catalog::read(session)?;
    let mut places = catalog.references_to(session, retired);
    places.retain(|(catalog_entry, _)| {
        catalog_entry.adr.as_ref().is_none_or(|adr| !adr.status.is_retired())
    });
    let mut places: Vec<ReferencePlace> = places
        .into_iter()
        .map(|(catalog_entry, line)| ReferencePlace {
            path: catalog_entry.document.path.clone(),
            line,
        })
        .collect();
    places.dedup_by(|a, b| a.path == b.path && a.line == b.line);
    Ok(places)
}

impl Answer for SupersessionReport {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Key, &self.new), " supersedes ".into(), span(Role::Key, &self.old)]);
        for path in &self.edited {
            view.line([span(Role::Good, "  edited "), span(Role::Source, path)]);
        }
        if self.edited.is_empty() {
            view.line([span(Role::Dim, "  this was already recorded; nothing was edited")]);
        }
        for warning in &self.warnings {
            view.line([span(Role::Warning, Hint::text("⚠️ ").then_hint(warning))]);
        }
        if !self.still_referred_to_by.is_empty() {
            view.line([span(Role::Warning, format!("⚠️ {} is still referred to:", self.old))]);
            for place in &self.still_referred_to_by {
                view.line([span(Role::Source, format!("     {}:{}", place.path, place.line))]);
            }
        }
        view
    }
}
