//! What waits for a decision, and what costly commands found when they last ran.

use heirloom_core::contradiction::Certainty;
use heirloom_core::fold::ContradictionState;
use heirloom_core::{Hint, day};

use super::line::{HealthLine, LineState, count};
use crate::consolidation::LastConsolidation;
use crate::contradictions::LastScan;
use crate::link_discovery::StoredLinks;
use crate::memory::{MemoryQuery, certainty_of};
use crate::{Error, Session};

/// Describes what consolidation would do, as the last plan says.
pub(super) fn consolidation(session: &Session) -> HealthLine {
    let last = LastConsolidation::read(session);
    let line = |state, text: String| HealthLine::new("consolidation", state, text);
    let Some(planned) = last.planned_at.or(last.ran_at) else {
        let plan = Hint::text("").call("consolidate", [("dry_run", true)]);
        return line(LineState::Neutral, "not planned yet".to_owned()).mend_by(plan);
    };
    let date = day::of_timestamp(planned);
    let due = [
        (last.duplicates, "fact", "to merge"),
        (last.episodes, "episode", "to shorten"),
        (last.forgotten, "memory", "to archive"),
    ];
    let due = due.into_iter().filter(|(size, ..)| *size > 0);
    let due: Vec<String> =
        due.map(|(size, what, done)| format!("{} {done}", count(size, what))).collect();
    match due.is_empty() {
        true => line(LineState::Good, format!("nothing to do, as of {date}")),
        false => line(LineState::Attention, format!("{}, as of {date}", due.join(", ")))
            .mend("consolidate"),
    }
}

/// Describes the open contradictions that were found.
pub(super) fn contradictions(session: &Session) -> Result<HealthLine, Error> {
    let query = || MemoryQuery::new().contradictions();
    let known = query().read_without_documents(session);
    let known = if known.names_entries() { query().read(session)? } else { known };
    let found = known.found_contradictions(session.today());
    let open = || found.iter().filter(|it| it.state == ContradictionState::Open);
    let certain = open().filter(|it| certainty_of(it.body) == Certainty::Certain).count();
    let line = |state, text: String| HealthLine::new("contradictions", state, text);
    let last = LastScan::read(session).map(|scan| (day::of_timestamp(scan.at), scan.judged_pairs));
    Ok(match (open().count(), last) {
        (0, None) => {
            line(LineState::Neutral, "not looked for yet".to_owned()).mend("contradictions_scan")
        }
        (0, Some((date, judged))) => {
            let judged = count(judged, "pair");
            line(LineState::Good, format!("none open, as of {date}: {judged} judged"))
        }
        (open, _) => line(LineState::Attention, format!("{open} open, {certain} certain"))
            .mend("contradictions_list"),
    })
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
