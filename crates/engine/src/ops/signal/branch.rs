//! `signal branch`: tells which branch is worked on.

use schemars::JsonSchema;
use serde::Deserialize;

use super::report::{SignalReport, check_stated};
use crate::signals::SignalKind;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SignalBranch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Name of the branch.
    name: String,
}

impl Operation for SignalBranch {
    type Request = Request;
    type Response = SignalReport;
    const SPEC: Spec = Spec {
        name: "signal_branch",
        usage: "signal branch <name>",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Tell which branch is worked on, if it is not the checked-out one. It counts until another branch is checked out. Kept on this machine.",
    };

    fn run(session: &Session, request: Request) -> Result<SignalReport, Error> {
        check_stated(&request.name, "the name of the branch")?;
        SignalReport::after_adding(session, SignalKind::Branch, &[request.name], vec![])
    }
}
