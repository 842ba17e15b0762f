//! `session start`: marks the start of a work session.

use heirloom_core::record::Referent;
use heirloom_store::git;
use heirloom_store::log::IdSequence;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::contradictions::check_stored;
use crate::memory::{OpenSession, WriteTransaction, lifecycle};
use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::workspace::input_checks::check_title;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SessionStart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Title of the session.
    #[serde(default)]
    title: Option<String>,
}

impl Operation for SessionStart {
    type Request = Request;
    type Response = OpenSession;
    const SPEC: Spec = Spec {
        name: "session_start",
        usage: "session start [title]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Start a work session. `session end` stores an episode of it; so does the end of the connection, or `memory.session_hours` without a call. New decisions in documents are stored as facts.",
    };

    fn run(session: &Session, request: Request) -> Result<OpenSession, Error> {
        check_title(request.title.as_deref().unwrap_or_default())?;
        let mut open = OpenSession {
            id: IdSequence::default().next_id(session.now()).to_string(),
            title: request
                .title
                .map(|title| title.trim().to_owned())
                .filter(|title| !title.is_empty()),
            started: session.now().to_string(),
            by: session.author(),
            commit: git::current_commit(session.root()),
            of_connection: session.client().is_connected(),
            notes: vec![],
        };
        // Stores the decisions that were edited into documents since the last session.
        let mut transaction = WriteTransaction::begin(session, false)?;
        transaction.reject_secret(open.title.as_deref().unwrap_or_default())?;
        let catalog = Catalog::read(session)?;
        let known = lifecycle::read_ingested(session, &catalog.adrs)?;
        let ingested = lifecycle::ingest_all(&mut transaction, &catalog, &known);
        transaction.commit()?;
        open.write(session)?;
        session.client().add_work_session(&open.id);
        open.notes = ingested.notes().collect();
        let stored: Vec<Referent> = ingested.stored.into_iter().map(Referent::Record).collect();
        open.notes.extend(check_stored(session, &stored));
        Ok(open)
    }
}

impl Answer for OpenSession {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, "session started "),
            span(Role::Key, heirloom_core::record::short_id(&self.id)),
            format!("  {}", self.title.as_deref().unwrap_or_default()).into(),
        ]);
        for note in &self.notes {
            view.line([span(Role::Warning, format!("⚠️ {note}"))]);
        }
        view
    }
}
