//! Cold memory: the transcripts of agents' sessions, which are searched only on request.
//!
//! Assembly and recall do not read it. It has an index of its own ([`heirloom_index::cold`]), with vectors of the
//! built-in model whichever embedder is configured: that one may be remote, and transcripts are private.

mod backlog;
mod folder;
mod open;
mod search;
mod update;

pub(crate) use backlog::Backlog;
pub(crate) use folder::FOLDER;
pub(crate) use open::{OpenCold, discard, open_as_it_is, open_up_to_date};
pub(crate) use search::{ColdHit, ColdSearch, ColdSessionHit, Found};
pub(crate) use update::{Update, update};
