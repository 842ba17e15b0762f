//! Operations on assembled contexts.

pub(crate) mod assemble;
