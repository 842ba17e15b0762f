//! The part of the log that an update affects.

use std::collections::BTreeSet;

use heirloom_core::fold::Memory;
use heirloom_core::record::{Body, Origin, Record, Referent};
use uuid::Uuid;

/// The part of the log that an update affects.
pub(super) struct LogChange {
    /// The fold of all affected components.
    pub(super) memory: Memory,
    /// The ids of all records in those components, before and after the update.
    pub(super) records: BTreeSet<Uuid>,
    /// What those records refer to: entries, documents, and other records.
    pub(super) referents: BTreeSet<Referent>,
}

/// Collects the ids of records, and what they refer to.
pub(super) struct ReferentCollector {
    pub(super) records: Vec<Uuid>,
    pub(super) referents: BTreeSet<Referent>,
}

impl ReferentCollector {
    pub(super) fn with_capacity(records: usize) -> Self {
        ReferentCollector { records: Vec::with_capacity(records), referents: BTreeSet::new() }
    }

    pub(super) fn add(&mut self, record: &Record) {
        self.records.push(record.id);
        let targets = match &record.body {
            Body::Event(event) => event.targets.as_slice(),
            _ => &[],
        };
        let entry = record.origin.as_ref().and_then(Origin::referred_entry);
        self.referents.extend(record.supersedes.iter().chain(targets).cloned().chain(entry));
    }
}
