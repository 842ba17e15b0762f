//! `fact list`, `episode list`, `pattern list`, `workflow list`: searches or lists records of a kind.

use std::marker::PhantomData;

use heirloom_core::fold::Standing;
use heirloom_core::record::{FactSection, RecordKind};
use heirloom_index::{Filter, StandingFilter};
use schemars::JsonSchema;
use serde::Deserialize;

use super::kinds::ListableKind;
use crate::memory::{MemoryItem, PointInTime, SelectedRecords};
use crate::ops::answers::Hits;
use crate::recall::Search;
use crate::{Error, Operation, Session, Spec};

pub(crate) struct RecordList<K>(PhantomData<K>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What to search for; without it, all are listed.
    #[serde(default)]
    query: Option<String>,
    /// Only facts in this section.
    #[serde(default)]
    section: Option<FactSection>,
    /// Only records with this tag.
    #[serde(default)]
    tag: Option<String>,
    /// Only facts with this scope.
    #[serde(default)]
    scope: Option<String>,
    /// Include superseded and archived records.
    #[serde(default)]
    all: bool,
    /// Show what was known on this day.
    #[serde(default)]
    as_of: Option<String>,
    /// Only what was valid on this day.
    #[serde(default)]
    valid_at: Option<String>,
    /// Maximum number of results; default 10 with a query, else all.
    #[serde(default)]
    #[schemars(extend("x-short-flag" = "k"))]
    limit: Option<usize>,
}

/// Default number of results of a query.
const DEFAULT_QUERY_LIMIT: usize = 10;

impl<K: ListableKind> Operation for RecordList<K> {
    type Request = Request;
    type Response = Hits;
    const SPEC: Spec = K::LIST;

    fn run(session: &Session, request: Request) -> Result<Hits, Error> {
        let when = PointInTime::parse(request.as_of.as_deref(), request.valid_at.as_deref())?;
        if let Some(query) =
            request.query.as_deref().map(str::trim).filter(|query| !query.is_empty())
        {
            let standing_filter =
                if request.all { StandingFilter::Everything } else { StandingFilter::Active };
            let search = Search {
                query,
                limit: request.limit.unwrap_or(DEFAULT_QUERY_LIMIT),
                standing_filter,
                section: request.section,
                kinds: vec![K::KIND.as_str().to_owned()],
                scope: request.scope.as_deref(),
                tag: request.tag.as_deref(),
                when,
                ..Search::default()
            };
            return Ok(Hits::from_search(search.run(session)?));
        }
        let limit = request.limit.unwrap_or(usize::MAX);
        let (known, total) = read(session, K::KIND, &request, when)?;
        let matches = |item: &MemoryItem| {
            (request.all || when.valid_at.is_some() || item.standing == Standing::Active)
                && request.section.is_none_or(|section| item.section == Some(section))
                && request.tag.as_ref().is_none_or(|tag| item.tags.contains(tag))
                && request.scope.as_ref().is_none_or(|scope| item.scope.as_ref() == Some(scope))
        };
        let mut items: Vec<MemoryItem> =
            known.items(&[K::KIND]).into_iter().filter(matches).collect();
        if K::KIND == RecordKind::Fact {
            items.sort_by_key(|item| item.section);
        } else {
            items.reverse();
        }
        // Another process may have written records since they were counted.
        let total = total.unwrap_or_default().max(items.len());
        items.truncate(limit);
        let more = total - items.len();
        Hits::list(session, items, more, known.problems.clone())
    }
}

/// Reads the records to list, and their total number if only some were read.
fn read(
    session: &Session,
    kind: RecordKind,
    request: &Request,
    when: PointInTime,
) -> Result<(SelectedRecords, Option<usize>), Error> {
    let Request { section, tag, scope, all, as_of, valid_at, limit, .. } = request;
    let mut filter = Filter::records_of_kind(kind.as_str());
    // Records with the same content are merged, and in the past they may have had different tags.
    if as_of.is_none() {
        filter.terms.extend(section.map(|section| ("section", vec![section.title().to_owned()])));
        filter.terms.extend(tag.clone().map(|tag| ("tag", vec![tag])));
        filter.terms.extend(scope.clone().map(|scope| ("scope", vec![scope])));
    }
    // Most records of a log are facts, so without a further filter the whole log is read.
    if kind != RecordKind::Fact || filter.terms.len() > 1 {
        return Ok((SelectedRecords::read(session, filter, when)?, None));
    }
    let is_unfiltered = !all && [as_of, valid_at, tag, scope].iter().all(|option| option.is_none());
    if let Some(limit) = limit.filter(|_| is_unfiltered)
        && let Some((known, total)) = SelectedRecords::read_first_facts(session, limit)?
    {
        return Ok((known, Some(total)));
    }
    Ok((SelectedRecords::read_all(session, when)?, None))
}
