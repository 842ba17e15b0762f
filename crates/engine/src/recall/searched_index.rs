//! Opens the index for a search, with a fallback for everything that may fail.

use heirloom_core::Problem;
use heirloom_core::embedding::Embedder;

use crate::indexing::{
    EmbedderTimeout, IndexFailure, LexicalOnly, OpenIndex, build_in_memory, keep_open,
    lexical_only_problem, open_embedder, rebuild, try_open_up_to_date,
};
use crate::{Error, Session};

/// Brings the index up to date and searches it. Without the configured embedder, searches an index without vectors and
/// returns the problem, too. A damaged index is rebuilt first.
pub(super) fn search_index<T>(
    session: &Session,
    search: impl Fn(&OpenIndex, &dyn Embedder) -> Result<T, IndexFailure>,
) -> Result<(T, Option<Problem>), Error> {
    let lexical_only = |error: &Error| {
        let found = search_with(session, &LexicalOnly, &search)?;
        Ok((found, Some(lexical_only_problem(error))))
    };
    let embedder = match open_embedder(session, EmbedderTimeout::Short) {
        Ok(embedder) => embedder,
        // The settings are shared by git, and not every machine has the model that they name.
        Err(error) => return lexical_only(&error),
    };
    match search_with(session, &*embedder, &search) {
        Err(failed) if failed.is_embedder_failure() => lexical_only(&failed.into()),
        result => Ok((result?, None)),
    }
}

fn search_with<T>(
    session: &Session,
    embedder: &dyn Embedder,
    search: &impl Fn(&OpenIndex, &dyn Embedder) -> Result<T, IndexFailure>,
) -> Result<T, IndexFailure> {
    let search_and_keep = |index: OpenIndex| {
        let found = search(&index, embedder)?;
        keep_open(session, index);
        Ok(found)
    };
    match try_open_up_to_date(session, embedder).and_then(search_and_keep) {
        Err(failed) if failed.is_damaged() => {
            let rebuilt =
                rebuild(session, embedder).or_else(|_| build_in_memory(session, embedder));
            search_and_keep(rebuilt?)
        }
        result => result,
    }
}
