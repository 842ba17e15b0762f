//! `context validate`: checks for conflicts in CI.

use heirloom_core::plan::{self, DocumentKind};
use heirloom_core::{Document, conflict, path};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::MemoryQuery;
use crate::ops::answers::Findings;
use crate::view::formats::FindingsFormat;
use crate::workspace::catalog::{Catalog, CatalogEntry};
use crate::workspace::scopes::{OVERVIEW_FILE, ScopeFolder};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextValidate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Output format: `github` for annotations, `sarif` for code scanning.
    #[serde(default)]
    format: FindingsFormat,
}

impl Operation for ContextValidate {
    type Request = Request;
    type Response = Findings;
    const SPEC: Spec = Spec {
        name: "context_validate",
        usage: "context validate",
        group: Group::Plans,
        effect: Effect::Reads,
        about: "Check the whole workspace, for CI: exit code 1 on a critical conflict, an unreadable document or front matter that means nothing. Missing front matter of plans and overviews is a warning.",
    };

    fn run(session: &Session, request: Request) -> Result<Findings, Error> {
        let (mut catalog, cached_entries) = Catalog::read_without_text(session)?;
        let known = MemoryQuery::new().related().read_with_cached_entries(
            session,
            &catalog,
            cached_entries,
        )?;
        let mut conflicts = catalog.conflicts(session, None)?;
        conflicts.extend(known.conflicts(None));
        conflict::sort_by_severity(&mut conflicts);
        let mut problems = known.with_problems(std::mem::take(&mut catalog.problems));
        let mut incomplete = Vec::new();
        for (document, kind) in catalog.entries.iter().filter_map(checked_document) {
            let found = plan::check_front_matter(document, kind);
            problems.extend(found.invalid);
            incomplete.extend(found.missing);
        }
        problems.sort();
        problems.dedup();
        incomplete.sort();
        catalog.drop_in_background();
        Ok(Findings::new(conflicts, problems, request.format, true).with_warnings(incomplete))
    }
}

/// Returns a document with its kind if its front matter is checked: an overview or a plan of a scope.
fn checked_document(entry: &CatalogEntry) -> Option<(&Document, DocumentKind)> {
    let path = entry.document.path.as_str();
    let kind = match () {
        () if entry.level.is_none() => return None,
        () if path::file_name(path) == OVERVIEW_FILE => DocumentKind::Overview,
        () if ScopeFolder::Plans.holds(path) => DocumentKind::Plan,
        () => return None,
    };
    Some((&*entry.document, kind))
}
