//! `heir sprint`: sprints and what was learnt in them.

pub(crate) mod complete;
