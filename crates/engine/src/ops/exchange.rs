//! `heir export` and `heir import`.

pub(crate) mod export;
pub(crate) mod import;
