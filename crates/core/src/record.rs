//! Records: the lines of the memory log.
//!
//! On disk a record is one flat JSON object. Lines are never rewritten, so a field that this version does not know is
//! preserved.

mod fast_path;
mod kinds;
mod line;
mod origin;
mod referent;
#[cfg(test)]
mod serde_fields;
mod validation;
mod vocabulary;

pub use kinds::*;
pub use line::{LineError, MAX_LINE_BYTES, read, write};
pub use origin::Origin;
pub use referent::Referent;
pub use validation::{FieldSpec, FieldType, Presence, find_invalid_field, is_field};
pub use vocabulary::{EventAction, FactSection, Relation, Resolution, Visibility};

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::day;

/// The format version that this code writes; it does not read a line with a greater one.
pub const VERSION: u32 = 1;

/// A line of the memory log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The format version.
    pub v: u32,
    /// Its id, a UUIDv7.
    pub id: Uuid,
    /// The fields of its kind.
    #[serde(flatten)]
    pub body: Body,
    /// When it was recorded.
    pub at: Timestamp,
    /// The agent or person that recorded it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The confidence of the writer, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The source of the knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The artifacts that it is about: `commit:…`, `pr:…`, `adr:…`, `file:…`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// The first day on which it is true.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "day")]
    pub valid_from: Option<Date>,
    /// The first day on which it is no longer true.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "day")]
    pub valid_to: Option<Date>,
    /// Its audience.
    #[serde(default, skip_serializing_if = "Visibility::is_shared")]
    pub visibility: Visibility,
    /// Its text at shorter lengths.
    #[serde(flatten)]
    pub levels: ShortTexts,
    /// The records and entries that it replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<Referent>,
    /// The source that it was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The session or conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The text of a record at shorter lengths.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ShortTexts {
    /// In a sentence or two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// In a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed: Option<String>,
    /// In a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
}

impl Record {
    /// Creates a record without optional fields.
    pub fn new(id: Uuid, at: Timestamp, by: &str, body: Body) -> Self {
        Record {
            v: VERSION,
            id,
            body,
            at,
            by: by.to_owned(),
            tags: vec![],
            confidence: None,
            source: None,
            artifacts: vec![],
            valid_from: None,
            valid_to: None,
            visibility: Visibility::Shared,
            levels: ShortTexts::default(),
            supersedes: vec![],
            origin: None,
            session: None,
        }
    }

    /// Returns its kind.
    pub fn kind(&self) -> RecordKind {
        self.body.kind()
    }

    /// Returns whether it stays on this machine.
    pub fn is_private(&self) -> bool {
        self.visibility == Visibility::Private
    }

    /// Returns its title, if its kind has one.
    pub fn title(&self) -> Option<&str> {
        self.body.inner().title()
    }

    /// Returns its text in a line or a paragraph.
    pub fn text(&self) -> Cow<'_, str> {
        self.body.inner().text()
    }

    /// Returns what it states, a statement or a list a line.
    pub fn statements(&self) -> Cow<'_, str> {
        self.body.inner().statements()
    }

    /// Returns the statement that says most about it besides its title, if one does.
    pub fn main_statement(&self) -> Option<&str> {
        self.body.inner().main_statement()
    }

    /// Returns the id of the session in which it was written, or of which it is the episode.
    pub fn session_id(&self) -> Option<&str> {
        self.session.as_deref().or_else(|| self.origin.as_ref()?.session_id())
    }

    /// Returns the text that is indexed.
    pub fn indexed_text(&self) -> String {
        let mut parts: Vec<Cow<'_, str>> = vec![self.text()];
        self.body.inner().add_indexed_text(&mut parts);
        parts.extend(self.levels.summary.as_deref().map(Cow::Borrowed));
        parts.extend(self.tags.iter().map(|tag| Cow::Borrowed(tag.as_str())));
        parts.extend(self.artifacts.iter().map(|artifact| Cow::Borrowed(artifact.as_str())));
        parts.join("\n")
    }

    /// Returns all free text in it, for the scan for secrets.
    pub fn all_text(&self) -> String {
        let mut texts = vec![self.indexed_text()];
        texts.extend(self.body.inner().text_only_scanned_for_secrets());
        let levels = [&self.levels.compressed, &self.levels.index, &self.source];
        texts.extend(levels.into_iter().flatten().cloned());
        texts.join("\n")
    }

    /// Returns everything that it refers to.
    pub fn referents(&self) -> Vec<&Referent> {
        self.supersedes.iter().chain(self.body.inner().referents()).collect()
    }
}

/// Returns the short form of an id for people to type: its last 8 characters.
pub fn short_id(id: &str) -> &str {
    let start = id.len().saturating_sub(8);
    if id.is_char_boundary(start) { &id[start..] } else { id }
}

/// Returns the short forms of ids that are shown together, in their order: the last 8 characters, or as many more as
/// make each unique. Equal ids are not shortened.
pub fn short_ids<'i>(ids: &[&'i str]) -> Vec<&'i str> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by(|&a, &b| ids[a].bytes().rev().cmp(ids[b].bytes().rev()));
    let shared_suffix_bytes = |a: usize, b: usize| {
        ids[a].bytes().rev().zip(ids[b].bytes().rev()).take_while(|(a, b)| a == b).count()
    };
    let mut shorts: Vec<&str> = ids.iter().map(|id| short_id(id)).collect();
    for (position, &index) in order.iter().enumerate() {
        let previous = position.checked_sub(1).map(|previous| order[previous]);
        let neighbours = previous.into_iter().chain(order.get(position + 1).copied());
        let shared = neighbours.map(|other| shared_suffix_bytes(index, other)).max().unwrap_or(0);
        if shared >= shorts[index].len() {
            shorts[index] = suffix(ids[index], shared + 1);
        }
    }
    shorts
}

/// Returns at least the last `min_bytes` of an id; the result never starts with a dash, which would look like a flag.
fn suffix(id: &str, min_bytes: usize) -> &str {
    let start = id.len().saturating_sub(min_bytes);
    let is_valid_start =
        |offset: &usize| id.is_char_boundary(*offset) && !id[*offset..].starts_with('-');
    (0..=start).rev().find(is_valid_start).map_or(id, |start| &id[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_a_common_suffix_get_longer_short_forms() {
        let ids = [
            "0198c0de-0000-7000-8000-00000000002a",
            "0198c0de-0000-7000-8001-00000000002a",
            "0198c0de-0000-7000-8000-000000000001",
            "3f2a00000002a",
            "é0000000002a",
            "short",
        ];
        assert_eq!(
            short_ids(&ids),
            ["0-00000000002a", "1-00000000002a", "00000001", "a00000002a", "é0000000002a", "short"]
        );
        assert_eq!(short_ids(&["aaaabbbbcccc", "aaaabbbbcccc"]), ["aaaabbbbcccc"; 2]);
        assert!(short_ids(&[]).is_empty());
        let all = ids.map(str::to_owned);
        for (id, short) in all.iter().zip(short_ids(&ids)) {
            assert_eq!(all.iter().filter(|other| other.ends_with(short)).count(), 1, "{id}");
        }
    }
}
