//! `links`: relations between memories that are proposed from evidence, for review.

mod shown;

pub(crate) mod accept;
pub(crate) mod drop;
pub(crate) mod list;
