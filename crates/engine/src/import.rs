//! Converts the memory files of other tools into records.
//!
//! Every importer is a pure function from texts to records and problems. A row that cannot be imported
//! becomes a problem with its path and line, and the rest is imported. Every record has an origin, so
//! importing a text twice adds nothing.

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

/// A text to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<'t> {
    /// The path, with `/` as separator.
    pub(crate) path: &'t str,
    /// The content.
    pub(crate) content: &'t str,
}

/// The environment of an import.
pub(crate) struct Importing<'i> {
    /// The time of the import, for rows without a date.
    pub(crate) now: Timestamp,
    /// The author of the new records.
    pub(crate) by: &'i str,
    /// Creates an id for a record of a given time.
    pub(crate) new_id: &'i mut dyn FnMut(Timestamp) -> Uuid,
    /// Returns the id of an existing record with a given origin.
    pub(crate) known: &'i dyn Fn(&str) -> Option<Uuid>,
}

/// The result of an import.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Imported {
    /// The new records, ordered by path and line.
    pub(crate) records: Vec<(Place, Record)>,
    /// The number of rows that were imported before or repeat another row.
    pub(crate) already: usize,
    /// The problems, ordered by path and line.
    pub(crate) problems: Vec<Problem>,
}

/// Imports several texts of one format together, so that relations between them are kept.
pub(crate) type Importer = fn(&[Text<'_>], &mut Importing<'_>) -> Imported;

impl Format {
    /// Returns the importer of the format; `None` for Heirloom's own records, which need no conversion.
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
