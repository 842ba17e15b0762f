//! Reads and writes a record as a line of JSON.

use super::validation::find_invalid_field;
use super::{Record, RecordKind, VERSION, fast_path};
use crate::{Value, json};

/// The longest line that is read, in bytes: no record is that long, and parsing one would slow down every command.
pub const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The reason why a line is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineError {
    /// It was written by a newer version of this program.
    Newer(String),
    /// It is a conflict marker of an unfinished merge.
    ConflictMarker,
    /// It is not a valid record.
    Broken(String),
}

/// Reads a line; an empty line is `None`.
pub fn read(line: &[u8]) -> Result<Option<Record>, LineError> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() > MAX_LINE_BYTES {
        let megabytes = line.len().div_ceil(MAX_LINE_BYTES);
        return Err(LineError::Broken(format!(
            "the line has {megabytes} MB, and a record may have at most 1 MB"
        )));
    }
    if is_conflict_marker(line) {
        return Err(LineError::ConflictMarker);
    }
    if let Some(offset) = line.iter().position(|byte| *byte == 0) {
        return Err(LineError::Broken(format!(
            "the line contains a NUL byte at column {}",
            offset + 1
        )));
    }
    let read = match fast_path::read(line) {
        Some(record) => Ok(record),
        None => serde_json::from_slice::<Record>(line),
    };
    match read {
        Ok(record) if record.v > VERSION => Err(newer_version(record.v)),
        Ok(record) => Ok(Some(record)),
        Err(error) => Err(diagnose(line, &error)),
    }
}

/// Writes a record as a line, without its line break.
pub fn write(record: &Record) -> Result<String, serde_json::Error> {
    serde_json::to_string(record)
}

fn newer_version(version: u32) -> LineError {
    LineError::Newer(format!(
        "format version {version} is newer than this program, which reads version {VERSION}"
    ))
}

/// Explains why a line cannot be deserialised.
fn diagnose(line: &[u8], error: &serde_json::Error) -> LineError {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) if error.is_eof() => {
            return LineError::Broken(
                "the line is truncated: it was not written completely".into(),
            );
        }
        Err(error) => return LineError::Broken(json::describe_syntax_error(&error)),
    };
    if let Some(version) = value["v"].as_u64().filter(|version| *version > u64::from(VERSION)) {
        return newer_version(u32::try_from(version).unwrap_or(u32::MAX));
    }
    match value["kind"].as_str() {
        Some(kind) if RecordKind::parse(kind).is_none() => {
            LineError::Newer(format!("the kind `{kind}` is newer than this program"))
        }
        kind => {
            // Falls back to serde's message if the table of fields misses a case.
            let reason = find_invalid_field(&value).unwrap_or_else(|| json::error_message(error));
            LineError::Broken(format!("this {} is invalid: {reason}", kind.unwrap_or("record")))
        }
    }
}

fn is_conflict_marker(line: &[u8]) -> bool {
    line == b"======="
        || ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|marker| {
            line.strip_prefix(marker.as_bytes())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b" "))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, FactSection};

    const FACT: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"fact","section":"Known Issues","content":"x","at":"2026-02-22T00:00:00Z","by":"ada","valid_from":"2026-02-01T10:00:00Z","colour":"blue"}"#;

    #[test]
    fn a_record_round_trips() {
        let record = read(FACT.as_bytes()).unwrap().unwrap();
        assert!(
            matches!(&record.body, Body::Fact(fact) if fact.section == FactSection::KnownIssues)
        );
        assert_eq!(record.valid_from.unwrap().to_string(), "2026-02-01");
        let written = write(&record).unwrap();
        assert_eq!(read(written.as_bytes()).unwrap().unwrap(), record);
        assert_eq!(written, FACT.replace("T10:00:00Z", "").replace(r#","colour":"blue""#, ""));
    }

    #[test]
    fn a_number_without_an_exact_float_round_trips() {
        let line = FACT.replace("\"by\"", "\"confidence\":118446744073709551616,\"by\"");
        let record = read(line.as_bytes()).unwrap().unwrap();
        assert_eq!(read(write(&record).unwrap().as_bytes()).unwrap().unwrap(), record);
    }

    #[test]
    fn newer_kinds_and_versions_are_recognised() {
        let kind = FACT.replace("\"fact\"", "\"hologram\"");
        let version = FACT.replace("\"v\":1", "\"v\":2");
        for line in [kind, version] {
            assert!(matches!(read(line.as_bytes()), Err(LineError::Newer(_))), "{line}");
        }
    }

    #[test]
    fn broken_lines_are_explained() {
        let broken = |line: &[u8]| match read(line) {
            Err(LineError::Broken(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert!(broken(&FACT.as_bytes()[..60]).contains("truncated"));
        assert!(broken(b"garbage").contains("not JSON"));
        assert!(broken(b"{\"a\":\0}").contains("NUL"));
        assert!(broken(&vec![b'x'; MAX_LINE_BYTES + 1]).contains("at most 1 MB"));
        assert!(broken(FACT.replace("Known Issues", "Gossip").as_bytes()).contains("Gossip"));
        assert_eq!(read(b"<<<<<<< HEAD"), Err(LineError::ConflictMarker));
        assert_eq!(read(b"  \r\n"), Ok(None));
    }
}
