//! Keeping memory healthy, and undoing runs that changed much of it.

pub(crate) mod consolidate;
pub(crate) mod undo;
