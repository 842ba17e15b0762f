//! `signal list`: lists the signals that count now.

use schemars::JsonSchema;
use serde::Deserialize;

use super::report::SignalReport;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SignalList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

impl Operation for SignalList {
    type Request = Request;
    type Response = SignalReport;
    const SPEC: Spec = Spec {
        name: "signal_list",
        usage: "signal list",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "List the signals that count now: open files, the branch, recent errors, collaborators.",
    };

    fn run(session: &Session, _: Request) -> Result<SignalReport, Error> {
        Ok(SignalReport::new(session, vec![], None))
    }
}
