//! `heir fact`, `episode`, `pattern` and `workflow`: the records of the log.

pub(crate) mod add;
pub(crate) mod edit;
pub(crate) mod episode_add;
pub(crate) mod fact_add;
pub(crate) mod fact_edit;
pub(crate) mod kinds;
pub(crate) mod list;
pub(crate) mod pattern_add;
pub(crate) mod show;
pub(crate) mod workflow_add;
