//! `heir session` and `heir compact`: sessions of work.

pub(crate) mod compact;
pub(crate) mod end;
pub(crate) mod list;
pub(crate) mod start;
