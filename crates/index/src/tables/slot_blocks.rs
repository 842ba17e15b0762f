//! The table `slot_block`: the encoded entries of all slots, in blocks.

use rusqlite::{Connection, params};

use crate::IndexError;
use crate::slots::SlotTable;

pub(super) const SCHEMA: &str = "
CREATE TABLE slot_block(number INTEGER PRIMARY KEY, data BLOB NOT NULL);
";

/// Reads all slots.
pub(crate) fn load(db: &Connection) -> Result<SlotTable, IndexError> {
    let mut slots = SlotTable::default();
    let mut query = db.prepare_cached("SELECT data FROM slot_block ORDER BY number")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let block = row.get_ref(0)?.as_blob();
        slots.push_block(block.map_err(|_| IndexError::damaged("a block of slots is no blob"))?)?;
    }
    Ok(slots)
}

/// Writes the blocks that changed.
pub(crate) fn save(db: &Connection, slots: &mut SlotTable) -> Result<(), IndexError> {
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO slot_block VALUES(?, ?)")?;
    for (number, data) in slots.take_changed_blocks() {
        insert.execute(params![i64::try_from(number).unwrap_or_default(), data])?;
    }
    Ok(())
}
