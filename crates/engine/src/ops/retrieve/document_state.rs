//! What a document says at this moment: its entry, or why it has none.

use heirloom_core::Problem;
use heirloom_store::Root;

use super::entries::{DocumentEntry, Tier};
use crate::workspace::found_document::FoundDocument;
use crate::workspace::plan_documents::DocumentCard;

/// A document as it was read: its entry, or why it has none.
#[derive(Debug)]
pub(super) enum DocumentState {
    Current(Box<DocumentEntry>),
    Archived,
    Superseded,
    Unreadable(Vec<Problem>),
}

impl DocumentState {
    /// Reads a document; `None` if it does not exist any more.
    pub(super) fn read(root: &Root, document: &FoundDocument, tier: Tier) -> Option<Self> {
        let card = DocumentCard::read(root, &document.path)?;
        Some(match () {
            () if card.is_unreadable() => DocumentState::Unreadable(card.problems),
            () if card.is_archived() => DocumentState::Archived,
            () if card.is_superseded() => DocumentState::Superseded,
            () => DocumentState::Current(Box::new(DocumentEntry::new(&card, document, tier))),
        })
    }
}
