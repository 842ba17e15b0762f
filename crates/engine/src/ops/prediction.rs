//! Prediction of what a piece of work will need.

pub(crate) mod predict;
