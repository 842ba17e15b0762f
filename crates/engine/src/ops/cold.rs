//! Operations on cold memory.

pub(crate) mod index;
pub(crate) mod search;
pub(crate) mod status;
