//! What is remembered, in both its forms: records of the log and entries of memory documents.

mod disputes;
mod draft;
mod episode;
pub(crate) mod lifecycle;
mod lookup;
mod near;
mod open_session;
mod pen;
mod query;
mod reading;
mod recollection;
mod renaming;
mod tally;
mod thing;
mod web;

pub(crate) use draft::Particulars;
pub(crate) use episode::{episode_of, without_secrets};
pub(crate) use lookup::Target;
pub(crate) use near::Near;
pub(crate) use open_session::OPEN_SESSIONS;
pub(crate) use pen::{Pen, apart};
pub(crate) use query::Wanted;
pub(crate) use reading::{is_long, log_about, log_problems};
pub(crate) use recollection::{Entries, Recollection, When};
pub(crate) use renaming::move_relations;
pub(crate) use tally::Count;
pub(crate) use thing::{Thing, show_thing, show_things};
pub(crate) use web::standing_prose;
