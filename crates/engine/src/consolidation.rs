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

pub(crate) use apply::{Applied, apply};
pub(crate) use last_run::LastConsolidation;
pub(crate) use make::make_plan;
pub(crate) use scan::{FoundContradictions, scan_contradictions};
pub use schedule::is_consolidation_due;
pub(crate) use schedule::{Scheduler, schedule_text};

/// The reason of the events that archive what was replaced. Undoing a supersession restores what was archived for it.
pub(crate) const SUPERSEDED_REASON: &str = "consolidation: superseded";

/// The beginning of the reason of the events that archive what is unused.
const UNUSED_REASON: &str = "consolidation: unused, ";
