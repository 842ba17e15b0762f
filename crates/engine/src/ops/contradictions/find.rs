//! Resolves typed ids to contradictions.

use heirloom_core::Hint;
use heirloom_core::fold::{ContradictionState, StandingContradiction};
use heirloom_core::record::short_id;

use crate::memory::{MemoryQuery, MemorySlice};
use crate::{Error, Session};

/// Fewest characters of an id that are compared.
const MIN_ID_CHARS: usize = 4;

/// Most contradictions that an error proposes.
const MAX_CANDIDATES: usize = 5;

/// Reads every contradiction with its memories.
pub(super) fn read(session: &Session) -> Result<MemorySlice, Error> {
    MemoryQuery::new().contradictions().read(session)
}

/// Finds a contradiction by its id or the end of it.
pub(super) fn find<'k>(
    session: &Session,
    known: &'k MemorySlice,
    typed: &str,
) -> Result<StandingContradiction<'k>, Error> {
    let mut all = known.found_contradictions(session.today());
    let wanted = typed.trim().to_ascii_lowercase();
    let is_meant = |contradiction: &StandingContradiction<'_>| {
        let mut ids = std::iter::once(&contradiction.id).chain(&contradiction.other_ids);
        wanted.len() >= MIN_ID_CHARS && ids.any(|id| id.ends_with(&wanted))
    };
    let found: Vec<usize> = (0..all.len()).filter(|at| is_meant(&all[*at])).collect();
    match found.as_slice() {
        [one] => Ok(all.swap_remove(*one)),
        [] => {
            let open = all.iter().filter(|it| it.state == ContradictionState::Open);
            let candidates = open.take(MAX_CANDIDATES).map(|it| short_id(&it.id).to_owned());
            let message =
                format!("there is no contradiction with the id `{}`", typed.escape_default());
            Err(Error::not_found(message, candidates.collect())
                .hint(Hint::default().operation("contradictions_list").then(" shows the ids")))
        }
        several => Err(Error::not_found(
            format!("`{typed}` could be any of several contradictions"),
            several.iter().map(|at| all[*at].id.clone()).collect(),
        )
        .hint("type more of the id")),
    }
}
