//! Search hits and lists of memories.

use heirloom_core::fold::Standing;
use heirloom_core::record::short_id;
use heirloom_core::staleness::Freshness;
use heirloom_core::{Hint, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::memory::{MemoryItem, OriginCheck, short_item_ids, show_item};
use crate::recall::{Hit, SearchResult, SessionHit, SessionScoreExplanation};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Error, Session};

/// Memories that match a query, or a list of memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hits {
    /// Memories that match the query, best first; without a query, the list.
    hits: Vec<Hit>,
    /// Sessions that match the query, best first, if sessions were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<SessionHit>>,
    /// Standing instructions and preferences that may concern the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    instructions: Vec<Hit>,
    /// Number of further items that the limit cut off a list.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    /// Closest memories, if nothing matches; and archived memories that match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near_misses: Vec<Hit>,
    /// Whether the near misses match the query but not the filters.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    filtered: bool,
    /// Files or lines that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    /// Whether the near misses match the query but are all retired.
    #[serde(skip)]
    is_retired: bool,
    /// The number of near misses at the end that match, and are archived.
    #[serde(skip)]
    archived: usize,
    /// Whether this is a list without a query.
    #[serde(skip)]
    is_list: bool,
}

/// Most archived memories that match that are shown to people.
const MAX_SHOWN_ARCHIVED: usize = 3;

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Hits {
    /// Converts the result of a search for sessions.
    pub(crate) fn from_session_search(mut result: SearchResult) -> Self {
        let sessions = Some(std::mem::take(&mut result.sessions));
        Hits { sessions, ..Hits::from_search(result) }
    }

    /// Converts the result of a search.
    pub(crate) fn from_search(result: SearchResult) -> Self {
        let SearchResult {
            hits,
            instructions,
            mut near_misses,
            archived,
            is_filtered,
            is_retired,
            problems,
            ..
        } = result;
        let is_new = |hit: &Hit| near_misses.iter().all(|near| near.item.id != hit.item.id);
        let archived: Vec<Hit> = archived.into_iter().filter(is_new).collect();
        let archived_count = archived.len();
        near_misses.extend(archived);
        Hits {
            hits,
            sessions: None,
            instructions,
            more: 0,
            near_misses,
            filtered: is_filtered,
            is_retired,
            problems,
            archived: archived_count,
            is_list: false,
        }
    }

    /// Creates a list, with the number of items that were cut off.
    pub(crate) fn list(
        session: &Session,
        items: Vec<MemoryItem>,
        more: usize,
        problems: Vec<Problem>,
    ) -> Result<Self, Error> {
        let mut check = OriginCheck::new(session);
        let hits = items.into_iter().map(|item| Hit::new(session, &mut check, item));
        let hits = hits.collect::<Result<_, Error>>()?;
        Ok(Hits {
            hits,
            sessions: None,
            instructions: vec![],
            more,
            near_misses: vec![],
            filtered: false,
            is_retired: false,
            problems,
            archived: 0,
            is_list: true,
        })
    }

    /// Creates a list of the first `limit` items.
    pub(crate) fn list_first(
        session: &Session,
        mut items: Vec<MemoryItem>,
        limit: usize,
        problems: Vec<Problem>,
    ) -> Result<Self, Error> {
        let more = items.len().saturating_sub(limit);
        items.truncate(limit);
        Hits::list(session, items, more, problems)
    }
}

impl Answer for Hits {
    fn view(&self) -> View {
        let mut view = View::new();
        if let Some(sessions) = &self.sessions {
            show_sessions(&mut view, sessions);
        } else if self.hits.is_empty() {
            let message = match (self.is_list, self.filtered) {
                (true, _) => "none",
                (_, true) if self.is_retired => "no active memory matches; archived or superseded:",
                (_, true) => "no memory matches with these filters; without them:",
                (_, false) => "no memory matches",
            };
            view.line([span(Role::Dim, message)]);
        }
        let shown = self.hits.iter().chain(&self.instructions).chain(&self.near_misses);
        let names = short_item_ids(shown.map(|hit| &hit.item));
        let (hit_names, names) = names.split_at(self.hits.len());
        let (instruction_names, near_names) = names.split_at(self.instructions.len());
        self.hits.iter().zip(hit_names).for_each(|(hit, name)| show_hit(&mut view, hit, name));
        if self.more > 0 {
            let hint = Hint::text(format!("{} more; raise ", self.more)).field("limit");
            view.line([span(Role::Dim, hint.then(" to see them"))]);
        }
        if !self.is_list {
            show_age_warning(&mut view, &self.hits, hit_names);
        }
        let near: Vec<(&Hit, &&str)> = self.near_misses.iter().zip(near_names).collect();
        let (near, archived) = near.split_at(near.len() - self.archived);
        if !near.is_empty() && !self.filtered {
            view.line([span(Role::Dim, "closest matches:")]);
        }
        near.iter().for_each(|(hit, name)| show_hit(&mut view, hit, name));
        show_archived(&mut view, archived);
        if !self.instructions.is_empty() {
            view.line([span(Role::Dim, "standing instructions that may apply:")]);
        }
        self.instructions
            .iter()
            .zip(instruction_names)
            .for_each(|(hit, name)| show_hit(&mut view, hit, name));
        present::problems(&mut view, &self.problems);
        view
    }
}

/// Prints archived memories that match.
fn show_archived(view: &mut View, archived: &[(&Hit, &&str)]) {
    if archived.is_empty() {
        return;
    }
    view.line([span(Role::Dim, "archived:")]);
    archived.iter().take(MAX_SHOWN_ARCHIVED).for_each(|(hit, name)| show_hit(view, hit, name));
    if archived.len() > MAX_SHOWN_ARCHIVED {
        let more = archived.len() - MAX_SHOWN_ARCHIVED;
        let hint = Hint::text(format!("{more} more; find them with "));
        view.line([span(Role::Dim, hint.operation("memory_search_archive"))]);
    }
}

/// Prints sessions, each with its best memories.
fn show_sessions(view: &mut View, sessions: &[SessionHit]) {
    if sessions.is_empty() {
        view.line([span(Role::Dim, "no session matches")]);
    }
    for found in sessions {
        let days = match (&found.from, &found.to) {
            (Some(from), Some(to)) if from != to => format!("{from} to {to}"),
            (from, _) => from.clone().unwrap_or_default(),
        };
        let session = found.session.as_deref().map(|id| format!("session {}", short_id(id)));
        let memories = present::count(found.memories, "memory");
        let facts = found.title.iter().cloned().chain(session).chain([days, memories]);
        let facts: Vec<String> = facts.filter(|fact| !fact.is_empty()).collect();
        view.title(facts.join(" · "));
        if let Some(workspace) = &found.workspace {
            view.line([span(Role::Dim, "in workspace "), span(Role::Source, workspace)]);
        }
        if let Some(explain) = &found.explain {
            let SessionScoreExplanation { best, several, words } = explain;
            let sum =
                format!("best part {best:.3} + three best parts {several:.3} + words {words:.3}");
            view.line([span(Role::Dim, format!("{:.3} = {sum}", found.score))]);
        }
        let names = short_item_ids(found.hits.iter().map(|hit| &hit.item));
        found.hits.iter().zip(names).for_each(|(hit, name)| show_hit(view, hit, name));
    }
}

/// Names the active hits whose age is critical.
fn show_age_warning(view: &mut View, hits: &[Hit], names: &[&str]) {
    let old: Vec<&str> = hits
        .iter()
        .zip(names)
        .filter(|(hit, _)| hit.freshness == Freshness::Critical)
        .filter(|(hit, _)| hit.item.standing == Standing::Active)
        .map(|(_, name)| *name)
        .collect();
    if !old.is_empty() {
        let what = if old.len() == 1 {
            "is old; check that it still holds"
        } else {
            "are old; check that they still hold"
        };
        view.line([span(Role::Dim, format!("{} {what}", old.join(", ")))]);
    }
}

fn show_hit(view: &mut View, hit: &Hit, name: &str) {
    match &hit.passage {
        Some(passage) => {
            show_item(view, &MemoryItem { text: passage.clone(), ..hit.item.clone() }, name);
        }
        None => show_item(view, &hit.item, name),
    }
    if let Some(workspace) = &hit.workspace {
        view.line([span(Role::Dim, "          in workspace "), span(Role::Source, workspace)]);
    }
    let Some(explain) = &hit.explain else { return };
    let score = hit.item.score.unwrap_or_default();
    let mut parts =
        vec![format!("words {:.3}", explain.words), format!("meaning {:.3}", explain.meaning)];
    if explain.document != 0.0 {
        parts.push(format!("other sections {:.3}", explain.document));
    }
    if explain.likeness != 0.0 {
        parts.push(format!("likeness {:.3}", explain.likeness));
    }
    if explain.time != 0.0 {
        parts.push(format!("time {:.3}", explain.time));
    }
    parts.push(format!("confidence and age {:.3}", explain.standing));
    let mut sum = parts.join(" + ");
    if explain.length != 0.0 {
        sum.push_str(&format!(" - length {:.3}", explain.length));
    }
    if explain.repeats {
        sum = format!("({sum}), reduced because a better hit says the same");
    }
    view.wrapped_line(10, [span(Role::Dim, format!("          {score:.3} = {sum}"))]);
    let terms: Vec<String> = explain
        .terms
        .iter()
        .map(|term| {
            let source = if term.around { " (in a neighbour)" } else { "" };
            let corrected = term.typed.iter().map(|typed| format!(" for `{typed}`"));
            let near = term.near.iter().map(|near| format!(" (as `{near}`)"));
            let variants: String = corrected.chain(near).collect();
            format!("{}{variants} {:.3}{source}", term.term, term.share)
        })
        .collect();
    if !terms.is_empty() {
        view.wrapped_line(10, [span(Role::Dim, format!("          {}", terms.join(" · ")))]);
    }
}
