//! What waits for a decision, and what costly commands found when they last ran.

use heirloom_core::day;

use super::line::{HealthLine, LineState};
use crate::Session;
use crate::link_discovery::StoredLinks;
use crate::view::present::count;

/// Returns what consolidation would do and which duplicates it found when it last ran; `None` if it is not available.
pub(super) fn consolidation(_session: &Session) -> Option<Vec<HealthLine>> {
    None
}

/// Returns the open contradictions that the last scan found; `None` if there is no scanner.
pub(super) fn contradictions(_session: &Session) -> Option<Vec<HealthLine>> {
    None
}

/// Describes the proposed relations.
pub(super) fn proposed_links(session: &Session) -> HealthLine {
    let StoredLinks { looked_at, left, pending, .. } = StoredLinks::read(session);
    let line = |state, text: String| HealthLine::new("proposed links", state, text);
    let Some(looked_at) = looked_at else {
        return line(LineState::Neutral, "not looked for yet".to_owned()).mend("links_list");
    };
    let date = day::of_timestamp(looked_at);
    let left = match left {
        0 => String::new(),
        left => format!(", {} not looked at yet", count(left, "memory")),
    };
    match pending.len() {
        0 => line(LineState::Good, format!("none to review, as of {date}{left}")),
        pending => line(LineState::Attention, format!("{pending} to review, as of {date}{left}"))
            .mend("links_list"),
    }
}
