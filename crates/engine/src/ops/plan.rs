//! `heir plan`.

pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod renumber;
pub(crate) mod status;
