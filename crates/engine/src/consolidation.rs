//! Makes and carries out plans that keep memory healthy.
//!
//! [`heirloom_core::consolidation`] decides what is merged, shortened and forgotten. A plan is made without the write lock,
//! and each of its items is checked again when it is applied, in one transaction.

mod apply;
mod last_run;
mod make;
mod protected;
mod scan;
mod schedule;
mod undone;

pub(crate) use apply::{Applied, apply};
pub(crate) use last_run::LastConsolidation;
pub(crate) use make::{NewPlan, make_plan};
pub(crate) use scan::{FoundContradictions, scan_contradictions};
pub use schedule::is_consolidation_due;
pub(crate) use schedule::{Scheduler, schedule_text};

use heirloom_core::consolidation::ForgettingReason;

/// The reason of the events that archive what was replaced. Undoing a supersession restores what was archived for it.
pub(crate) const SUPERSEDED_REASON: &str = "consolidation: superseded";

/// The beginning of the reason of the events that archive what is unused.
const UNUSED_REASON: &str = "consolidation: unused, ";

/// Returns the reason of the events that archive a memory.
fn archive_reason(reason: ForgettingReason) -> String {
    match reason.is_disuse() {
        true => format!("{UNUSED_REASON}{}", reason.as_str()),
        false => SUPERSEDED_REASON.to_owned(),
    }
}
