//! The part of the log that an update affects.

use std::collections::BTreeSet;

use heirloom_core::fold::Memory;
use heirloom_core::record::{Body, Record};
use uuid::Uuid;

/// The part of the log that an update affects.
pub(super) struct LogChange {
    /// The fold of all affected components.
    pub(super) memory: Memory,
    /// The ids of all records in those components, before and after the update.
    pub(super) records: BTreeSet<Uuid>,
    /// The names that those records refer to: entries, documents, and other records.
    pub(super) names: BTreeSet<String>,
}

/// Collects the ids of records, and the names that they refer to.
pub(super) struct NameCollector {
    pub(super) records: Vec<Uuid>,
    pub(super) names: BTreeSet<String>,
}

impl NameCollector {
    pub(super) fn with_capacity(records: usize) -> Self {
        NameCollector { records: Vec::with_capacity(records), names: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, record: &Record) {
        self.records.push(record.id);
        let targets = match &record.body {
            Body::Event(event) => event.targets.as_slice(),
            _ => &[],
        };
        let names = record.supersedes.iter().chain(targets).map(String::as_str);
        self.names.extend(names.chain(entry_of_origin(record)).map(str::to_owned));
    }
}

/// Returns the origin of a record without the fragment behind `#`.
pub(super) fn entry_of_origin(record: &Record) -> Option<&str> {
    record.origin.as_deref().and_then(|origin| origin.split('#').next())
}
