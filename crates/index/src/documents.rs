//! What was derived from documents, by path and stamp, so that an unchanged file is not read again.
//!
//! A cache of its own beside the index: it needs no embedder, and a command that lists plans must not
//! wait for vectors. Whatever is wrong with it, documents are read from their files.

use std::borrow::Cow;
use std::collections::HashMap;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use crate::folder::{Home, IndexFolder, connect, remove_others};
use crate::{IndexError, db};

const TABLES: &str = "
CREATE TABLE version(name TEXT NOT NULL);
CREATE TABLE document(
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, file INTEGER NOT NULL,
    has_references INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE notebook(path TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
";

/// A document as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedDocument {
    /// The size of its file.
    pub size: u64,
    /// When its file was changed, in nanoseconds since 1970.
    pub modified: i64,
    /// The number of its file, where the system numbers them.
    pub file: u64,
    /// Whether it refers to other documents.
    pub has_references: bool,
    /// What was derived from it, in a form of the caller's.
    pub data: Vec<u8>,
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadDocument<'p> {
    /// Its path.
    pub path: Cow<'p, str>,
    /// Its file, and what was derived from it.
    pub document: CachedDocument,
    /// The entries of a memory document, in a form of the caller's.
    pub notebook: Option<Vec<u8>>,
}

/// The cache on disk.
#[derive(Debug)]
pub struct DocumentCache {
    db: Connection,
}

impl DocumentCache {
    /// Opens the cache in a folder. One that is missing, or whose data are of another version, is an
    /// error.
    pub fn open(folder: &IndexFolder, version: &str) -> Result<Self, IndexError> {
        let home = Home::current(folder).filter(Home::was_made_here);
        let home = home.ok_or_else(|| IndexError::damaged("there is no cache"))?;
        let db = connect(&home.tables(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let found: String = db.query_row("SELECT name FROM version", [], |row| row.get(0))?;
        match found == version {
            true => Ok(DocumentCache { db }),
            false => Err(IndexError::damaged("the cache is of another version")),
        }
    }

    /// Makes an empty cache in the place of the one that is there. `version` names the form of the
    /// data.
    pub fn create(folder: &IndexFolder, version: &str) -> Result<Self, IndexError> {
        let home = Home::new(folder)?;
        let create = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let db = connect(&home.tables(), create)?;
        db::share(&db)?;
        db.execute_batch(TABLES)?;
        db.execute("INSERT INTO version VALUES(?)", [version])?;
        home.make_current()?;
        remove_others(&home);
        Ok(DocumentCache { db })
    }

    /// Reads every document, by path, with the data of those that refer to others or are needed.
    pub fn load(
        &self,
        is_needed: impl Fn(&str) -> bool,
    ) -> Result<HashMap<String, CachedDocument>, IndexError> {
        let mut query = self
            .db
            .prepare("SELECT size, modified, file, has_references, data, path FROM document")?;
        let mut rows = query.query([])?;
        let mut all = HashMap::new();
        while let Some(row) = rows.next()? {
            let path: String = row.get(5)?;
            let mut cached = stamped(row)?;
            if cached.has_references || is_needed(&path) {
                cached.data = row.get(4)?;
            }
            all.insert(path, cached);
        }
        Ok(all)
    }

    /// Reads the documents at some paths, by path.
    pub fn load_some<'p>(
        &self,
        paths: impl Iterator<Item = Cow<'p, str>>,
    ) -> Result<HashMap<String, CachedDocument>, IndexError> {
        let mut query = self.db.prepare(
            "SELECT size, modified, file, has_references, data FROM document WHERE path = ?",
        )?;
        let mut found = HashMap::new();
        for path in paths {
            let whole = |row: &Row<'_>| Ok(CachedDocument { data: row.get(4)?, ..stamped(row)? });
            if let Some(cached) = query.query_row([&*path], whole).optional()? {
                found.insert(path.into_owned(), cached);
            }
        }
        Ok(found)
    }

    /// Reads the entries of the memory documents that are wanted, with their paths.
    pub fn notebooks(
        &self,
        is_wanted: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<(String, Vec<u8>)>, IndexError> {
        let mut query = self.db.prepare("SELECT data, path FROM notebook")?;
        let mut rows = query.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let data = row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            if is_wanted(data) {
                found.push((row.get(1)?, data.to_vec()));
            }
        }
        Ok(found)
    }

    /// Writes documents that were read, and forgets those that are gone.
    pub fn save(&mut self, read: &[ReadDocument<'_>], gone: &[&str]) -> Result<(), IndexError> {
        let transaction = self.db.transaction()?;
        {
            let mut insert =
                transaction.prepare("INSERT OR REPLACE INTO document VALUES(?, ?, ?, ?, ?, ?)")?;
            let mut insert_notebook =
                transaction.prepare("INSERT OR REPLACE INTO notebook VALUES(?, ?)")?;
            for ReadDocument { path, document, notebook } in read {
                let CachedDocument { size, modified, file, has_references, data } = document;
                let (size, file) = (size.cast_signed(), file.cast_signed());
                insert.execute(params![path, size, modified, file, has_references, data])?;
                if let Some(notebook) = notebook {
                    insert_notebook.execute(params![path, notebook])?;
                }
            }
            for table in ["document", "notebook"] {
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

/// Reads a document without its data.
fn stamped(row: &Row<'_>) -> rusqlite::Result<CachedDocument> {
    let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
    Ok(CachedDocument {
        size: number(0)?,
        modified: row.get(1)?,
        file: number(2)?,
        has_references: row.get(3)?,
        data: vec![],
    })
}
