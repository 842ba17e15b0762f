//! `memory search-archive`: what was put away or replaced.

use heirloom_core::fold::Standing;
use heirloom_core::record::Kind;
use heirloom_index::Shelf;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryItem, SelectedRecords};
use crate::ops::answers::Hits;
use crate::ops::given::ten;
use crate::recall::Search;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemorySearchArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What to look for; without it, all of the archive is listed, newest first.
    #[serde(default)]
    query: Option<String>,
    /// At most this many.
    #[serde(default = "ten")]
    limit: usize,
}

impl Operation for MemorySearchArchive {
    type Request = Request;
    type Response = Hits;
    const SPEC: Spec = Spec {
        name: "memory_search_archive",
        usage: "memory search-archive [query]",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Search what was superseded or archived; it is not injected, but not gone.",
    };

    fn run(session: &Session, request: Request) -> Result<Hits, Error> {
        if let Some(query) = request.query.as_deref().map(str::trim).filter(|q| !q.is_empty()) {
            let limit = request.limit;
            let search = Search { query, limit, shelf: Shelf::Archive, ..Search::default() };
            return Ok(Hits::of(search.run(session)?));
        }
        let known = SelectedRecords::read_retired(session)?;
        let mut items: Vec<MemoryItem> = known.items(&Kind::REMEMBERED);
        items.extend(known.retired_entries());
        items.retain(|item| item.standing != Standing::Active);
        items.reverse();
        Hits::first(session, items, request.limit, known.problems.clone())
    }
}
