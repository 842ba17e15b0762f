//! Memories as the index stores them.

use std::collections::HashSet;

use heirloom_core::recall::{DocumentPart, Slot};
use heirloom_core::record::Referent;
use rusqlite::Connection;
use uuid::Uuid;

use crate::IndexError;
use crate::name_hash::{hash_referent, tie_breaker};
use crate::slots::SlotEntry;
use crate::tables::lines::{self, StoredLine};
use crate::tables::passages;

/// A memory as the index stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredMemory {
    /// A record of the log.
    Record(Uuid),
    /// A part of a document.
    Part {
        /// What the log refers to it by.
        subject: Referent,
        /// The part itself.
        part: Box<DocumentPart>,
    },
}

impl StoredMemory {
    fn decode(subject: Referent, part: Option<String>) -> Result<Self, IndexError> {
        let Some(json) = part else {
            let id = subject.record_id();
            let id = id.ok_or_else(|| IndexError::damaged("a stored record has no id"))?;
            return Ok(StoredMemory::Record(id));
        };
        match serde_json::from_str(&json) {
            Ok(part) => Ok(StoredMemory::Part { subject, part: Box::new(part) }),
            Err(error) => {
                let message = format!("a stored part of a document cannot be parsed: {error}");
                Err(IndexError::damaged(message))
            }
        }
    }
}

/// Reads memories, and all lines of the log that decide their state.
///
/// A record that is alone in its component is read by its row id. Other lines that say the same are
/// then not found, so the lines must not be compared with new ones.
pub(crate) fn load(
    db: &Connection,
    memories: &[(Slot, SlotEntry)],
) -> Result<(Vec<Option<StoredMemory>>, Vec<StoredLine>), IndexError> {
    let isolated = lines::isolated_lines(db, memories.iter().map(|(_, entry)| entry.line))?;
    let (mut stored, mut name_hashes, mut lines) = (vec![], vec![], vec![]);
    for ((slot, entry), line) in memories.iter().zip(isolated) {
        if let Some(line) = line {
            let id = line.line.record.id;
            let mut buffer = Uuid::encode_buffer();
            let name = id.hyphenated().encode_lower(&mut buffer);
            if tie_breaker(name) != entry.tie_breaker {
                return Err(IndexError::damaged("a slot refers to the line of another record"));
            }
            stored.push(Some(StoredMemory::Record(id)));
            lines.push(line);
            continue;
        }
        let content = passages::content(db, *slot)?;
        name_hashes.extend(content.as_ref().map(|(subject, _)| hash_referent(subject)));
        let memory = content.map(|(subject, part)| StoredMemory::decode(subject, part));
        stored.push(memory.transpose()?);
    }
    if !name_hashes.is_empty() {
        let loaded: HashSet<i64> = lines.iter().map(|line| line.id).collect();
        let components = lines::components_of_names(db, &name_hashes)?;
        let others = lines::lines_of_components(db, &components)?.into_iter();
        lines.extend(others.filter(|line| !loaded.contains(&line.id)));
    }
    Ok((stored, lines))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI64;

    use super::*;
    use crate::IndexErrorKind;
    use crate::sqlite;
    use crate::tables::lines::{LineRow, row_id};
    use crate::tables::sources;
    use crate::tables::state::EmbedderId;

    #[test]
    fn an_undecodable_part_of_a_document_is_damage() {
        let decode =
            |json: &str| StoredMemory::decode(Referent::document("x"), Some(json.to_owned()));
        let valid = serde_json::to_string(&DocumentPart::default()).unwrap();
        assert!(decode(&valid).is_ok());
        assert_eq!(decode("{}").unwrap_err().kind, IndexErrorKind::Damaged);
    }

    #[test]
    fn a_slot_that_refers_to_another_line_is_damage() {
        let db = sqlite::open_in_memory().unwrap();
        let embedder = EmbedderId { name: "none".to_owned(), dimensions: 0 };
        crate::tables::create(&db, &embedder).unwrap();
        let source = sources::insert(&db, "a.jsonl").unwrap();
        let ids = [1, 2].map(Uuid::from_u128);
        for (number, id) in (1..).zip(ids) {
            let json = format!(
                r#"{{"v":1,"id":"{id}","kind":"note","content":"x","at":"2026-02-22T00:00:00Z"}}"#
            );
            let id = row_id(source, number);
            let row = LineRow { id, component: None, json: Some(json.as_bytes()) };
            lines::write(&db, std::iter::once(row)).unwrap();
        }
        let load_line = |number: usize| {
            let line = NonZeroI64::new(row_id(source, number));
            let tie_breaker = tie_breaker(&ids[0].to_string());
            load(&db, &[(0, SlotEntry { line, tie_breaker, ..SlotEntry::FREE })])
        };
        let (stored, lines) = load_line(1).unwrap();
        assert_eq!(stored, [Some(StoredMemory::Record(ids[0]))]);
        assert_eq!(lines.len(), 1);
        assert_eq!(load_line(2).unwrap_err().kind, IndexErrorKind::Damaged);
    }
}
