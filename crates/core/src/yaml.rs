//! Parses YAML into a tree with the byte range of every key and value, so that an edit can change
//! one value and leave all other bytes as they are.
//!
//! `saphyr-parser` does the parsing. This module builds the tree, computes exact byte ranges, limits
//! nesting and alias expansion, because documents are untrusted, and refuses duplicate keys.

mod block;
mod compose;
mod edit;
mod scalar;
mod simple;
mod syntax_error;

pub use block::write_document;
pub use compose::parse;
pub(crate) use edit::NOT_A_MAPPING;
pub use edit::{EditError, append_to_list, set_key};
pub use scalar::write_inline;
pub use simple::parse_simple_mapping;

use std::ops::Range;

use serde_json::Map;

use crate::Value;

/// A value and its byte range.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode {
    /// The value.
    pub kind: YamlKind,
    /// Its byte range, without an anchor or tag before it and without a comment after it.
    pub bytes: Range<usize>,
    /// Its line, counted from 1.
    pub line: usize,
    /// Whether it has an anchor (`&name`), to which aliases may refer.
    pub anchored: bool,
    /// Whether it has a tag (`!!str`).
    pub tagged: bool,
}

/// The kind of a value and how it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlKind {
    /// A single value.
    Scalar {
        /// The value, typed by the core schema.
        value: Value,
        /// How it is quoted.
        style: YamlStyle,
    },
    /// A sequence.
    List {
        /// Its items.
        items: Vec<YamlNode>,
        /// Whether it is written in brackets.
        flow: bool,
    },
    /// A mapping.
    Map {
        /// Its entries in document order.
        entries: Vec<MapEntry>,
        /// Whether it is written in braces.
        flow: bool,
    },
    /// A reference to an anchor, with the value of the anchor.
    Alias(Value),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct MapEntry {
    /// The key's text.
    pub key: String,
    /// The key's byte range.
    pub key_bytes: Range<usize>,
    /// The key's line, counted from 1.
    pub line: usize,
    /// The value.
    pub value: YamlNode,
}

/// How a scalar is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlStyle {
    /// Not quoted.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|` or `>`
    Block,
}

/// Why a text cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// The line within the YAML text, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl YamlNode {
    /// Returns the value without positions, with merge keys (`<<`) applied.
    pub fn value(&self) -> Value {
        match &self.kind {
            YamlKind::Scalar { value, .. } | YamlKind::Alias(value) => value.clone(),
            YamlKind::List { items, .. } => {
                Value::Array(items.iter().map(YamlNode::value).collect())
            }
            YamlKind::Map { entries, .. } => Value::Object(map_value(entries)),
        }
    }

    /// Returns the entries of a mapping, and none for any other value.
    pub fn entries(&self) -> &[MapEntry] {
        match &self.kind {
            YamlKind::Map { entries, .. } => entries,
            _ => &[],
        }
    }

    /// Returns the entry of a mapping with this key.
    pub fn entry(&self, key: &str) -> Option<&MapEntry> {
        self.entries().iter().find(|entry| entry.key == key)
    }
}

const MERGE_KEY: &str = "<<";

/// Returns the value of a mapping. As in YAML 1.1, explicit keys take precedence over merged ones,
/// and earlier merged mappings over later ones.
fn map_value(entries: &[MapEntry]) -> Map<String, Value> {
    let mut map = Map::new();
    for entry in entries.iter().filter(|entry| entry.key != MERGE_KEY) {
        map.insert(entry.key.clone(), entry.value.value());
    }
    for entry in entries.iter().filter(|entry| entry.key == MERGE_KEY) {
        let sources = match entry.value.value() {
            Value::Array(items) => items,
            source => vec![source],
        };
        for source in sources {
            let Value::Object(source) = source else { continue };
            for (key, value) in source {
                map.entry(key).or_insert(value);
            }
        }
    }
    map
}
