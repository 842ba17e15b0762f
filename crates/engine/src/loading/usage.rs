//! Counts the documents that are loaded.

use heirloom_core::record::Referent;
use heirloom_core::usage::UsageEvent;

use super::choice::ChosenLayer;
use crate::Session;
use crate::usage::append_events;

/// Counts that documents went into a context, with their tokens. Best effort: a context is worth more than its statistics.
pub(crate) fn count_loaded(session: &Session, layers: &[ChosenLayer]) {
    let entries = layers.iter().flat_map(|layer| &layer.entries);
    let documents: Vec<(Referent, usize)> =
        entries.map(|it| (Referent::Document(it.document.id.clone()), it.tokens)).collect();
    let injected = documents.iter().map(|(document, tokens)| (document, *tokens)).collect();
    let _ = append_events(session, &[(UsageEvent::Injected, injected)]);
}
