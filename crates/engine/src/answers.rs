//! Answers that several operations give.

mod created;
mod done;
mod findings;
mod found;
mod kept;
mod listing;
mod recalled;
mod stored;

pub(crate) use created::Created;
pub(crate) use done::Done;
pub(crate) use findings::Findings;
pub(crate) use found::Answers;
pub(crate) use kept::Kept;
pub(crate) use listing::Listing;
pub(crate) use recalled::Recalled;
pub(crate) use stored::Stored;
