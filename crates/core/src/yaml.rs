//! YAML with positions: a tree that knows the bytes of every key and value, so that an edit can
//! touch one value and nothing else.
//!
//! The tokens come from `saphyr-parser`; what is ours is composing them under limits (a document
//! may come from anywhere), refusing duplicate keys, and keeping byte ranges.

mod compose;
mod edit;
mod scalar;

pub use compose::parse;
pub use edit::{EditError, append_to_list, set};
pub use scalar::write_scalar;

use std::ops::Range;

use serde_json::Map;

use crate::Value;

/// A value and the bytes it was written with.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it says.
    pub kind: Kind,
    /// Its bytes, without the anchor or tag before it and without what follows it.
    pub bytes: Range<usize>,
    /// Its line, from 1.
    pub line: usize,
    /// Whether it is anchored (`&name`), so that another place may repeat it.
    pub anchored: bool,
    /// Whether it carries a tag (`!!str`).
    pub tagged: bool,
}

/// How a value is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A single value.
    Scalar {
        /// The value after typing by the core schema.
        value: Value,
        /// How it is quoted.
        style: Style,
    },
    /// A sequence.
    List {
        /// Its items.
        items: Vec<Node>,
        /// Whether it is written in brackets.
        flow: bool,
    },
    /// A mapping.
    Map {
        /// Its entries in the order in which they are written.
        entries: Vec<Entry>,
        /// Whether it is written in braces.
        flow: bool,
    },
    /// A reference to an anchor, with the value that it stands for.
    Alias(Value),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// The key's bytes.
    pub key_bytes: Range<usize>,
    /// The key's line, from 1.
    pub line: usize,
    /// The value.
    pub value: Node,
}

/// How a scalar is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Not quoted.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `|` or `>`
    Block,
}

/// Why a text is not YAML that we take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// The line within the YAML text, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Node {
    /// Returns the value without positions. Merge keys (`<<`) are applied.
    pub fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar { value, .. } | Kind::Alias(value) => value.clone(),
            Kind::List { items, .. } => Value::Array(items.iter().map(Node::value).collect()),
            Kind::Map { entries, .. } => Value::Object(map_value(entries)),
        }
    }

    /// Returns the entries of a mapping, and none of anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map { entries, .. } => entries,
            _ => &[],
        }
    }

    /// Returns the entry of a mapping with this key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }
}

const MERGE_KEY: &str = "<<";

/// Explicit keys win over merged ones, and earlier merged maps over later ones, as YAML 1.1 says.
fn map_value(entries: &[Entry]) -> Map<String, Value> {
    let mut map = Map::new();
    for entry in entries.iter().filter(|entry| entry.key != MERGE_KEY) {
        map.insert(entry.key.clone(), entry.value.value());
    }
    for entry in entries.iter().filter(|entry| entry.key == MERGE_KEY) {
        let sources = match entry.value.value() {
            Value::Array(items) => items,
            one => vec![one],
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
