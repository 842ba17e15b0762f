//! `signal clear`: forgets signals.

use schemars::JsonSchema;
use serde::Deserialize;

use super::report::SignalReport;
use crate::signals::{SignalKind, StoredSignals};
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SignalClear;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Kind of the signals; without it, all are forgotten.
    #[serde(default)]
    kind: Option<SignalKind>,
}

impl Operation for SignalClear {
    type Request = Request;
    type Response = SignalReport;
    const SPEC: Spec = Spec {
        name: "signal_clear",
        usage: "signal clear [kind]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Forget the signals of a kind, or all: open files, the branch, errors, collaborators.",
    };

    fn run(session: &Session, request: Request) -> Result<SignalReport, Error> {
        let mut cleared = 0;
        let problem =
            StoredSignals::update(session, |signals| cleared = signals.clear(request.kind))?;
        let mut report = SignalReport::new(session, vec![], problem);
        report.cleared = Some(cleared);
        Ok(report)
    }
}
