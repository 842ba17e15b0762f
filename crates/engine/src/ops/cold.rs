//! `cold`: what is searched and extracted only when someone asks: the transcripts of conversations.

pub(crate) mod accept;
pub(crate) mod drop;
pub(crate) mod extract;
pub(crate) mod index;
mod proposals;
pub(crate) mod review_file;
pub(crate) mod search;
pub(crate) mod status;
