//! Ends work sessions automatically: after a timeout, and when the client that started them disconnects.

use heirloom_core::Problem;
use jiff::{SignedDuration, Timestamp};

use super::activity::Activity;
use super::end::{Ending, end};
use crate::memory::OpenSession;
use crate::{Error, Session};

/// Ends the sessions without a call for longer than the settings allow. A session that cannot be ended stays open, and
/// the next command tries again.
pub(super) fn end_expired(session: &Session) {
    let Ok((open, _)) = OpenSession::read_all(session) else { return };
    let Ok(config) = session.config() else { return };
    let limit = SignedDuration::from_hours(config.memory.session_hours.into());
    for open in open {
        let Ok(activity) = Activity::read(session, &open) else { continue };
        let last = activity.last.or_else(|| open.started.parse().ok());
        let Some(last) = last.filter(|last| session.now().duration_since(*last) > limit) else {
            continue;
        };
        let _ = end_at(session, &open, last);
    }
}

/// Ends the sessions that the client of a request started and did not end. Returns the problems of those that could
/// not be ended.
pub fn end_sessions_of_client(session: &Session) -> Vec<Problem> {
    let started = session.client().work_sessions();
    if started.is_empty() {
        return vec![];
    }
    let (open, _) = match OpenSession::read_all(session) {
        Ok(read) => read,
        Err(error) => return vec![Problem::in_file("sessions", error.message)],
    };
    let own = open.iter().filter(|open| started.contains(&open.id));
    let ended = own.filter_map(|open| {
        let error = end_at(session, open, session.now()).err()?;
        Some(Problem::in_file(format!("session {}", open.id), error.message))
    });
    ended.collect()
}

/// Ends a session as of a time, with the conversation that was held until then.
fn end_at(session: &Session, open: &OpenSession, at: Timestamp) -> Result<(), Error> {
    end(session, open, Ending { at: Some(at), ..Ending::default() }).map(drop)
}
