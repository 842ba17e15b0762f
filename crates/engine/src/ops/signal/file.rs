//! `signal file`: tells which files are open.

use heirloom_core::Hint;
use schemars::JsonSchema;
use serde::Deserialize;

use super::report::SignalReport;
use crate::signals::SignalKind;
use crate::workspace::typed_path::checked_path_in_workspace;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SignalFile;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Paths of files that were opened, the latest last.
    paths: Vec<String>,
}

impl Operation for SignalFile {
    type Request = Request;
    type Response = SignalReport;
    const SPEC: Spec = Spec {
        name: "signal_file",
        usage: "signal file <paths>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Tell which files are open. The latest 5 count in assembled contexts and predictions until they are cleared or deleted. Kept on this machine.",
    };

    fn run(session: &Session, request: Request) -> Result<SignalReport, Error> {
        let root = session.root();
        let mut paths = Vec::new();
        let mut notes: Vec<Hint> = Vec::new();
        for typed in &request.paths {
            let path = checked_path_in_workspace(root, typed)?;
            if !root.exists(&path) {
                let note =
                    format!("there is no file `{path}` in this workspace; it counts once there is");
                notes.push(note.into());
            }
            paths.push(path);
        }
        if paths.is_empty() {
            return Err(Error::bad_input("no path is given"));
        }
        SignalReport::after_adding(session, SignalKind::File, &paths, notes)
    }
}
