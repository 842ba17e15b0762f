//! `recall`: what is remembered of something.

use heirloom_core::record::Section;
use heirloom_index::Shelf;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::indexing::prepare_index;
use crate::memory::PointInTime;
use crate::ops::answers::Hits;
use crate::ops::given::ten;
use crate::recall::{Search, across};
use crate::{Effect, Error, Group, Operation, PrepareInline, Session, Spec};

pub(crate) struct Recall;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What to look for; any text will do.
    query: String,
    /// At most this many.
    #[serde(default = "ten", alias = "k")]
    limit: usize,
    /// Only facts of this section.
    #[serde(default)]
    section: Option<Section>,
    /// Only of this kind: fact, episode, finding, adr, ….
    #[serde(default)]
    kind: Option<String>,
    /// Only facts that hold here.
    #[serde(default)]
    scope: Option<String>,
    /// Only with this tag.
    #[serde(default)]
    tag: Option<String>,
    /// As known on this day.
    #[serde(default)]
    as_of: Option<String>,
    /// What was true on this day.
    #[serde(default)]
    valid_at: Option<String>,
    /// Ask every workspace that is registered on this machine.
    #[serde(default)]
    workspaces: bool,
    /// Show what each score is made of.
    #[serde(default)]
    explain: bool,
}

impl Operation for Recall {
    type Request = Request;
    type Response = Hits;
    const SPEC: Spec = Spec {
        name: "memory_recall",
        usage: "recall <query>...",
        group: Group::Core,
        effect: Effect::Reads,
        about: "Recall what is known of something: facts, episodes, patterns, workflows, notes, what agents and plans remember, decisions and documents, best first.",
    };

    const PREPARE_INLINE: Option<PrepareInline> = Some(prepare_inline);
    const ALIASES: &[&str] = &["k"];

    fn run(session: &Session, request: Request) -> Result<Hits, Error> {
        let search = Search {
            query: &request.query,
            limit: request.limit,
            shelf: Shelf::Active,
            section: request.section,
            kinds: request.kind.into_iter().collect(),
            scope: request.scope.as_deref(),
            tag: request.tag.as_deref(),
            when: PointInTime::read(request.as_of.as_deref(), request.valid_at.as_deref())?,
            explain: request.explain,
        };
        Ok(Hits::of(match request.workspaces {
            true => across(session, &search)?,
            false => search.run(session)?,
        }))
    }
}

/// A longer query is answered on another thread.
const INLINE_QUERY_MAX_BYTES: usize = 4_000;

/// So are requests for more hits.
const INLINE_MAX_HITS: u64 = 100;

/// Takes the open index for a request that is answered within microseconds. Returns whether it did.
fn prepare_inline(session: &Session, request: &Value) -> bool {
    let query = request["query"].as_str();
    let is_short = query.is_some_and(|query| query.len() <= INLINE_QUERY_MAX_BYTES);
    let limits = ["limit", "k"].iter().filter_map(|name| request[name].as_u64());
    let is_for_few = limits.into_iter().all(|limit| limit <= INLINE_MAX_HITS);
    is_short && is_for_few && request["workspaces"] != true && prepare_index(session)
}
