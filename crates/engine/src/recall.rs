//! Finds the memories that answer a question.

mod affected;
mod hits;
mod search;
mod workspaces;

pub(crate) use affected::{read_affected, read_affected_by_new};
pub(crate) use hits::Hit;
pub(crate) use search::{Search, SearchResult};
pub(crate) use workspaces::search_workspaces;
