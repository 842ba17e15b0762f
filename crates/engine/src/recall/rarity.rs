//! How rare terms are among the memories of a workspace.

use std::collections::HashMap;

use heirloom_core::embedding::Embedder;
use heirloom_core::recall::Corpus;
use heirloom_index::{Filter, StandingFilter};

use super::searched_index::search_index;
use crate::indexing::OpenIndex;
use crate::{Error, Session};

/// So many chunks are assumed at least: among a few, a term that one has is not common.
const MIN_ASSUMED_CHUNKS: usize = 100;

/// Returns how rare each term is among the chunks of active memories: 1 if none has it, 0 if all have it.
pub(crate) fn term_rarities(
    session: &Session,
    terms: &[String],
) -> Result<HashMap<String, f64>, Error> {
    let search = |index: &OpenIndex, _: &dyn Embedder| {
        let view = index.snapshot().view(StandingFilter::Active, &Filter::default());
        let all = view.size().max(MIN_ASSUMED_CHUNKS) as f64;
        let rarity = |term: &String| {
            let count = view.slots_with_term(term).len() as f64;
            (term.clone(), 1.0 - (1.0 + count).ln() / (2.0 + all).ln())
        };
        Ok(terms.iter().map(rarity).collect())
    };
    Ok(search_index(session, search)?.0)
}
