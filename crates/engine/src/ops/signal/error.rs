//! `signal error`: tells of an error that was seen.

use schemars::JsonSchema;
use serde::Deserialize;

use super::report::{SignalReport, check_stated};
use crate::signals::SignalKind;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SignalError;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Error message.
    text: String,
}

impl Operation for SignalError {
    type Request = Request;
    type Response = SignalReport;
    const SPEC: Spec = Spec {
        name: "signal_error",
        usage: "signal error <text>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Tell of an error that was seen. The latest 3 count in assembled contexts and predictions for 24 hours. Secrets are redacted. Kept on this machine.",
    };

    fn run(session: &Session, request: Request) -> Result<SignalReport, Error> {
        check_stated(&request.text, "the error message")?;
        SignalReport::after_adding(session, SignalKind::Error, &[request.text], vec![])
    }
}
