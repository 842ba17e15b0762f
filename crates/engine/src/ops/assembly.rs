//! Operations on assembled contexts.

pub(crate) mod assemble;
pub(crate) mod why;
