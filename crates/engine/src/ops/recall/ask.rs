//! `recall`: searches the memories and documents.

use heirloom_core::recall::AnswerUnit;
use heirloom_core::record::{FactSection, Referent};
use heirloom_core::usage::UsageEvent;
use heirloom_index::StandingFilter;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::indexing::reserve_index;
use crate::memory::PointInTime;
use crate::ops::answers::Hits;
use crate::ops::request_parts::default_limit;
use crate::recall::{Hit, MAX_INSTRUCTIONS, Search, search_workspaces};
use crate::usage::{Usage, append_events};
use crate::{Effect, Error, Group, Operation, PrepareInline, Scope, Session, Spec, is_same_field};

pub(crate) struct Recall;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What to search for, as free text.
    query: String,
    /// Maximum number of results.
    #[serde(default = "default_limit")]
    #[schemars(extend("x-short-flag" = "k"))]
    limit: usize,
    /// Only facts in this section.
    #[serde(default)]
    section: Option<FactSection>,
    /// Only this kind: fact, episode, finding, adr, ….
    #[serde(default)]
    kind: Option<String>,
    /// Only facts with this scope.
    #[serde(default)]
    scope: Option<String>,
    /// Only decisions and lessons of this category.
    #[serde(default)]
    category: Option<String>,
    /// Only with this tag.
    #[serde(default)]
    tag: Option<String>,
    /// What was known on this day.
    #[serde(default)]
    as_of: Option<String>,
    /// What was valid on this day.
    #[serde(default)]
    valid_at: Option<String>,
    /// Search all registered workspaces of this machine.
    #[serde(default)]
    workspaces: bool,
    /// Leave out the standing instructions that may concern the query.
    #[serde(default)]
    no_instructions: bool,
    /// Show every section of a document that answers, not only its best one.
    #[serde(default)]
    passages: bool,
    /// Rank sessions by all that they hold, and show the best memories of each.
    #[serde(default)]
    sessions: bool,
    /// Explain each score.
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
        about: "Search the memory: facts, episodes, patterns, workflows, notes, memories of agents and plans, decisions and documents, best match first.",
    };

    const PREPARE_INLINE: Option<PrepareInline> = Some(prepare_inline);
    const ALIASES: &[(&str, &str)] = &[("k", "limit")];

    fn scope(request: &Value) -> Scope {
        let mut fields = request.as_object().into_iter().flatten();
        let is_set = |(name, value): (&String, &Value)| {
            is_same_field(name, "workspaces") && *value == Value::Bool(true)
        };
        if fields.any(is_set) { Scope::Machine } else { Scope::Workspace }
    }

    fn run(session: &Session, request: Request) -> Result<Hits, Error> {
        let search = Search {
            query: &request.query,
            limit: request.limit,
            standing_filter: StandingFilter::Active,
            section: request.section,
            kinds: request.kind.into_iter().collect(),
            scope: request.scope.as_deref(),
            tag: request.tag.as_deref(),
            category: request.category.as_deref(),
            when: PointInTime::parse(request.as_of.as_deref(), request.valid_at.as_deref())?,
            unit: match (request.sessions, request.passages) {
                (true, _) => AnswerUnit::Session,
                (false, true) => AnswerUnit::Passage,
                (false, false) => AnswerUnit::Memory,
            },
            with_archived: true,
            max_instructions: if request.no_instructions { 0 } else { MAX_INSTRUCTIONS },
            explain: request.explain,
        };
        let mut result = match request.workspaces {
            true => search_workspaces(session, &search)?,
            false => search.run(session)?,
        };
        count_hits(session, &mut result.hits);
        Ok(match request.sessions {
            true => Hits::from_session_search(result),
            false => Hits::from_search(result),
        })
    }
}

/// Orders hits with the same score by how often they were cited, and counts that they were retrieved. Best effort: an
/// answer is worth more than its statistics.
fn count_hits(session: &Session, hits: &mut [Hit]) {
    let is_tie = |a: &Hit, b: &Hit| a.item.score == b.item.score;
    if hits.windows(2).any(|pair| is_tie(&pair[0], &pair[1])) {
        let usage = Usage::read(session);
        for ties in hits.chunk_by_mut(is_tie) {
            let factor = |hit: &Hit| usage.counts(&hit.item.referent).value_factor();
            ties.sort_by(|a, b| factor(b).total_cmp(&factor(a)));
        }
    }
    let of_this_workspace = hits.iter().filter(|hit| hit.workspace.is_none());
    let mut memories: Vec<(&Referent, usize)> =
        of_this_workspace.map(|hit| (&hit.item.referent, 0)).collect();
    memories.sort_unstable();
    memories.dedup();
    let _ = append_events(session, &[(UsageEvent::Retrieved, memories)]);
}

/// Longest query, in bytes, that is answered on the thread that received it.
const INLINE_QUERY_MAX_BYTES: usize = 4_000;

/// Largest limit that is answered on the thread that received it.
const INLINE_MAX_HITS: u64 = 100;

/// Prepares the open index if the request is small enough to be answered within milliseconds. Returns
/// whether it is.
fn prepare_inline(session: &Session, request: &Value) -> bool {
    let query = request["query"].as_str();
    let is_short = query.is_some_and(|query| query.len() <= INLINE_QUERY_MAX_BYTES);
    let limits = ["limit", "k"].iter().filter_map(|name| request[name].as_u64());
    let has_small_limit = limits.into_iter().all(|limit| limit <= INLINE_MAX_HITS);
    let is_here = Recall::scope(request) == Scope::Workspace;
    is_short && has_small_limit && is_here && reserve_index(session)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_question_to_all_workspaces_needs_none_in_particular() {
        for (request, scope) in [
            (json!({"query": "x", "workspaces": true}), Scope::Machine),
            (json!({"query": "x", "Workspaces": true}), Scope::Machine),
            (json!({"query": "x", "workspaces": false}), Scope::Workspace),
            (json!(null), Scope::Workspace),
        ] {
            assert_eq!(Recall::scope(&request), scope, "{request}");
        }
    }
}
