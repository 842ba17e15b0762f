//! `heir recall` and `heir eval`.

pub(crate) mod ask;
pub(crate) mod eval;
