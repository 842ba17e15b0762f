//! `heir retrieve …`: what is known in a scope, fetched on demand.

mod answer;
mod budget;
pub(crate) mod context;
mod document_state;
mod documents;
mod entries;
mod entry_cache;
pub(crate) mod learnings;
mod lists;
pub(crate) mod overview;
pub(crate) mod plans;
mod request;
