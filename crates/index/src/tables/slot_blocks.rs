//! The table `slot_block`: the encoded entries of all slots, in blocks.

use rusqlite::{Connection, Rows, params};

use super::state;
use crate::IndexError;
use crate::slots::SlotTable;

pub(super) const SCHEMA: &str = "
CREATE TABLE slot_block(number INTEGER PRIMARY KEY, generation INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX slot_block_generation ON slot_block(generation);
";

/// Reads all slots.
pub(crate) fn load(db: &Connection) -> Result<SlotTable, IndexError> {
    // The largest number may be corrupt, and so much memory would not be there.
    let blocks: i64 = db.query_row("SELECT count(*) FROM slot_block", [], |row| row.get(0))?;
    let mut slots = SlotTable::with_capacity(usize::try_from(blocks).unwrap_or_default());
    let mut query = db.prepare_cached("SELECT number, data FROM slot_block ORDER BY number")?;
    set_blocks(query.query([])?, &mut slots)?;
    check_count(db, &slots)?;
    Ok(slots)
}

/// Reads the blocks that were written after a generation.
pub(crate) fn load_changed(
    db: &Connection,
    slots: &mut SlotTable,
    generation: i64,
) -> Result<(), IndexError> {
    let mut query = db.prepare_cached(
        "SELECT number, data FROM slot_block INDEXED BY slot_block_generation
         WHERE generation > ? ORDER BY number",
    )?;
    set_blocks(query.query([generation])?, slots)?;
    check_count(db, slots)
}

fn set_blocks(mut rows: Rows<'_>, slots: &mut SlotTable) -> Result<(), IndexError> {
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        let block = row.get_ref(1)?.as_blob();
        let block = block.map_err(|_| IndexError::damaged("a block of slots is no blob"))?;
        slots.set_block(number, block)?;
    }
    Ok(())
}

/// Checks that as many slots were read as the last commit states.
fn check_count(db: &Connection, slots: &SlotTable) -> Result<(), IndexError> {
    match i64::try_from(slots.len()) == Ok(state::slot_count(db)?) {
        true => Ok(()),
        false => Err(IndexError::damaged("a block of slots is missing")),
    }
}

/// Writes the blocks that changed, as part of the next generation.
pub(crate) fn save(db: &Connection, slots: &mut SlotTable) -> Result<(), IndexError> {
    let generation = state::generation(db)? + 1;
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO slot_block VALUES(?, ?, ?)")?;
    for (number, data) in slots.take_changed_blocks() {
        insert.execute(params![number, generation, data])?;
    }
    state::set_slot_count(db, i64::try_from(slots.len()).unwrap_or_default())
}
