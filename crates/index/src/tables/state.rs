//! The table `state`: facts about the index as a whole, by key.

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, ToSql, params};

use crate::IndexError;

pub(crate) const SCHEMA: &str = "
CREATE TABLE state(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
";

/// The version of the tables, of the segments, and of the terms and marks that a record is indexed
/// by. An index of another version is rebuilt.
const FORMAT_VERSION: i64 = 28;

const VERSION_KEY: &str = "version";
const GENERATION_KEY: &str = "generation";
const EMBEDDER_KEY: &str = "embedder";
const DIMENSIONS_KEY: &str = "dimensions";
const SLOT_COUNT_KEY: &str = "slots";
const CHECKSUM_KEY: &str = "checksum";
const PURGE_CHECKSUM_KEY: &str = "purge_checksum";

/// The embedder that made the vectors of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EmbedderId {
    pub(crate) name: String,
    pub(crate) dimensions: usize,
}

/// Writes the state of an empty index.
pub(crate) fn initialise(db: &Connection, embedder: &EmbedderId) -> Result<(), IndexError> {
    set(db, VERSION_KEY, FORMAT_VERSION)?;
    set(db, GENERATION_KEY, 0)?;
    set(db, DIMENSIONS_KEY, i64::try_from(embedder.dimensions).unwrap_or_default())?;
    set(db, EMBEDDER_KEY, &embedder.name)
}

/// Returns whether an index has the current format and was made with this embedder.
pub(crate) fn is_compatible(db: &Connection, wanted: &EmbedderId) -> Result<bool, IndexError> {
    Ok(get(db, VERSION_KEY)? == Some(FORMAT_VERSION) && embedder(db)? == *wanted)
}

/// Reads which embedder made the vectors.
pub(crate) fn embedder(db: &Connection) -> Result<EmbedderId, IndexError> {
    let dimensions: i64 = get(db, DIMENSIONS_KEY)?.unwrap_or_default();
    let dimensions = usize::try_from(dimensions).unwrap_or_default();
    Ok(EmbedderId { name: get(db, EMBEDDER_KEY)?.unwrap_or_default(), dimensions })
}

/// Reads the number of the last commit; 0 if there was none.
pub(crate) fn generation(db: &Connection) -> Result<i64, IndexError> {
    Ok(get(db, GENERATION_KEY)?.unwrap_or_default())
}

/// Writes the number of a commit.
pub(crate) fn set_generation(db: &Connection, generation: i64) -> Result<(), IndexError> {
    set(db, GENERATION_KEY, generation)
}

/// Reads how many slots there are.
pub(crate) fn slot_count(db: &Connection) -> Result<i64, IndexError> {
    Ok(get(db, SLOT_COUNT_KEY)?.unwrap_or_default())
}

/// Writes how many slots there are.
pub(crate) fn set_slot_count(db: &Connection, slots: i64) -> Result<(), IndexError> {
    set(db, SLOT_COUNT_KEY, slots)
}

/// Reads the checksum of all files that the index was last up to date with.
pub(crate) fn checksum(db: &Connection) -> Result<Option<i64>, IndexError> {
    Ok(get(db, CHECKSUM_KEY)?.flatten())
}

/// Writes the checksum of all files that the index is up to date with; `None` if it must compare them one by one.
pub(crate) fn set_checksum(db: &Connection, checksum: Option<i64>) -> Result<(), IndexError> {
    set(db, CHECKSUM_KEY, checksum)
}

/// Reads the checksum of the purged records that the index was built without; 0 if there were none.
pub(crate) fn purge_checksum(db: &Connection) -> Result<i64, IndexError> {
    Ok(get(db, PURGE_CHECKSUM_KEY)?.unwrap_or_default())
}

/// Writes the checksum of the purged records that the index is built without.
pub(crate) fn set_purge_checksum(db: &Connection, checksum: i64) -> Result<(), IndexError> {
    set(db, PURGE_CHECKSUM_KEY, checksum)
}

fn get<T: FromSql>(db: &Connection, key: &str) -> Result<Option<T>, IndexError> {
    let mut query = db.prepare_cached("SELECT value FROM state WHERE key = ?")?;
    Ok(query.query_row([key], |row| row.get(0)).optional()?)
}

fn set(db: &Connection, key: &str, value: impl ToSql) -> Result<(), IndexError> {
    db.prepare_cached("INSERT OR REPLACE INTO state VALUES(?, ?)")?.execute(params![key, value])?;
    Ok(())
}
