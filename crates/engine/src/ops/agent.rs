//! `heir agent`: the agents of a plan.

pub(crate) mod list;
pub(crate) mod new;
