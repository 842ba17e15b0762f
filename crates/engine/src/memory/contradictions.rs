//! The contradictions that were found between memories, as they stand.

use std::collections::HashMap;

use heirloom_core::conflict::{Conflict, ConflictKind, Severity};
use heirloom_core::contradiction::Certainty;
use heirloom_core::fold::{ContradictionState, StandingContradiction};
use heirloom_core::hierarchy::Selectors;
use heirloom_core::hint::{Argument, Hint};
use heirloom_core::memory::MemoryEntry;
use heirloom_core::prose::truncate;
use heirloom_core::record::{CERTAIN, ContradictionRecord, Referent, short_id};
use heirloom_core::transcript;
use jiff::civil::Date;

use super::{ComparableMemory, MemoryItem, MemorySlice};
use crate::workspace::memory_document::MemoryDocument;

/// Most characters of a memory that a conflict shows.
const MAX_SHOWN_CHARS: usize = 240;

/// Most characters of a reason that are shown.
const MAX_REASON_CHARS: usize = 600;

/// An open contradiction, as a conflict.
#[derive(Debug)]
pub(crate) struct OpenContradiction {
    /// The conflict.
    pub(crate) conflict: Conflict,
    /// The sources of the two memories.
    pub(crate) sources: Vec<String>,
    /// The plan, agent or other scope of each memory that has one.
    pub(crate) selectors: Vec<Selectors>,
}

impl OpenContradiction {
    /// Returns whether one of the memories holds for another plan or scope than the selected ones. The memory of an agent
    /// is part of that of its plan.
    pub(crate) fn is_elsewhere(&self, selected: &Selectors) -> bool {
        let mut names =
            self.selectors.iter().flat_map(Selectors::iter).filter(|(level, _)| *level != "agent");
        names.any(|(level, name)| selected.get(level).is_some_and(|selected| selected != name))
    }

    /// Returns whether a memory is of a plan, and none of another one.
    pub(crate) fn is_of_plan(&self, plan: &str) -> bool {
        let mut plans = self.selectors.iter().filter_map(|selectors| selectors.get("plan"));
        plans.clone().next().is_some() && plans.all(|name| name == plan)
    }
}

/// Returns why a stored contradiction is one. It may come from elsewhere and have any length.
pub(crate) fn shown_reason(body: &ContradictionRecord) -> String {
    truncate(&body.reason, MAX_REASON_CHARS)
}

/// Returns how certain a stored contradiction is.
pub(crate) fn certainty_of(body: &ContradictionRecord) -> Certainty {
    if body.certainty == CERTAIN { Certainty::Certain } else { Certainty::Possible }
}

impl MemorySlice {
    /// Returns all contradictions that were found, with their states on a day.
    pub(crate) fn found_contradictions(&self, today: Date) -> Vec<StandingContradiction<'_>> {
        // Looked up in a map, since there may be many contradictions and many entries.
        let entries: HashMap<&str, (&MemoryDocument, &MemoryEntry)> = self
            .entries()
            .map(|(document, entry)| (entry.id.as_str(), (document, entry)))
            .collect();
        let comparable = |memory: &Referent| match memory.entry_id() {
            None => self.comparable(memory, today),
            Some(id) => {
                let (document, entry) = entries.get(id)?;
                ComparableMemory::of_entry(document, entry)
            }
        };
        self.memory.contradictions(|memory| Some(comparable(memory)?.text_hash()))
    }

    /// Returns the open contradictions as conflicts, the certain ones first. Each is described when the caller asks for it.
    pub(crate) fn open_contradictions(
        &self,
        today: Date,
    ) -> impl Iterator<Item = OpenContradiction> {
        let found = self.found_contradictions(today).into_iter();
        let mut open: Vec<StandingContradiction<'_>> =
            found.filter(|it| it.state == ContradictionState::Open).collect();
        open.sort_by(|x, y| {
            let certainties = certainty_of(y.body).cmp(&certainty_of(x.body));
            let scores = || y.body.score.total_cmp(&x.body.score);
            certainties.then_with(scores).then_with(|| x.id.cmp(&y.id))
        });
        open.into_iter().map(|contradiction| self.as_conflict(&contradiction))
    }

    fn as_conflict(&self, contradiction: &StandingContradiction<'_>) -> OpenContradiction {
        let StandingContradiction { body, memories, id, .. } = contradiction;
        let items: Vec<MemoryItem> = memories.iter().filter_map(|it| self.item(it)).collect();
        let text = |memory: &Referent| {
            let item = items.iter().find(|item| item.referent == *memory);
            item.map_or_else(
                || memory.short().into_owned(),
                |item| transcript::excerpt(&item.text, MAX_SHOWN_CHARS),
            )
        };
        let [a, b] = memories;
        let is_certain = certainty_of(body) == Certainty::Certain;
        let verb = if is_certain { "contradicts" } else { "may contradict" };
        let message = message(&text(a), verb, &text(b), &shown_reason(body));
        let hint = Hint::text("resolve it with ").call(
            "contradictions_resolve",
            [("id", Argument::from(short_id(id))), ("resolution", "…".into())],
        );
        let place = items.first().map_or((String::new(), 1), |item| (item.path.clone(), item.line));
        let kind = ConflictKind::DirectContradiction;
        let severity = if is_certain { Severity::Warning } else { Severity::Information };
        let selectors = memories.iter().filter_map(|memory| match memory {
            Referent::Record(id) => Some(self.selectors_of(self.memory.record(*id)?)),
            Referent::Entry(id) => {
                let (document, _) = self.entries().find(|(_, entry)| entry.id == *id)?;
                Some(document.selectors.clone())
            }
            Referent::Document(_) | Referent::Unknown(_) => None,
        });
        OpenContradiction {
            selectors: selectors.collect(),
            conflict: Conflict::at(kind, severity, place, message, hint),
            sources: items.into_iter().map(|item| item.source).collect(),
        }
    }
}

/// Says which memories contradict each other and why. A reason that quotes both says so by itself.
fn message(a: &str, verb: &str, b: &str, reason: &str) -> String {
    match reason {
        "" => format!("`{a}` {verb} `{b}`"),
        reason if reason.contains(a) && reason.contains(b) => reason.to_owned(),
        reason => format!("`{a}` {verb} `{b}`: {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_not_quoted_twice() {
        let of = |reason: &str| message("The port is 1", "contradicts", "The port is 2", reason);
        assert_eq!(of(""), "`The port is 1` contradicts `The port is 2`");
        assert_eq!(
            of("`1` and `2` for `port`"),
            "`The port is 1` contradicts `The port is 2`: `1` and `2` for `port`"
        );
        let both = "`The port is 1` and `The port is 2` state different numbers";
        assert_eq!(of(both), both);
    }
}
