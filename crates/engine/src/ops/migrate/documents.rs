//! Finds the documents whose front matter is completed.

use heirloom_core::Problem;
use heirloom_core::path;
use heirloom_core::plan::DocumentKind;

use crate::workspace::inherit;
use crate::workspace::plan_documents::{documents_of_level, plans_of_level, plans_of_scopes};
use crate::workspace::scopes::{OVERVIEW_FILE, Scopes};
use crate::{Error, Session};

/// A document that should have front matter.
#[derive(Debug)]
pub(super) struct MigratedDocument {
    pub(super) path: String,
    pub(super) kind: DocumentKind,
    /// Where an abstract of it may be.
    pub(super) abstract_path: Option<String>,
    /// Whether `title` serves as its name.
    pub(super) has_title: bool,
}

/// Finds the plans and overviews of scopes, and the plans and projects of the default hierarchy, in the order of their
/// paths.
pub(super) fn find(session: &Session) -> Result<(Vec<MigratedDocument>, Vec<Problem>), Error> {
    let root = session.root();
    let scopes = Scopes::of(root, session.config()?)?;
    let all = scopes.all()?;
    let mut found = Vec::new();
    let overviews = all.iter().filter_map(|scope| scopes.file(scope, OVERVIEW_FILE));
    found.extend(overviews.map(|path| MigratedDocument {
        abstract_path: Some(format!("{}/ABSTRACT.md", path::folder(&path))),
        path,
        kind: DocumentKind::Overview,
        has_title: false,
    }));
    let (plans, mut problems) = plans_of_scopes(&scopes, &all);
    found.extend(plans.into_iter().map(|plan| MigratedDocument {
        path: plan.path,
        kind: DocumentKind::Plan,
        abstract_path: None,
        has_title: false,
    }));
    if !scopes.are_default(session.config()?)? {
        let (plans, more) = plans_of_level(session)?;
        problems.extend(more);
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let (projects, more) = documents_of_level(root, &hierarchy, "project");
        problems.extend(more);
        let plans = plans.into_iter().map(|plan| (plan.path, DocumentKind::Plan));
        let projects = projects.into_iter().map(|found| (found.path, DocumentKind::Overview));
        found.extend(plans.chain(projects).map(|(path, kind)| MigratedDocument {
            path,
            kind,
            abstract_path: None,
            has_title: true,
        }));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    Ok((found, problems))
}
