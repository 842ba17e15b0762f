//! `heir project`.

pub(crate) mod list;
pub(crate) mod new;
