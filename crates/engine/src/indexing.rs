//! Keeps the index up to date with the files: lists the files, splits documents into passages, and
//! updates or rebuilds the index.

mod embedder;
mod open_index;
mod passages;
mod refresh;
mod sources;

pub(crate) use embedder::{LexicalOnly, Patience, embedder};
pub(crate) use open_index::OpenIndex;
pub(crate) use refresh::{
    INDEX_FOLDER, IndexFailure, LEXICAL_FOLDER, Lag, build_in_memory, bytes, keep_open, lag,
    lexical_only_problem, open_if_quick, open_up_to_date, prepare_index, rebuild,
    try_open_up_to_date,
};
