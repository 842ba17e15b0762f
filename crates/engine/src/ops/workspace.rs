//! `heir workspace`.

pub(crate) mod show;
