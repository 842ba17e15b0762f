//! `signal user`: tells which person collaborates.

use schemars::JsonSchema;
use serde::Deserialize;

use super::report::{SignalReport, check_stated};
use crate::signals::SignalKind;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SignalUser;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Name of the person.
    name: String,
}

impl Operation for SignalUser {
    type Request = Request;
    type Response = SignalReport;
    const SPEC: Spec = Spec {
        name: "signal_user",
        usage: "signal user <name>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Tell which person collaborates. What is known of their preferences counts in assembled contexts and predictions for 12 hours. Kept on this machine.",
    };

    fn run(session: &Session, request: Request) -> Result<SignalReport, Error> {
        check_stated(&request.name, "the name of the person")?;
        SignalReport::after_adding(session, SignalKind::User, &[request.name], vec![])
    }
}
