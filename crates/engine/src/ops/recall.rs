//! `heir recall`, `heir show` and `heir eval`.

pub(crate) mod ask;
pub(crate) mod eval;
pub(crate) mod expand;
pub(crate) mod show;
