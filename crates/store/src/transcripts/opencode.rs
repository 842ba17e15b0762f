//! Sessions in the database of opencode, which is opened for reading only.

use std::path::{Path, PathBuf};
use std::time::Duration;

use heirloom_core::Problem;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use serde_json::{Value, json};

use super::{Place, Transcript};
use crate::Root;
use crate::client_sessions::{KnownClient, is_in_workspace};
use crate::stamp::Stamp;

/// How long a writer of the database is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// A larger row is not read, in bytes.
const MAX_ROW_BYTES: i64 = 4 * 1024 * 1024;

/// The database has times in milliseconds.
const NANOS_PER_MILLISECOND: i64 = 1_000_000;

/// Number of sessions that are listed.
const MAX_SESSIONS: i64 = 100_000;

/// Lists the sessions of a workspace in the databases of a folder.
pub(super) fn sessions(root: &Root, folder: &Path) -> (Vec<Transcript>, Vec<Problem>) {
    let (mut found, mut problems) = (vec![], vec![]);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_database =
            name == "opencode.db" || (name.starts_with("opencode-") && name.ends_with(".db"));
        if !is_database || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Some(path) = entry.path().to_str().map(str::to_owned) else { continue };
        match list(root, Path::new(&path)) {
            Ok(sessions) => found.extend(sessions),
            Err(error) => {
                problems.push(Problem::in_file(path, format!("it cannot be read: {error}")));
            }
        }
    }
    (found, problems)
}

fn list(root: &Root, database: &Path) -> rusqlite::Result<Vec<Transcript>> {
    let db = open(database)?;
    let mut folders = db.prepare("SELECT DISTINCT directory FROM session")?;
    let folders: Vec<String> =
        folders.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut found = vec![];
    for folder in folders.into_iter().filter(|folder| is_in_workspace(root, folder)) {
        let mut sessions = db.prepare(
            "SELECT session.id, session.time_updated, count(part.id), total(part.time_updated), total(length(part.data))
             FROM session LEFT JOIN part ON part.session_id = session.id
             WHERE directory = ?1 GROUP BY session.id ORDER BY session.id LIMIT ?2",
        )?;
        let rows = sessions.query_map((&folder, MAX_SESSIONS), |row| {
            let (session, updated): (String, i64) = (row.get(0)?, row.get(1)?);
            let (parts, changes, bytes): (i64, f64, f64) = (row.get(2)?, row.get(3)?, row.get(4)?);
            // A part may change without its session.
            let inode = changes.to_bits().wrapping_mul(31).wrapping_add(parts.cast_unsigned());
            let modified = updated.saturating_mul(NANOS_PER_MILLISECOND);
            Ok((session, Stamp { size: bytes as u64, modified, inode }))
        })?;
        for row in rows {
            let (session, stamp) = row?;
            let place =
                Place::OpenCode { database: database.to_path_buf(), session: session.clone() };
            let name = format!("{}#{session}", database.display());
            found.push(Transcript { name, client: Some(KnownClient::OpenCode), stamp, place });
        }
    }
    Ok(found)
}

/// Opens a database without writing anything beside it: SQLite would make the files of a write-ahead log, so one that has
/// none is opened as immutable.
fn open(database: &Path) -> rusqlite::Result<Connection> {
    let wal = PathBuf::from(format!("{}-wal", database.display()));
    let is_in_use = std::fs::metadata(wal).is_ok_and(|metadata| metadata.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_URI;
    let path = escape_for_uri(&database.display().to_string());
    let mode = if is_in_use { "mode=ro" } else { "mode=ro&immutable=1" };
    let db = Connection::open_with_flags(format!("file:{path}?{mode}"), flags)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    // A schema can hold functions that a view or a trigger calls.
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;")?;
    Ok(db)
}

fn escape_for_uri(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            '%' => escaped.push_str("%25"),
            '?' => escaped.push_str("%3f"),
            '#' => escaped.push_str("%23"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The rows of a session, in order.
pub(super) struct SessionRows {
    db: Connection,
    session: String,
    directory: String,
    title: String,
    /// Whether the rows are parts of messages, or whole messages as newer versions write them.
    are_parts: bool,
    ids: std::vec::IntoIter<i64>,
}

impl SessionRows {
    pub(super) fn open(database: &Path, session: &str) -> Result<Self, String> {
        Self::try_open(database, session).map_err(|error| error.to_string())
    }

    fn try_open(database: &Path, session: &str) -> rusqlite::Result<Self> {
        let db = open(database)?;
        let (directory, title) =
            db.query_row("SELECT directory, title FROM session WHERE id = ?1", [session], |row| {
                Ok((row.get(0)?, row.get::<_, Option<String>>(1)?.unwrap_or_default()))
            })?;
        let ids = |query: &str| -> rusqlite::Result<Vec<i64>> {
            db.prepare(query)?.query_map([session], |row| row.get(0))?.collect()
        };
        let mut rows =
            ids("SELECT part.rowid FROM part JOIN message ON message.id = part.message_id
             WHERE part.session_id = ?1 ORDER BY message.time_created, message.id, part.id")?;
        let are_parts = !rows.is_empty();
        let has_messages = || {
            let query = "SELECT 1 FROM sqlite_master WHERE name = 'session_message'";
            db.query_row(query, [], |_| Ok(())).optional().map(|found| found.is_some())
        };
        if !are_parts && has_messages()? {
            rows = ids("SELECT rowid FROM session_message WHERE session_id = ?1 ORDER BY seq")?;
        }
        let session = session.to_owned();
        Ok(SessionRows { db, session, directory, title, are_parts, ids: rows.into_iter() })
    }

    /// Returns the next row: its id and its line, `None` for a line that is too long.
    pub(super) fn next(&mut self) -> Result<Option<(i64, Option<String>)>, String> {
        match self.ids.next() {
            Some(id) => Ok(Some((id, self.line(id)?))),
            None => Ok(None),
        }
    }

    /// Returns the line of a row of the session, if there is one.
    pub(super) fn line(&self, id: i64) -> Result<Option<String>, String> {
        self.try_line(id).map_err(|error| error.to_string())
    }

    fn try_line(&self, id: i64) -> rusqlite::Result<Option<String>> {
        let query = match self.are_parts {
            true => {
                "SELECT part.data, message.data, message.time_created
                 FROM part JOIN message ON message.id = part.message_id
                 WHERE part.rowid = ?1 AND part.session_id = ?2
                   AND length(part.data) + length(message.data) <= ?3"
            }
            false => {
                "SELECT data, type, time_created FROM session_message
                 WHERE rowid = ?1 AND session_id = ?2 AND length(data) <= ?3"
            }
        };
        let mut statement = self.db.prepare_cached(query)?;
        let row = statement.query_row((id, &self.session, MAX_ROW_BYTES), |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
        });
        let Some((data, second, time)) = row.optional()? else { return Ok(None) };
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let mut line = json!({
            "session": self.session, "directory": self.directory, "title": self.title, "time": time,
        });
        match self.are_parts {
            true => {
                let message = parse(&second);
                line["message"] = json!({"role": message["role"], "summary": message["summary"]});
                line["part"] = parse(&data);
            }
            false => {
                line["kind"] = Value::String(second);
                line["data"] = parse(&data);
            }
        }
        Ok(Some(line.to_string()))
    }
}
