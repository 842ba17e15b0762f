//! Checks whether documents still state what facts were made from. People edit documents by hand, and only
//! `memory ingest` and the start and end of a session store what they changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use heirloom_core::adr::{self, Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::memory::{self, EntryMatch, MemoryEntries};
use heirloom_core::record::{Origin, Referent};
use heirloom_store::adrs;

use super::lifecycle::{adr_statement, is_final};
use super::{MemoryItem, MemorySlice};
use crate::Session;
use crate::workspace::archive;

/// Compares facts with the documents that they were made from. Each document is read once.
pub(crate) struct OriginCheck<'s> {
    session: &'s Session,
    decisions: HashMap<String, Option<StatedDecision>>,
    memories: HashMap<String, Option<MemoryEntries>>,
}

/// Returns the active memories that are pinned for the agent of a request, with labels on those that are outdated.
pub(crate) fn pins_of_request(session: &Session, known: &MemorySlice) -> Vec<MemoryItem> {
    let mut check = OriginCheck::new(session);
    let mut pins: Vec<MemoryItem> =
        known.pins(session.agent()).into_iter().map(|(_, pin)| pin.on(session.today())).collect();
    pins.iter_mut().for_each(|pin| check.label(pin));
    pins
}

/// What a decision record states.
struct StatedDecision {
    adr: Adr,
    text: String,
}

impl<'s> OriginCheck<'s> {
    /// Creates a check of a workspace.
    pub(crate) fn new(session: &'s Session) -> Self {
        OriginCheck { session, decisions: HashMap::new(), memories: HashMap::new() }
    }

    /// Labels an active fact that its document no longer states.
    pub(crate) fn label(&mut self, item: &mut MemoryItem) {
        if item.standing != Standing::Active {
            return;
        }
        let Some((origin, path)) = item.origin.as_ref().zip(item.stated_source.as_ref()) else {
            return;
        };
        item.outdated = match (origin.decision_record(), origin.referred_entry()) {
            (Some(id), _) => self.check_decision(id, path, &item.text),
            (None, Some(Referent::Entry(id))) => self.check_entry(origin, &id, path, &item.text),
            _ => None,
        };
    }

    /// Returns how a decision record differs from its fact.
    fn check_decision(&mut self, id: &str, path: &str, text: &str) -> Option<String> {
        let stated = match self.decisions.entry(path.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let read = adrs::read_document(self.session.root().dir(), path);
                new.insert(read.map(|(text, document)| {
                    let adr = adr::read_document(&document, &text);
                    StatedDecision { text: adr_statement(&adr, &document), adr }
                }))
            }
        };
        match stated {
            None => self.is_deleted(id, path).then(|| format!("{id} was deleted")),
            // The record got another number, which `adr renumber` stores.
            Some(StatedDecision { adr, .. }) if adr.id != id => None,
            Some(StatedDecision { adr, text: stated }) => match adr.status {
                Status::Superseded | Status::Deprecated | Status::Rejected | Status::Withdrawn => {
                    Some(format!("{id} is {}", adr.status))
                }
                Status::Accepted if stated != text => Some(format!("{id} reads differently now")),
                _ => None,
            },
        }
    }

    /// Returns whether no decision record has an id, neither at another path nor in the archive.
    fn is_deleted(&self, id: &str, path: &str) -> bool {
        let root = self.session.root();
        let Ok(config) = self.session.config() else { return false };
        let (records, _) = adrs::read(root, config, adrs::Scope::AllProjects);
        let has_moved = records.iter().any(|record| record.adr.id == id);
        !has_moved && !archive::holds_path(&archive::documents(root), path)
    }

    /// Returns how an entry of a memory document differs from its fact. A document that has moved is not looked for.
    fn check_entry(&mut self, origin: &Origin, id: &str, path: &str, text: &str) -> Option<String> {
        let entries = match self.memories.entry(path.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let read = self.session.root().read(path).ok().flatten();
                new.insert(read.map(|text| memory::read(path, &text)))
            }
        };
        match entries.as_ref()?.find(id) {
            EntryMatch::One(entry) if !is_final(entry, origin) => {
                Some(format!("the {} is open again", entry.kind.as_str()))
            }
            EntryMatch::One(entry) if entry.full_text() != text => {
                Some(format!("the {} reads differently now", entry.kind.as_str()))
            }
            EntryMatch::Nothing => Some("the entry was removed".to_owned()),
            _ => None,
        }
    }
}
