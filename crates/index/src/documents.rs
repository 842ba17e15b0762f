//! A cache of parsed documents, by path and file stamp, so that unchanged files are not read again.
//!
//! It is separate from the index because it needs no embedder: a command that lists plans must not
//! wait for vectors. If the cache fails in any way, documents are read from their files.

use std::borrow::Cow;
use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::folder::{IndexFiles, IndexFolder};
use crate::{IndexError, sqlite};

const SCHEMA: &str = "
CREATE TABLE version(name TEXT NOT NULL);
CREATE TABLE document(
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, file INTEGER NOT NULL,
    has_references INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE memory_entries(path TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
";

/// A parsed document and the stamp of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedDocument {
    /// The size of the file in bytes.
    pub size: u64,
    /// The modification time of the file, in nanoseconds since 1970.
    pub modified: i64,
    /// The inode number of the file, where the system has them.
    pub file: u64,
    /// Whether the document refers to other documents.
    pub has_references: bool,
    /// The parsed document, encoded by the caller.
    pub data: Vec<u8>,
}

/// A document that is to be cached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentToCache<'p> {
    /// The path of the document.
    pub path: Cow<'p, str>,
    /// The parsed document and the stamp of its file.
    pub document: CachedDocument,
    /// The entries of a memory document, encoded by the caller.
    pub entries: Option<Vec<u8>>,
}

/// The cache on disk.
#[derive(Debug)]
pub struct DocumentCache {
    db: Connection,
}

impl DocumentCache {
    /// Opens the cache of a folder; fails if it is missing, or if its data have another version.
    pub fn open(folder: &IndexFolder, version: &str) -> Result<Self, IndexError> {
        let files = IndexFiles::current(folder).filter(IndexFiles::is_created_on_this_machine);
        let files = files.ok_or_else(|| IndexError::damaged("there is no cache of documents"))?;
        let db = sqlite::open(&files.database())?;
        let stored: String = db.query_row("SELECT name FROM version", [], |row| row.get(0))?;
        match stored == version {
            true => Ok(DocumentCache { db }),
            false => Err(IndexError::damaged("the cache of documents has another version")),
        }
    }

    /// Replaces the cache of a folder by an empty one. `version` names the encoding of the data.
    pub fn create(folder: &IndexFolder, version: &str) -> Result<Self, IndexError> {
        let files = IndexFiles::new(folder)?;
        let db = sqlite::create(&files.database())?;
        sqlite::enable_write_ahead_log(&db)?;
        db.execute_batch(SCHEMA)?;
        db.execute("INSERT INTO version VALUES(?)", [version])?;
        files.make_current()?;
        files.remove_stale(&[]);
        Ok(DocumentCache { db })
    }

    /// Reads all documents, by path. The data are read of documents that refer to others, and of
    /// those for which `is_needed` is true; they are empty otherwise.
    pub fn load(
        &self,
        is_needed: impl Fn(&str) -> bool,
    ) -> Result<HashMap<String, CachedDocument>, IndexError> {
        let mut query = self
            .db
            .prepare("SELECT size, modified, file, has_references, data, path FROM document")?;
        let mut rows = query.query([])?;
        let mut documents = HashMap::new();
        while let Some(row) = rows.next()? {
            let path: String = row.get(5)?;
            let mut cached = read_stamp(row)?;
            if cached.has_references || is_needed(&path) {
                cached.data = row.get(4)?;
            }
            documents.insert(path, cached);
        }
        Ok(documents)
    }

    /// Reads the documents at some paths, by path.
    pub fn load_paths<'p>(
        &self,
        paths: impl Iterator<Item = Cow<'p, str>>,
    ) -> Result<HashMap<String, CachedDocument>, IndexError> {
        let mut query = self.db.prepare(
            "SELECT size, modified, file, has_references, data FROM document WHERE path = ?",
        )?;
        let mut documents = HashMap::new();
        for path in paths {
            let decode =
                |row: &Row<'_>| Ok(CachedDocument { data: row.get(4)?, ..read_stamp(row)? });
            if let Some(cached) = query.query_row([&*path], decode).optional()? {
                documents.insert(path.into_owned(), cached);
            }
        }
        Ok(documents)
    }

    /// Reads paths and entries of the memory documents whose encoded entries pass a filter.
    pub fn load_memory_entries(
        &self,
        is_match: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        let mut query = self.db.prepare("SELECT data, path FROM memory_entries")?;
        let mut rows = query.query([])?;
        let mut load_memory_entries = Vec::new();
        while let Some(row) = rows.next()? {
            let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            if is_match(data) {
                load_memory_entries.push((row.get(1)?, data.to_vec()));
            }
        }
        Ok(load_memory_entries)
    }

    /// Writes documents that were read, and removes those that no longer exist.
    pub fn save(&mut self, read: &[DocumentToCache<'_>], gone: &[&str]) -> Result<(), IndexError> {
        let transaction = self.db.transaction()?;
        {
            let mut insert =
                transaction.prepare("INSERT OR REPLACE INTO document VALUES(?, ?, ?, ?, ?, ?)")?;
            let mut insert_entries =
                transaction.prepare("INSERT OR REPLACE INTO memory_entries VALUES(?, ?)")?;
            for DocumentToCache { path, document, entries } in read {
                let CachedDocument { size, modified, file, has_references, data } = document;
                let (size, file) = (size.cast_signed(), file.cast_signed());
                insert.execute(params![path, size, modified, file, has_references, data])?;
                if let Some(entries) = entries {
                    insert_entries.execute(params![path, entries])?;
                }
            }
            for table in ["document", "memory_entries"] {
                let mut delete =
                    transaction.prepare(&format!("DELETE FROM {table} WHERE path = ?"))?;
                for path in gone {
                    delete.execute([path])?;
                }
            }
        }
        Ok(transaction.commit()?)
    }
}

/// Reads the columns of a document but its data.
fn read_stamp(row: &Row<'_>) -> rusqlite::Result<CachedDocument> {
    let unsigned = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    Ok(CachedDocument {
        size: unsigned(0)?,
        modified: row.get(1)?,
        file: unsigned(2)?,
        has_references: row.get(3)?,
        data: vec![],
    })
}
