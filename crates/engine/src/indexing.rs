//! Keeps the index up to date with the files: lists the files, splits documents into passages, and
//! updates or rebuilds the index.

mod embedder;
mod embedder_settings;
mod open_embedders;
mod open_index;
mod passages;
mod refresh;
mod sources;
#[cfg(feature = "transformer")]
mod transformer;

pub(crate) use embedder::{EmbedderTimeout, LexicalOnly, open_embedder};
pub(crate) use open_index::OpenIndex;
pub(crate) use passages::stated_date;
pub(crate) use refresh::{
    INDEX_FOLDER, IndexFailure, IndexState, LEXICAL_INDEX_FOLDER, build_in_memory, discard_indexes,
    index_size_bytes, index_state, keep_open, lexical_only_problem, open_if_quick, open_up_to_date,
    peek_index, rebuild, reserve_index, try_open_up_to_date,
};
