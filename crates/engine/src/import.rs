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

pub(crate) use batch::{ImportContext, ImportResult, SourceText};
pub(crate) use format::{ImportFormat, detect};

/// Imports several texts of one format together, so that relations between them are kept.
pub(crate) type Importer = fn(&[SourceText<'_>], &mut ImportContext<'_>) -> ImportResult;

impl ImportFormat {
    /// Returns the importer of the format; `None` for Heirloom's own records, which need no conversion.
    pub(crate) fn importer(self) -> Option<Importer> {
        match self {
            ImportFormat::Omegon => Some(omegon::import),
            ImportFormat::ServerMemory => Some(server_memory::import),
            ImportFormat::BasicMemory => Some(basic_memory::import),
            ImportFormat::Bullets => Some(bullets::import),
            ImportFormat::Heirloom => None,
        }
    }
}

#[cfg(test)]
mod tests;
