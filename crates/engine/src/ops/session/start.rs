//! `session start`: marks where a session of work begins.

use heirloom_store::{git, log, state};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::{OPEN_SESSIONS, WriteTransaction, lifecycle};
use crate::view::{Role, View, span};
use crate::workspace::catalog::Catalog;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SessionStart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What the session is about.
    #[serde(default)]
    title: Option<String>,
}

/// A session that is not ended yet.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Open {
    /// Its id, for `session end`.
    pub(crate) id: String,
    /// What it is about.
    pub(crate) title: Option<String>,
    /// When it began.
    pub(crate) started: String,
    /// Who works.
    pub(crate) by: String,
    /// The commit that was checked out.
    pub(crate) commit: Option<String>,
    /// What people decided in documents and what could not be stored as a fact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Operation for SessionStart {
    type Request = Request;
    type Response = Open;
    const SPEC: Spec = Spec {
        name: "session_start",
        usage: "session start [title]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Mark where a session of work begins; `session end` makes an episode of it. Decisions that people wrote into documents meanwhile become facts.",
    };

    fn run(session: &Session, request: Request) -> Result<Open, Error> {
        let mut open = Open {
            id: log::new_id(session.now()).to_string(),
            title: request.title.map(|title| title.trim().to_owned()).filter(|t| !t.is_empty()),
            started: session.now().to_string(),
            by: session.author(),
            commit: git::current_commit(session.root()),
            notes: vec![],
        };
        let text =
            serde_json::to_string(&open).map_err(|error| Error::system(error.to_string()))?;
        // What people decided in their editors since the last session is known from here on.
        let mut transaction = WriteTransaction::begin(session, false)?;
        let catalog = Catalog::read(session)?;
        let known = lifecycle::known_of(session, &catalog.adrs)?;
        let ingested = lifecycle::ingest_all(&mut transaction, &catalog, &known);
        transaction.commit()?;
        state::Shelf::of(session.root(), OPEN_SESSIONS).write(&open.id, &text)?;
        open.notes = ingested.left_out;
        Ok(open)
    }
}

impl Answer for Open {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([
            span(Role::Good, "session started "),
            span(Role::Key, heirloom_core::record::short(&self.id)),
            format!("  {}", self.title.as_deref().unwrap_or_default()).into(),
        ]);
        for note in &self.notes {
            view.line([span(Role::Warning, format!("⚠️ {note}"))]);
        }
        view
    }
}
