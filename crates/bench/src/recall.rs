//! How well recall finds what answers, on data with known answers.

mod baselines;
pub(crate) mod contender;
pub(crate) mod conversation;
mod heir;
mod measures;
pub(crate) mod similarity;

pub(crate) use baselines::{Bm25, Fusion, StaticVectors};
pub(crate) use heir::{Heir, make_memory};
pub(crate) use measures::DEPTHS;
