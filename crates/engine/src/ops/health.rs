//! `health`: documents, graph, memory and indexes on one screen.

mod growth;
mod indexes;
mod line;
mod outlook;
pub(crate) mod overview;
mod used;
