//! `fact list`, `episode list`, `pattern list`, `workflow list`.

use std::marker::PhantomData;

use heirloom_core::fold::Standing;
use heirloom_core::record::{Kind, Section};
use heirloom_index::{Filter, Shelf};
use schemars::JsonSchema;
use serde::Deserialize;

use super::kinds::RecordKind;
use crate::memory::{MemoryItem, PointInTime, SelectedRecords};
use crate::ops::answers::Hits;
use crate::recall::Search;
use crate::{Error, Operation, Session, Spec};

pub(crate) struct RecordList<K>(PhantomData<K>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Words to look for; without them, all are listed.
    #[serde(default)]
    query: Option<String>,
    /// Only facts of this section.
    #[serde(default)]
    section: Option<Section>,
    /// Only with this tag.
    #[serde(default)]
    tag: Option<String>,
    /// Only facts that hold in this scope.
    #[serde(default)]
    scope: Option<String>,
    /// Superseded and archived ones too.
    #[serde(default)]
    all: bool,
    /// As known on this day.
    #[serde(default)]
    as_of: Option<String>,
    /// What was true on this day.
    #[serde(default)]
    valid_at: Option<String>,
    /// At most this many; all, unless there is a query.
    #[serde(default)]
    limit: Option<usize>,
}

/// What a query brings unless more is asked for.
const LIMIT: usize = 10;

impl<K: RecordKind> Operation for RecordList<K> {
    type Request = Request;
    type Response = Hits;
    const SPEC: Spec = K::LIST;

    fn run(session: &Session, request: Request) -> Result<Hits, Error> {
        let when = PointInTime::read(request.as_of.as_deref(), request.valid_at.as_deref())?;
        if let Some(query) = request.query.as_deref().map(str::trim).filter(|q| !q.is_empty()) {
            let shelf = if request.all { Shelf::Everything } else { Shelf::Active };
            let search = Search {
                query,
                limit: request.limit.unwrap_or(LIMIT),
                shelf,
                section: request.section,
                kinds: vec![K::KIND.word().to_owned()],
                scope: request.scope.as_deref(),
                tag: request.tag.as_deref(),
                when,
                explain: false,
            };
            return Ok(Hits::of(search.run(session)?));
        }
        let limit = request.limit.unwrap_or(usize::MAX);
        let (known, total) = read(session, K::KIND, &request, when)?;
        let wanted = |thing: &MemoryItem| {
            (request.all || when.valid_at.is_some() || thing.standing == Standing::Active)
                && request.section.is_none_or(|section| thing.section == Some(section))
                && request.tag.as_ref().is_none_or(|tag| thing.tags.contains(tag))
                && request.scope.as_ref().is_none_or(|scope| thing.scope.as_ref() == Some(scope))
        };
        let mut things: Vec<MemoryItem> =
            known.items(&[K::KIND]).into_iter().filter(wanted).collect();
        if K::KIND == Kind::Fact {
            things.sort_by_key(|thing| thing.section);
        } else {
            things.reverse();
        }
        // Somebody may have written more since they were counted.
        let total = total.unwrap_or_default().max(things.len());
        things.truncate(limit);
        let more = total - things.len();
        Hits::list(session, things, more, known.problems.clone())
    }
}

/// Reads what a list is made of, and how long that is if not all of it was read.
fn read(
    session: &Session,
    kind: Kind,
    request: &Request,
    when: PointInTime,
) -> Result<(SelectedRecords, Option<usize>), Error> {
    let Request { section, tag, scope, all, as_of, valid_at, limit, .. } = request;
    let mut filter = Filter::of_records(kind.word());
    // Those who say the same need not have had the same tags once.
    if as_of.is_none() {
        filter.marks.extend(section.map(|section| ("section", vec![section.title().to_owned()])));
        filter.marks.extend(tag.clone().map(|tag| ("tag", vec![tag])));
        filter.marks.extend(scope.clone().map(|scope| ("scope", vec![scope])));
    }
    // Facts are most of a log.
    if kind != Kind::Fact || filter.marks.len() > 1 {
        return Ok((SelectedRecords::read(session, filter, when)?, None));
    }
    let is_plain = !all && [as_of, valid_at, tag, scope].iter().all(|given| given.is_none());
    if let Some(limit) = limit.filter(|_| is_plain)
        && let Some((known, total)) = SelectedRecords::read_first_facts(session, limit)?
    {
        return Ok((known, Some(total)));
    }
    Ok((SelectedRecords::read_all(session, when)?, None))
}
