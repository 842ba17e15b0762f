//! The domain of Heirloom: documents, levels and their merge, staleness, supersession, conflicts and the graph they
//! form.
//!
//! This crate is pure: it accesses no file, clock, environment or network. Texts and `now` are arguments; values and
//! problems are results.

pub mod adr;
pub mod assembly;
pub mod budget;
pub mod byte_order_mark;
pub mod cascade;
pub mod citation;
pub mod compression;
pub mod conflict;
pub mod consolidation;
pub mod contradiction;
mod cycles;
mod data_summary;
pub mod day;
pub mod document;
pub mod embedding;
pub mod fold;
pub mod frontmatter;
pub mod graph;
pub mod hierarchy;
pub mod hint;
pub mod hot;
pub mod imports;
pub mod instruction;
pub mod json;
pub mod kernels;
mod keypath;
pub mod lines;
pub mod link_discovery;
pub mod memory;
pub mod merge;
pub mod name;
pub mod parallel;
pub mod path;
mod phrase;
pub mod plan;
pub mod prediction;
pub mod printable;
pub mod problem;
pub mod prose;
pub mod recall;
pub mod record;
pub mod renumber;
pub mod secret;
pub mod shell;
pub mod stage_summary;
pub mod staleness;
pub mod supersession;
pub mod transcript;
pub mod unified_diff;
pub mod union_find;
pub mod usage;
mod word_list;
pub mod word_map;
pub mod words;
pub mod yaml;

/// A value of a document; YAML and JSON share this data model.
pub use serde_json::Value;

pub use document::Document;
pub use hint::Hint;
pub use problem::Problem;
