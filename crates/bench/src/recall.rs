//! The quality of recall, measured on questions with known answers.

mod baselines;
#[cfg(feature = "tantivy")]
mod bm25;
mod categories;
pub(crate) mod dataset;
mod heir;
mod measures;
pub(crate) mod memory_system;
mod sessions;
pub(crate) mod similarity;

pub(crate) use baselines::{bm25, dot_product, fusion, static_vectors};
pub(crate) use categories::measure_categories;
pub(crate) use heir::{Heir, create_workspace, parse_time};
pub(crate) use measures::{DEPTHS, fusion_score};
pub(crate) use sessions::measure_sessions;
