//! `context validate`: checks for conflicts in CI.

use heirloom_core::conflict;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::MemoryQuery;
use crate::ops::answers::Findings;
use crate::view::formats::FindingsFormat;
use crate::workspace::catalog::Catalog;
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
        about: "Check the whole workspace, for CI: exit code 1 on a critical conflict or an unreadable document.",
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
        let problems = known.with_problems(std::mem::take(&mut catalog.problems));
        catalog.drop_in_background();
        Ok(Findings::new(conflicts, problems, request.format, true))
    }
}
