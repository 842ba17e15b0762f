//! How well recall finds what answers, on data with known answers.

mod conversation;
mod measures;
pub(crate) mod questions;
