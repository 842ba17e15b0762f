//! `adr supersede`: one decision takes the place of another; both files change, or neither.

use std::collections::BTreeSet;

use heirloom_core::adr::{self, Status};
use heirloom_core::graph::EdgeKind;
use heirloom_core::supersession::Supersession;
use heirloom_store::journal::Change;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{WriteTransaction, lifecycle};
use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct AdrSupersede;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// The decision that is replaced.
    old: String,
    /// The decision that takes its place.
    new: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Superseded {
    /// The decision that is replaced.
    old: String,
    /// The decision that takes its place.
    new: String,
    /// Files that were edited.
    edited: Vec<String>,
    /// The edge that the graph has now.
    edge: heirloom_core::graph::Edge,
    /// Places that still refer to the old decision.
    still_referred_to_by: Vec<Place>,
    /// What to think of.
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Place {
    path: String,
    line: usize,
}

impl Operation for AdrSupersede {
    type Request = Request;
    type Response = Superseded;
    const SPEC: Spec = Spec {
        name: "adr_supersede",
        usage: "adr supersede <old> <new>",
        group: Group::Plans,
        effect: Effect::Writes,
        about: "Record that one decision replaces another: both files are edited together and what still refers to the old one is listed.",
    };

    fn run(session: &Session, request: Request) -> Result<Superseded, Error> {
        let mut transaction = WriteTransaction::begin(session, false)?;
        let catalog = Catalog::read(session)?;
        let (old, old_adr) = catalog.find_adr(&request.old)?;
        let (new, new_adr) = catalog.find_adr(&request.new)?;
        if old.id == new.id {
            return Err(Error::bad_input(format!("{} cannot supersede itself", old_adr.id)));
        }
        for filed in [old, new] {
            if let Some(problem) = filed.document.problems.first() {
                return Err(problem.clone().into());
            }
            filed.check_is_file(session.root())?;
        }
        let relation = Supersession::new(&catalog.adrs);
        let position = |adr: &adr::Adr| relation.at_path(&adr.path).unwrap_or_default();
        if relation.descends(position(old_adr), position(new_adr)) {
            return Err(Error::bad_input(format!(
                "{} already comes after {}; the chain would be a circle",
                old_adr.id, new_adr.id
            ))
            .hint(format!("see `heir adr history {}`", old_adr.id)));
        }
        let changes = [
            Change {
                path: old_adr.path.clone(),
                before: Some(old.text.clone()),
                after: adr::mark_superseded(&old_adr.path, &old.text, new_adr)?,
            },
            Change {
                path: new_adr.path.clone(),
                before: Some(new.text.clone()),
                after: adr::mark_supersedes(&new_adr.path, &new.text, old_adr)?,
            },
        ];
        if !superseded_after(&catalog, &changes) {
            return Err(Error::bad_input(format!(
                "{} and {} are written in a way that cannot be linked safely; nothing was changed",
                old_adr.id, new_adr.id
            ))
            .hint("edit them by hand"));
        }
        let edited = changes
            .iter()
            .filter(|change| change.before.as_ref() != Some(&change.after))
            .map(|change| change.path.clone())
            .collect();
        for change in changes {
            transaction.edit(&change.path, change.before.as_deref(), change.after);
        }
        let known = lifecycle::known_of(session, [old_adr, new_adr])?;
        let mut warnings = warnings(old_adr, new_adr);
        let no =
            lifecycle::supersede_adr(&mut transaction, &known, old_adr, new_adr, &new.document)?;
        warnings.extend(no);
        transaction.commit()?;
        Ok(Superseded {
            old: old_adr.id.clone(),
            new: new_adr.id.clone(),
            edited,
            edge: heirloom_core::graph::Edge {
                from: new.id.clone(),
                to: old.id.clone(),
                kind: EdgeKind::Supersedes,
                via: None,
            },
            still_referred_to_by: still_referring(session, &old_adr.path)?,
            warnings,
        })
    }
}

fn warnings(old: &adr::Adr, new: &adr::Adr) -> Vec<String> {
    let mut warnings = Vec::new();
    if matches!(old.status, Status::Draft | Status::Proposed | Status::Rejected | Status::Withdrawn)
    {
        warnings.push(format!("{} was {} and never accepted", old.id, old.status));
    }
    if new.status != Status::Accepted {
        warnings.push(format!("{} is {}, so neither decision is in force; accept it with `heir adr status {} accepted`", new.id, new.status, new.id));
    }
    warnings
}

/// Reads all records as they would be, to see that exactly the pair that was meant is linked.
fn superseded_after(catalog: &Catalog, changes: &[Change; 2]) -> bool {
    let edited = |adr: &adr::Adr| match changes.iter().find(|change| change.path == adr.path) {
        Some(change) => adr::read(&adr.path, &change.after),
        None => adr.clone(),
    };
    let adrs: Vec<adr::Adr> = catalog.adrs.iter().map(edited).collect();
    let relation = Supersession::new(&adrs);
    let (old, new) = (relation.at_path(&changes[0].path), relation.at_path(&changes[1].path));
    let before = Supersession::new(&catalog.adrs);
    let pairs = |relation: &Supersession<'_>| -> BTreeSet<(usize, usize)> {
        (0..adrs.len())
            .flat_map(|new| {
                relation.predecessors(new).map(move |old| (new, old)).collect::<Vec<_>>()
            })
            .collect()
    };
    let mut wanted = pairs(&before);
    wanted.extend(new.zip(old));
    pairs(&relation) == wanted
}

/// Reads the workspace again, as it is now, for references to what has just been retired.
fn still_referring(session: &Session, retired: &str) -> Result<Vec<Place>, Error> {
    let catalog = Catalog::read(session)?;
    let mut places = catalog.references_to(session, retired);
    places.retain(|(filed, _)| filed.adr.as_ref().is_none_or(|adr| !adr.status.is_retired()));
    let mut places: Vec<Place> = places
        .into_iter()
        .map(|(filed, line)| Place { path: filed.document.path.clone(), line })
        .collect();
    places.dedup_by(|a, b| a.path == b.path && a.line == b.line);
    Ok(places)
}

impl Answer for Superseded {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Key, &self.new), " supersedes ".into(), span(Role::Key, &self.old)]);
        for path in &self.edited {
            view.line([span(Role::Good, "  edited "), span(Role::Source, path)]);
        }
        if self.edited.is_empty() {
            view.line([span(Role::Dim, "  it already did; nothing was edited")]);
        }
        for warning in &self.warnings {
            view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
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
