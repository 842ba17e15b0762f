//! The contradictions that were found between memories, as they stand.

use heirloom_core::conflict::{Conflict, ConflictKind, Severity};
use heirloom_core::contradiction::Certainty;
use heirloom_core::fold::{ContradictionState, StandingContradiction};
use heirloom_core::hint::{Argument, Hint};
use heirloom_core::record::{CERTAIN, ContradictionRecord, Referent, short_id};
use heirloom_core::transcript;
use jiff::civil::Date;

use super::{MemoryItem, MemorySlice};

/// Most characters of a memory that a conflict shows.
const MAX_SHOWN_CHARS: usize = 240;

/// An open contradiction, as a conflict.
#[derive(Debug)]
pub(crate) struct OpenContradiction {
    /// The conflict.
    pub(crate) conflict: Conflict,
    /// The sources of the two memories.
    pub(crate) sources: Vec<String>,
}

/// Returns how certain a stored contradiction is.
pub(crate) fn certainty_of(body: &ContradictionRecord) -> Certainty {
    if body.certainty == CERTAIN { Certainty::Certain } else { Certainty::Possible }
}

impl MemorySlice {
    /// Returns all contradictions that were found, with their states on a day.
    pub(crate) fn found_contradictions(&self, today: Date) -> Vec<StandingContradiction<'_>> {
        self.memory.contradictions(|memory| Some(self.comparable(memory, today)?.text_hash()))
    }

    /// Returns the open contradictions as conflicts, the certain ones first.
    pub(crate) fn open_contradictions(&self, today: Date) -> Vec<OpenContradiction> {
        let found = self.found_contradictions(today).into_iter();
        let mut open: Vec<StandingContradiction<'_>> =
            found.filter(|it| it.state == ContradictionState::Open).collect();
        open.sort_by(|x, y| {
            let certainties = certainty_of(y.body).cmp(&certainty_of(x.body));
            let scores = || y.body.score.total_cmp(&x.body.score);
            certainties.then_with(scores).then_with(|| x.id.cmp(&y.id))
        });
        open.iter().map(|contradiction| self.as_conflict(contradiction)).collect()
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
        let message = message(&text(a), verb, &text(b), &body.reason);
        let hint = Hint::text("resolve it with ").call(
            "contradictions_resolve",
            [("id", Argument::from(short_id(id))), ("resolution", "…".into())],
        );
        let place = items.first().map_or((String::new(), 1), |item| (item.path.clone(), item.line));
        let kind = ConflictKind::DirectContradiction;
        let severity = if is_certain { Severity::Warning } else { Severity::Information };
        OpenContradiction {
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
