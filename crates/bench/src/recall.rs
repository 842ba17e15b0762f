//! The quality of recall, measured on questions with known answers.

mod baselines;
pub(crate) mod dataset;
mod heir;
mod measures;
pub(crate) mod memory_system;
pub(crate) mod similarity;

pub(crate) use baselines::{Bm25, Fusion, StaticVectors};
pub(crate) use heir::{Heir, create_workspace};
pub(crate) use measures::{DEPTHS, fusion_score};
