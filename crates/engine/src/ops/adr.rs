//! `heir adr`: decision records.

pub(crate) mod history;
pub(crate) mod list;
pub(crate) mod new;
pub(crate) mod renumber;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod supersede;
