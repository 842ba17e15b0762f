//! Answers that several operations give.

mod created;
mod findings;
mod listing;

pub(crate) use created::Created;
pub(crate) use findings::Findings;
pub(crate) use listing::Listing;
