//! The session of work that is going on.

use heirloom_core::Value;
use heirloom_store::state::Shelf;

use crate::Session;

/// Where open sessions are kept in this machine's own state.
pub(crate) const OPEN_SESSIONS: &str = "sessions";

/// Returns the session in which this author works, if there is one and no other. What is remembered
/// in one session is recalled together.
pub(super) fn open_session(session: &Session) -> Option<String> {
    let shelf = Shelf::of(session.root(), OPEN_SESSIONS);
    let names = shelf.names();
    if names.is_empty() {
        return None;
    }
    let author = session.author();
    let is_own = |name: &String| {
        let text = shelf.read(name).ok().flatten().unwrap_or_default();
        serde_json::from_str::<Value>(&text).is_ok_and(|open| open["by"] == author.as_str())
    };
    let mut own = names.into_iter().filter(is_own);
    own.next().filter(|_| own.next().is_none())
}
