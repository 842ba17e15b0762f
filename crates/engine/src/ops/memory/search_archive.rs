//! `memory search-archive`: searches archived and superseded memories.

use heirloom_core::fold::Standing;
use heirloom_core::record::RecordKind;
use heirloom_index::StandingFilter;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryItem, SelectedRecords};
use crate::ops::answers::Hits;
use crate::ops::request_parts::default_limit;
use crate::recall::Search;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemorySearchArchive;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What to search for; without it, the archive is listed, newest first.
    #[serde(default)]
    query: Option<String>,
    /// Maximum number of results.
    #[serde(default = "default_limit")]
    #[schemars(extend("x-short-flag" = "k"))]
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
        about: "Search archived and superseded memories, which no context includes.",
    };

    fn run(session: &Session, request: Request) -> Result<Hits, Error> {
        if let Some(query) =
            request.query.as_deref().map(str::trim).filter(|query| !query.is_empty())
        {
            let limit = request.limit;
            let search = Search {
                query,
                limit,
                standing_filter: StandingFilter::Archive,
                ..Search::default()
            };
            return Ok(Hits::from_search(search.run(session)?));
        }
        let known = SelectedRecords::read_retired(session)?;
        let kinds: Vec<RecordKind> = RecordKind::recallable().collect();
        let mut items: Vec<MemoryItem> = known.items(&kinds);
        items.extend(known.retired_entries());
        items.retain(|item| item.standing != Standing::Active);
        items.reverse();
        Hits::list_first(session, items, request.limit, known.problems.clone())
    }
}
