//! The work sessions that are open: one file each in the state of this machine.

use heirloom_store::state::StateFolder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, Session};

/// Folder of open sessions in the state of this machine.
const OPEN_SESSIONS: &str = "sessions";

/// A work session that has not ended.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct OpenSession {
    /// Id, for `session end`.
    pub(crate) id: String,
    /// Title of the session.
    pub(crate) title: Option<String>,
    /// Start time.
    pub(crate) started: String,
    /// Author of the work.
    pub(crate) by: String,
    /// Commit that was checked out at the start.
    pub(crate) commit: Option<String>,
    /// Whether it belongs to the connection that started it, so that calls of others are not part of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) of_connection: bool,
    /// Decisions in documents that could not be stored as facts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl OpenSession {
    /// Reads the open sessions, oldest first, and lists files that could not be read.
    pub(crate) fn read_all(session: &Session) -> Result<(Vec<Self>, Vec<String>), Error> {
        let folder = folder(session);
        let mut sessions = Vec::new();
        let mut problems = Vec::new();
        for name in folder.names() {
            let Some(text) = folder.read(&name)? else { continue };
            match serde_json::from_str::<OpenSession>(&text) {
                Ok(session) => sessions.push(session),
                Err(error) => {
                    let path = folder.path(&name);
                    problems.push(format!(
                        "{}: the file is not a valid session: {error}",
                        path.display()
                    ));
                }
            }
        }
        Ok((sessions, problems))
    }

    /// Returns whether any session is open.
    pub(crate) fn is_any_open(session: &Session) -> bool {
        let folder = folder(session);
        folder.exists() && !folder.names().is_empty()
    }

    /// Writes the file of the session.
    pub(crate) fn write(&self, session: &Session) -> Result<(), Error> {
        let text = serde_json::to_string(self).map_err(|error| Error::system(error.to_string()))?;
        Ok(folder(session).write(&self.id, &text)?)
    }

    /// Removes the file of the session.
    pub(crate) fn remove(&self, session: &Session) -> Result<(), Error> {
        Ok(folder(session).remove(&self.id)?)
    }

    /// Returns whether the session is still open.
    pub(crate) fn is_open(&self, session: &Session) -> bool {
        folder(session).path(&self.id).exists()
    }
}

fn folder(session: &Session) -> StateFolder<'_> {
    StateFolder::in_state(session.root(), OPEN_SESSIONS)
}

/// Returns the open session that a request belongs to: the one that its client started last, else the only one of the
/// author that does not belong to another connection. Records of the same session are recalled together.
pub(crate) fn current_session(session: &Session) -> Option<String> {
    if !OpenSession::is_any_open(session) {
        return None;
    }
    let (open, _) = OpenSession::read_all(session).ok()?;
    let started = session.client().work_sessions();
    let is_open = |id: &&String| open.iter().any(|open| open.id == **id);
    if let Some(own) = started.iter().rev().find(is_open) {
        return Some(own.clone());
    }
    let author = session.author();
    let mut sessions = open.into_iter().filter(|open| open.by == author && !open.of_connection);
    sessions.next().filter(|_| sessions.next().is_none()).map(|open| open.id)
}
