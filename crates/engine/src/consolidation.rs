//! Makes and carries out plans that keep memory healthy.
//!
//! [`heirloom_core::consolidation`] decides what is merged, shortened and forgotten. A plan is made without the write lock,
//! and each of its items is checked again when it is applied, in one transaction.

mod apply;
mod disuse;
mod last_run;
mod make;
mod protected;
mod scan;
mod schedule;
mod undone;

pub(crate) use apply::{Applied, apply, try_plan};
pub(crate) use last_run::LastConsolidation;
pub(crate) use make::{NewPlan, make_plan};
pub(crate) use scan::{FoundContradictions, scan_contradictions};
pub use schedule::is_consolidation_due;
pub(crate) use schedule::{Scheduler, schedule_text};

use std::collections::HashSet;

use heirloom_core::consolidation::ForgettingReason;
use heirloom_core::fold::{Item, Memory};
use heirloom_core::record::{EventAction, Referent};
use jiff::civil::Date;

/// The reason of the events that archive what was replaced. Undoing a supersession restores what was archived for it.
pub(crate) const SUPERSEDED_REASON: &str = "consolidation: superseded";

/// The beginning of the reason of the events that archive what is unused.
const UNUSED_REASON: &str = "consolidation: unused, ";

/// The records that an event archived, each by itself: an item is archived as superseded if all its records are.
struct ArchivedRecords<'m>(HashSet<&'m Referent>);

impl<'m> ArchivedRecords<'m> {
    fn of(memory: &'m Memory) -> Self {
        ArchivedRecords(memory.targets_of(EventAction::Archive).into_keys().collect())
    }

    fn contain_all_of(&self, memory: &Memory, item: &Item<'_>) -> bool {
        memory.aliases(item.id).into_iter().all(|id| self.0.contains(&Referent::Record(id)))
    }
}

/// Returns the number of days from one day to another.
fn days_between(from: Date, to: Date) -> i64 {
    (to - from).get_days().into()
}

/// Returns the reason of the events that archive a memory.
fn archive_reason(reason: ForgettingReason) -> String {
    match reason.is_disuse() {
        true => format!("{UNUSED_REASON}{}", reason.as_str()),
        false => SUPERSEDED_REASON.to_owned(),
    }
}
