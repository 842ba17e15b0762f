//! Answers that several operations give.

mod created;
mod done;
mod findings;
mod hits;
mod kept;
mod listing;
mod renumbered;
mod stored;
mod value_table;

pub(crate) use created::Created;
pub(crate) use done::Done;
pub(crate) use findings::Findings;
pub(crate) use hits::Hits;
pub(crate) use kept::Kept;
pub(crate) use listing::Listing;
pub(crate) use renumbered::Renumbered;
pub(crate) use stored::Stored;
pub(crate) use value_table::ValueTable;
