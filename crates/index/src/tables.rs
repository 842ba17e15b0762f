//! The tables of the index in SQLite: one file for each table or group of tables, with its schema
//! and every statement on it.

pub(crate) mod lines;
pub(crate) mod passages;
pub(crate) mod problems;
pub(crate) mod relations;
pub(crate) mod segments;
pub(crate) mod slot_blocks;
pub(crate) mod sources;
pub(crate) mod state;

use rusqlite::Connection;

use crate::IndexError;
use state::EmbedderId;

const SCHEMAS: [&str; 8] = [
    state::SCHEMA,
    segments::SCHEMA,
    slot_blocks::SCHEMA,
    sources::SCHEMA,
    lines::SCHEMA,
    problems::SCHEMA,
    relations::SCHEMA,
    passages::SCHEMA,
];

/// Creates empty tables in a new database.
pub(crate) fn create(db: &Connection, embedder: &EmbedderId) -> Result<(), IndexError> {
    db.execute_batch("BEGIN IMMEDIATE")?;
    for schema in SCHEMAS {
        db.execute_batch(schema)?;
    }
    state::initialise(db, embedder)?;
    Ok(db.execute_batch("COMMIT")?)
}
