//! Recall: what is there to be found, kept in an index that is brought up to date before it is read.

mod about;
mod across;
mod embedder;
mod fresh;
mod gather;
mod hits;
mod passages;
mod search;
mod survey;
mod warm;

pub(crate) use about::{Wanted, about};
pub(crate) use across::across;
pub(crate) use embedder::{Haste, Meaningless, embedder};
pub(crate) use fresh::{
    FOLDER, Lag, WORDS, bytes, hold_index, keep, lag, only_words, rebuilt, up_to_date,
};
pub(crate) use hits::Hit;
pub(crate) use search::{Found, Search};
pub(crate) use survey::{Count, Tally, first_facts, survey};
pub(crate) use warm::Kept;
pub use warm::Warm;
