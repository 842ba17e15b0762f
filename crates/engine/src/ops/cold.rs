//! `cold`: the transcripts of conversations, which are searched and extracted from only on request.

pub(crate) mod accept;
pub(crate) mod drop;
pub(crate) mod extract;
pub(crate) mod index;
mod proposals;
pub(crate) mod review_file;
pub(crate) mod search;
pub(crate) mod status;
