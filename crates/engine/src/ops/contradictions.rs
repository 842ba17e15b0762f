//! Contradictions between memories: finding, reviewing and resolving them.

pub(crate) mod check;
mod find;
pub(crate) mod list;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod show;
mod shown;
