//! `heir context`: what agents inherit, its age and its conflicts.

pub(crate) mod archive;
pub(crate) mod conflicts;
pub(crate) mod health;
pub(crate) mod load;
pub(crate) mod refresh;
pub(crate) mod resolve;
pub(crate) mod restore;
mod used_budget;
pub(crate) mod validate;
