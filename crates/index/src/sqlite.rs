//! SQLite connections and their settings.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::IndexError;

/// How many bytes of a database are memory-mapped.
const MMAP_BYTES: i64 = 1 << 30;

/// How long a statement waits for the lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);

/// How many KiB of pages a connection caches.
const PAGE_CACHE_KIB: i64 = 16_000;

/// How many prepared statements a connection caches.
const MAX_CACHED_STATEMENTS: usize = 128;

/// Opens an existing database for reading and writing.
pub(crate) fn open(path: &Path) -> Result<Connection, IndexError> {
    open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// Creates a database.
pub(crate) fn create(path: &Path) -> Result<Connection, IndexError> {
    open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

/// Opens a database in a folder that this process cannot write to. The connection does not notice
/// what other processes write, so it must serve one question only.
pub(crate) fn open_immutable(path: &Path) -> Result<Connection, IndexError> {
    let path = path.display().to_string();
    let path = match cfg!(windows) {
        true => path.trim_start_matches(r"\\?\").replace('\\', "/"),
        false => path,
    };
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let root = if path.starts_with('/') { "" } else { "/" };
    let uri = format!("file:{root}{path}?immutable=1");
    open_with(Path::new(&uri), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
}

/// Creates a database in memory.
pub(crate) fn open_in_memory() -> Result<Connection, IndexError> {
    let db = Connection::open_in_memory()?;
    configure(&db)?;
    Ok(db)
}

fn open_with(path: &Path, flags: OpenFlags) -> Result<Connection, IndexError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(path, flags)?;
    configure(&db)?;
    Ok(db)
}

/// Applies the settings of every connection. Commits are not synced to disk: the index is derived,
/// so it is rebuilt if a power failure damages it.
fn configure(db: &Connection) -> Result<(), IndexError> {
    db.busy_timeout(BUSY_TIMEOUT)?;
    // Otherwise SQLite plans a join again for every new parameter.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.pragma_update(None, "synchronous", "OFF")?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.pragma_update(None, "cache_size", -PAGE_CACHE_KIB)?;
    db.pragma_update(None, "mmap_size", MMAP_BYTES)?;
    db.set_prepared_statement_cache_capacity(MAX_CACHED_STATEMENTS);
    Ok(())
}

/// Runs statements without parameters, which are parsed once for each connection.
pub(crate) fn execute<const N: usize>(
    db: &Connection,
    statements: [&str; N],
) -> Result<(), IndexError> {
    for statement in statements {
        db.prepare_cached(statement)?.execute([])?;
    }
    Ok(())
}

/// Prepares a new database for bulk loading by its only user: without a journal or a memory map.
pub(crate) fn begin_bulk_load(db: &Connection) -> Result<(), IndexError> {
    db.pragma_update(None, "page_size", 8192)?;
    db.pragma_update(None, "mmap_size", 0)?;
    Ok(db.pragma_update(None, "journal_mode", "OFF")?)
}

/// Switches a database to a write-ahead log, so that others can read it while one process writes.
pub(crate) fn enable_write_ahead_log(db: &Connection) -> Result<(), IndexError> {
    db.pragma_update(None, "journal_mode", "WAL")?;
    Ok(db.pragma_update(None, "mmap_size", MMAP_BYTES)?)
}
