//! `heir stage`: the stages of a sprint.

pub(crate) mod complete;
