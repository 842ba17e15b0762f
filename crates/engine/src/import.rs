//! What other tools remember, read as records.
//!
//! Every importer is pure: texts come in, records and problems come out. A row that cannot be taken
//! is a problem with its place, and the rest is read. Every record has an origin, so importing a
//! text twice adds nothing.

mod basic_memory;
mod batch;
mod blocks;
mod bullets;
mod format;
mod omegon;
mod relation;
mod rows;
mod section;
mod server_memory;

pub(crate) use format::{Format, detect};

use heirloom_core::Problem;
use heirloom_core::fold::Place;
use heirloom_core::record::Record;
use jiff::Timestamp;
use uuid::Uuid;

/// A text to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<'t> {
    /// Where it is, with `/`.
    pub(crate) path: &'t str,
    /// What it says.
    pub(crate) content: &'t str,
}

/// What an importer is given to work with.
pub(crate) struct Importing<'i> {
    /// The moment of the import, for whatever has no date of its own.
    pub(crate) now: Timestamp,
    /// Who imports.
    pub(crate) by: &'i str,
    /// Makes the id of a record of a moment.
    pub(crate) new_id: &'i mut dyn FnMut(Timestamp) -> Uuid,
    /// Returns the record that already has an origin.
    pub(crate) known: &'i dyn Fn(&str) -> Option<Uuid>,
}

/// What came of texts.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Imported {
    /// The new records, in the order of their places.
    pub(crate) records: Vec<(Place, Record)>,
    /// How many rows had an origin that was known before.
    pub(crate) already: usize,
    /// What was wrong, in the order of its places.
    pub(crate) problems: Vec<Problem>,
}

/// Reads texts of one format together, so that what is related across them stays so.
pub(crate) type Importer = fn(&[Text<'_>], &mut Importing<'_>) -> Imported;

impl Format {
    /// Returns what reads it; Heirloom's own lines are records as they are.
    pub(crate) fn importer(self) -> Option<Importer> {
        match self {
            Format::Omegon => Some(omegon::import),
            Format::ServerMemory => Some(server_memory::import),
            Format::BasicMemory => Some(basic_memory::import),
            Format::Bullets => Some(bullets::import),
            Format::Heirloom => None,
        }
    }
}

#[cfg(test)]
mod tests;
