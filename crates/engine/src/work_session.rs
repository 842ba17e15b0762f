//! Work sessions: the calls that are made during one, the conversation that belongs to it, and its end, which stores
//! an episode.

mod activity;
mod citations;
mod conversation;
mod end;
mod expiry;

pub(crate) use citations::JudgedMemory;
pub(crate) use conversation::{Conversation, path_in_workspace};
pub(crate) use end::{COMPACT_TAG, Ending, end, latest_episodes, replaced_by_episode};
pub use expiry::end_sessions_of_client;

use crate::Session;
use crate::memory::OpenSession;

/// Ends the sessions that were left open, and counts a call for the session that it belongs to.
pub(crate) fn before_operation(session: &Session) {
    // Without an open session, this costs a server one listing of a folder.
    if OpenSession::is_any_open(session) {
        expiry::end_expired(session);
        activity::count_call(session);
    }
}
