//! `session list`: lists open work sessions.

use heirloom_core::record::short_ids;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::OpenSession;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SessionList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpenSessions {
    /// Open sessions, oldest first.
    sessions: Vec<OpenSession>,
    /// Session files and settings that could not be read, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

impl Operation for SessionList {
    type Request = Request;
    type Response = OpenSessions;
    const SPEC: Spec = Spec {
        name: "session_list",
        usage: "session list",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "List open work sessions.",
    };

    fn run(session: &Session, _: Request) -> Result<OpenSessions, Error> {
        let (sessions, mut problems) = OpenSession::read_all(session)?;
        if let Err(error) = session.config() {
            problems.push(format!("sessions are not ended automatically: {}", error.message));
        }
        Ok(OpenSessions { sessions, problems })
    }
}

impl Answer for OpenSessions {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.sessions.is_empty() {
            view.line([span(Role::Dim, "no session is open")]);
        }
        let ids: Vec<&str> = self.sessions.iter().map(|open| open.id.as_str()).collect();
        let rows = self.sessions.iter().zip(short_ids(&ids)).map(|(open, id)| {
            vec![
                span(Role::Key, id),
                span(Role::Dim, &open.started),
                span(Role::Dim, &open.by),
                open.title.as_deref().unwrap_or_default().into(),
            ]
        });
        view.table(&[], rows.collect());
        for problem in &self.problems {
            view.line([span(Role::Warning, format!("⚠️ {problem}"))]);
        }
        view
    }
}
