//! Finds the memories that answer a question.

mod across;
mod hits;
mod near;
mod search;

pub(crate) use across::across;
pub(crate) use hits::Hit;
pub(crate) use near::{read_around, read_around_new};
pub(crate) use search::{Search, SearchResult};
