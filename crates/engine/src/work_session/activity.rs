//! Counts the calls that are made during a work session, so that its episode states them if there is no transcript.

use heirloom_store::state::StateFolder;
use jiff::{SignedDuration, Timestamp};

use crate::memory::{OpenSession, current_session};
use crate::{Error, Session};

/// Folder in the state of this machine with a file for each session: the time of each call in milliseconds, one a line.
const ACTIVITY: &str = "session-activity";

/// Calls with less time between them belong to the same turn of the agent.
const TURN_GAP: SignedDuration = SignedDuration::from_secs(1);

/// The calls that were made during a work session.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Activity {
    /// Number of turns of the agent in which calls were made.
    pub(super) turns: u64,
    /// Number of calls.
    pub(super) tool_calls: u64,
    /// Time of the last call.
    pub(super) last: Option<Timestamp>,
}

/// Counts a call for the session that it belongs to.
pub(super) fn count_call(session: &Session) {
    if let Some(id) = current_session(session) {
        let at = session.now().as_millisecond().to_string();
        // A call that cannot be counted, for example on a full disk, is answered all the same.
        let _ = folder(session).append(&id, &at);
    }
}

impl Activity {
    /// Reads the calls of a session.
    pub(super) fn read(session: &Session, open: &OpenSession) -> Result<Self, Error> {
        let text = folder(session).read(&open.id)?.unwrap_or_default();
        let times = text.lines().filter_map(|line| line.parse().ok());
        Ok(Self::of_calls(times.filter_map(|ms| Timestamp::from_millisecond(ms).ok()).collect()))
    }

    fn of_calls(mut calls: Vec<Timestamp>) -> Self {
        calls.sort();
        let is_new_turn = |pair: &&[Timestamp]| pair[1].duration_since(pair[0]) >= TURN_GAP;
        let gaps = calls.windows(2).filter(is_new_turn).count();
        Activity {
            turns: if calls.is_empty() { 0 } else { 1 + gaps as u64 },
            tool_calls: calls.len() as u64,
            last: calls.last().copied(),
        }
    }

    /// Removes what was counted for a session.
    pub(super) fn remove(session: &Session, open: &OpenSession) -> Result<(), Error> {
        Ok(folder(session).remove(&open.id)?)
    }
}

fn folder(session: &Session) -> StateFolder<'_> {
    StateFolder::in_state(session.root(), ACTIVITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_at_about_the_same_time_are_one_turn() {
        let at = |ms| Timestamp::from_millisecond(ms).unwrap();
        let calls = [5_000, 5_010, 9_000, 9_999, 20_000].map(at).to_vec();
        let activity = Activity::of_calls(calls);
        assert_eq!((activity.turns, activity.tool_calls), (3, 5));
        assert_eq!(activity.last, Some(at(20_000)));
        assert_eq!(Activity::of_calls(vec![]), Activity::default());
    }
}
