//! The session of work that is open.

use heirloom_core::Value;
use heirloom_store::state::StateFolder;

use crate::Session;

/// Folder of open sessions in the state of this machine.
pub(crate) const OPEN_SESSIONS: &str = "sessions";

/// Returns the open session of this author, if there is exactly one. Records of the same session are
/// recalled together.
pub(super) fn open_session(session: &Session) -> Option<String> {
    let folder = StateFolder::in_state(session.root(), OPEN_SESSIONS);
    let names = folder.names();
    if names.is_empty() {
        return None;
    }
    let author = session.author();
    let is_own = |name: &String| {
        let text = folder.read(name).ok().flatten().unwrap_or_default();
        serde_json::from_str::<Value>(&text).is_ok_and(|open| open["by"] == author.as_str())
    };
    let mut sessions = names.into_iter().filter(is_own);
    sessions.next().filter(|_| sessions.next().is_none())
}
