//! Checks whether documents still state what facts were made from. People edit documents by hand, and only
//! `memory ingest` and the start and end of a session store what they changed.

use std::cell::OnceCell;
use std::collections::HashMap;

use heirloom_core::Document;
use heirloom_core::adr::{self, Adr, Status};
use heirloom_core::fold::Standing;
use heirloom_core::memory::{self, EntryMatch, MemoryEntries, MemoryEntry};
use heirloom_core::record::{Origin, Referent};
use heirloom_core::supersession::Supersession;
use heirloom_store::adrs;

use super::lifecycle::{adr_statement, is_final, withdrawal};
use super::{MemoryItem, MemoryQuery, MemorySlice};
use crate::Session;
use crate::workspace::archive;

/// Compares facts with the documents that they were made from. Each document is read once.
pub(crate) struct OriginCheck<'s> {
    session: &'s Session,
    decisions: HashMap<String, Option<StatedDecision>>,
    memories: HashMap<String, Option<MemoryEntries>>,
    /// The decision records that may supersede another one.
    superseding: OnceCell<Vec<Adr>>,
    /// All memory documents, which are read only if one is missing where a fact says that it is.
    all_memories: OnceCell<Option<MemorySlice>>,
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

impl StatedDecision {
    fn new(document: &Document, text: &str) -> Self {
        let adr = adr::read_document(document, text);
        StatedDecision { text: adr_statement(&adr, document), adr }
    }
}

impl<'s> OriginCheck<'s> {
    /// Creates a check of a workspace.
    pub(crate) fn new(session: &'s Session) -> Self {
        OriginCheck {
            session,
            decisions: HashMap::new(),
            memories: HashMap::new(),
            superseding: OnceCell::new(),
            all_memories: OnceCell::new(),
        }
    }

    /// Labels an active fact that its document no longer states. The text of a person may differ from the document's,
    /// but is outdated too when the document withdraws what the person edited.
    pub(crate) fn label(&mut self, item: &mut MemoryItem) {
        if item.standing != Standing::Active {
            return;
        }
        let (origin, text) = match (&item.origin, &item.edited_origin) {
            (Some(origin), _) => (origin, Some(item.text.as_str())),
            (None, Some(edited)) => (edited, None),
            (None, None) => return,
        };
        let Some(path) = &item.stated_source else { return };
        item.outdated = match (origin.decision_record(), origin.referred_entry()) {
            (Some(id), _) => self.check_decision(id, path, text),
            (None, Some(Referent::Entry(id))) => self.check_entry(origin, &id, path, text),
            _ => None,
        };
    }

    /// Returns how a decision record differs from its fact; without a text, whether it is withdrawn.
    fn check_decision(&mut self, id: &str, path: &str, text: Option<&str>) -> Option<String> {
        let session = self.session;
        let stated = self.decisions.entry(path.to_owned()).or_insert_with(|| {
            let read = adrs::read_document(session.root().dir(), path);
            read.map(|(text, document)| StatedDecision::new(&document, &text))
                .or_else(|| find_decision(session, id))
        });
        match stated {
            None if archive::holds_path(&archive::documents(session.root()), path) => None,
            None => Some(format!("{id} was deleted")),
            // The record got another number, which `adr renumber` stores.
            Some(StatedDecision { adr, .. }) if adr.id != id => None,
            Some(StatedDecision { adr, text: stated }) => {
                let superseding =
                    self.superseding.get_or_init(|| superseding_decisions(session)).as_slice();
                if let Some(successors) = successors(adr, superseding) {
                    return Some(format!("{id} is superseded by {successors}"));
                }
                match withdrawal(adr.status) {
                    Some(status) => Some(format!("{id} is {status}")),
                    None if adr.status == Status::Accepted
                        && text.is_some_and(|text| stated != text) =>
                    {
                        Some(format!("{id} reads differently now"))
                    }
                    None => None,
                }
            }
        }
    }

    /// Returns how an entry of a memory document differs from its fact; without a text, whether it is gone or open again.
    fn check_entry(
        &mut self,
        origin: &Origin,
        id: &str,
        path: &str,
        text: Option<&str>,
    ) -> Option<String> {
        let session = self.session;
        let entries = self.memories.entry(path.to_owned()).or_insert_with(|| {
            let read = session.root().read(path).ok().flatten();
            read.map(|text| memory::read(path, &text))
        });
        if let Some(entries) = entries {
            return match entries.find(id) {
                EntryMatch::One(entry) => change_of_entry(entry, origin, text),
                // A document with conflict markers is left out until the merge is finished.
                EntryMatch::Nothing
                    if entries.entries.is_empty() && !entries.problems.is_empty() =>
                {
                    None
                }
                EntryMatch::Nothing => Some("the entry was removed".to_owned()),
                _ => None,
            };
        }
        // The document was deleted, or it has moved: a plan can be renumbered.
        let read_all = || MemoryQuery::new().read(session).ok();
        let all = self.all_memories.get_or_init(read_all).as_ref()?;
        match all.entries().find(|(_, entry)| entry.id == id) {
            Some((_, entry)) => change_of_entry(entry, origin, text),
            None if archive::holds_path(&archive::documents(session.root()), path) => None,
            None => Some("its memory document was deleted".to_owned()),
        }
    }
}

/// Finds a decision record by its id, wherever its file is now.
fn find_decision(session: &Session, id: &str) -> Option<StatedDecision> {
    let config = session.config().ok()?;
    let (records, _) = adrs::read(session.root(), config, adrs::Scope::AllProjects);
    let found = records.into_iter().find(|record| record.adr.id == id)?;
    Some(StatedDecision { text: adr_statement(&found.adr, &found.document), adr: found.adr })
}

/// Reads the decision records that may supersede another one.
fn superseding_decisions(session: &Session) -> Vec<Adr> {
    let Ok(config) = session.config() else { return vec![] };
    adrs::read_superseding(session.root(), config)
}

/// Returns the ids of the records that replaced a decision record, by its own statement or theirs.
fn successors(adr: &Adr, superseding: &[Adr]) -> Option<String> {
    let others = superseding.iter().filter(|other| other.path != adr.path);
    let adrs: Vec<Adr> = std::iter::once(adr).chain(others).cloned().collect();
    let supersession = Supersession::new(&adrs);
    let ids: Vec<&str> = supersession.successors(0).map(|new| adrs[new].id.as_str()).collect();
    supersession.is_replaced(0).then(|| ids.join(", "))
}

/// Returns how an entry differs from the fact that was made from it.
fn change_of_entry(entry: &MemoryEntry, origin: &Origin, text: Option<&str>) -> Option<String> {
    if !is_final(entry, origin) {
        Some(format!("the {} is open again", entry.kind.as_str()))
    } else if text.is_some_and(|text| entry.full_text() != text) {
        Some(format!("the {} reads differently now", entry.kind.as_str()))
    } else {
        None
    }
}
