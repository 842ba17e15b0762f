//! A record as a line of JSON.

use super::fault::fault;
use super::{Kind, Record, VERSION, plain_line};
use crate::{Value, json};

/// A longer line is not read: no memory is that long, and it would stall every command.
pub const MAX_LINE: usize = 1024 * 1024;

/// Why a line could not be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// A newer version of this program wrote it.
    Newer(String),
    /// One side of a merge that was not finished begins or ends here.
    ConflictMarker,
    /// It is not a record.
    Broken(String),
}

/// Reads a line. An empty one is no record and no damage.
pub fn read(line: &[u8]) -> Result<Option<Record>, Damage> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() > MAX_LINE {
        let megabytes = line.len().div_ceil(MAX_LINE);
        return Err(Damage::Broken(format!(
            "a line of {megabytes} MB is too long for a record (at most 1 MB)"
        )));
    }
    if is_conflict_marker(line) {
        return Err(Damage::ConflictMarker);
    }
    if let Some(at) = line.iter().position(|byte| *byte == 0) {
        return Err(Damage::Broken(format!("a NUL byte at column {}", at + 1)));
    }
    let read = match plain_line::read(line) {
        Some(record) => Ok(record),
        None => serde_json::from_slice::<Record>(line),
    };
    match read {
        Ok(record) if record.v > VERSION => Err(newer_version(record.v)),
        Ok(record) => Ok(Some(record)),
        Err(error) => Err(diagnosis(line, &error)),
    }
}

/// Writes a record as a line, without its line break.
pub fn write(record: &Record) -> Result<String, serde_json::Error> {
    serde_json::to_string(record)
}

fn newer_version(version: u32) -> Damage {
    Damage::Newer(format!(
        "format version {version} is newer than this program (it reads {VERSION})"
    ))
}

/// Says what is wrong with a line, looking at as much of it as can be read.
fn diagnosis(line: &[u8], error: &serde_json::Error) -> Damage {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) if error.is_eof() => {
            return Damage::Broken("the line breaks off: it was never written to its end".into());
        }
        Err(error) => return Damage::Broken(json::syntax_error(&error)),
    };
    if let Some(version) = value["v"].as_u64().filter(|version| *version > u64::from(VERSION)) {
        return newer_version(u32::try_from(version).unwrap_or(u32::MAX));
    }
    match value["kind"].as_str() {
        Some(kind) if Kind::from_word(kind).is_none() => {
            Damage::Newer(format!("the kind `{kind}` is newer than this program"))
        }
        kind => {
            // The table of fields knows all that can be wrong; a new way of failing is still told.
            let what = fault(&value).unwrap_or_else(|| json::message(error));
            Damage::Broken(format!("this is no {}: {what}", kind.unwrap_or("record")))
        }
    }
}

fn is_conflict_marker(line: &[u8]) -> bool {
    line == b"======="
        || ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| {
            line.strip_prefix(mark.as_bytes())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(b" "))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Body, Section};

    const FACT: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"fact","section":"Known Issues","content":"x","at":"2026-02-22T00:00:00Z","by":"ada","valid_from":"2026-02-01T10:00:00Z","colour":"blue"}"#;

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let record = read(FACT.as_bytes()).unwrap().unwrap();
        assert!(matches!(&record.body, Body::Fact(fact) if fact.section == Section::KnownIssues));
        assert_eq!(record.valid_from.unwrap().to_string(), "2026-02-01");
        let written = write(&record).unwrap();
        assert_eq!(read(written.as_bytes()).unwrap().unwrap(), record);
        assert_eq!(written, FACT.replace("T10:00:00Z", "").replace(r#","colour":"blue""#, ""));
    }

    #[test]
    fn a_number_between_two_floats_reads_back_too() {
        let line = FACT.replace("\"by\"", "\"confidence\":118446744073709551616,\"by\"");
        let record = read(line.as_bytes()).unwrap().unwrap();
        assert_eq!(read(write(&record).unwrap().as_bytes()).unwrap().unwrap(), record);
    }

    #[test]
    fn what_is_newer_is_not_damage() {
        let kind = FACT.replace("\"fact\"", "\"hologram\"");
        let version = FACT.replace("\"v\":1", "\"v\":2");
        for line in [kind, version] {
            assert!(matches!(read(line.as_bytes()), Err(Damage::Newer(_))), "{line}");
        }
    }

    #[test]
    fn damage_is_named() {
        let broken = |line: &[u8]| match read(line) {
            Err(Damage::Broken(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert!(broken(&FACT.as_bytes()[..60]).contains("breaks off"));
        assert!(broken(b"garbage").contains("not JSON"));
        assert!(broken(b"{\"a\":\0}").contains("NUL"));
        assert!(broken(&vec![b'x'; MAX_LINE + 1]).contains("too long"));
        assert!(broken(FACT.replace("Known Issues", "Gossip").as_bytes()).contains("Gossip"));
        assert_eq!(read(b"<<<<<<< HEAD"), Err(Damage::ConflictMarker));
        assert_eq!(read(b"  \r\n"), Ok(None));
    }
}
