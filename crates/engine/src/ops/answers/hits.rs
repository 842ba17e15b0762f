//! What is remembered of something, as an answer.

use heirloom_core::Problem;
use heirloom_core::fold::Standing;
use heirloom_core::staleness::Freshness;
use schemars::JsonSchema;
use serde::Serialize;

use crate::memory::{MemoryItem, MemorySlice, show_item};
use crate::recall::{Hit, SearchResult};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::{Answer, Error, Session};

/// What is remembered of something.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hits {
    /// What answers the question, best first; without one, what is listed.
    hits: Vec<Hit>,
    /// How many more there are in a list.
    #[serde(skip_serializing_if = "is_zero")]
    more: usize,
    /// What comes nearest, if nothing answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near_misses: Vec<Hit>,
    /// Whether what comes nearest answers, and was left out by a filter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    filtered: bool,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    /// Whether nothing was asked, and it is a list.
    #[serde(skip)]
    is_list: bool,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Hits {
    /// Takes what answers a question.
    pub(crate) fn of(found: SearchResult) -> Self {
        let SearchResult { hits, near_misses, is_filtered, problems, .. } = found;
        Hits { hits, more: 0, near_misses, filtered: is_filtered, problems, is_list: false }
    }

    /// Takes a list of things, and how many more there are.
    pub(crate) fn list(
        session: &Session,
        things: Vec<MemoryItem>,
        more: usize,
        problems: Vec<Problem>,
    ) -> Result<Self, Error> {
        let hits = things.into_iter().map(|thing| Hit::new(session, thing));
        let hits = hits.collect::<Result<_, Error>>()?;
        Ok(Hits { hits, more, near_misses: vec![], filtered: false, problems, is_list: true })
    }

    /// Takes the first of some things.
    pub(crate) fn first(
        session: &Session,
        mut things: Vec<MemoryItem>,
        limit: usize,
        problems: Vec<Problem>,
    ) -> Result<Self, Error> {
        let more = things.len().saturating_sub(limit);
        things.truncate(limit);
        Hits::list(session, things, more, problems)
    }
}

impl Answer for Hits {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.hits.is_empty() {
            let said = match (self.is_list, self.filtered) {
                (true, _) => "none",
                (_, true) => "nothing is remembered of that among what was asked for; beyond it:",
                (_, false) => "nothing is remembered of that",
            };
            view.line([span(Role::Dim, said)]);
        }
        let shown = self.hits.iter().chain(&self.near_misses);
        let names = MemorySlice::short_names(shown.map(|hit| hit.thing.id.as_str()));
        let (own, near) = names.split_at(self.hits.len());
        self.hits.iter().zip(own).for_each(|(hit, name)| show(&mut view, hit, name));
        if self.more > 0 {
            view.line([span(Role::Dim, format!("and {} more; raise --limit", self.more))]);
        }
        if !self.is_list {
            show_old(&mut view, &self.hits, own);
        }
        if !self.near_misses.is_empty() && !self.filtered {
            view.line([span(Role::Dim, "what comes nearest:")]);
        }
        self.near_misses.iter().zip(near).for_each(|(hit, name)| show(&mut view, hit, name));
        present::problems(&mut view, &self.problems);
        view
    }
}

/// Says which of them are so old that one should see whether they still hold.
fn show_old(view: &mut View, hits: &[Hit], names: &[&str]) {
    let old: Vec<&str> = hits
        .iter()
        .zip(names)
        .filter(|(hit, _)| hit.freshness == Freshness::Critical)
        .filter(|(hit, _)| hit.thing.standing == Standing::Active)
        .map(|(_, name)| *name)
        .collect();
    if !old.is_empty() {
        let are = if old.len() == 1 { "is" } else { "are" };
        let said = format!("{} {are} old; see whether that still holds", old.join(", "));
        view.line([span(Role::Dim, said)]);
    }
}

fn show(view: &mut View, hit: &Hit, name: &str) {
    show_item(view, &hit.thing, name);
    if let Some(workspace) = &hit.workspace {
        view.line([span(Role::Dim, "          of "), span(Role::Source, workspace)]);
    }
    let Some(explain) = &hit.explain else { return };
    let score = hit.thing.score.unwrap_or_default();
    let mut sum =
        vec![format!("words {:.3}", explain.words), format!("meaning {:.3}", explain.meaning)];
    if explain.time != 0.0 {
        sum.push(format!("time {:.3}", explain.time));
    }
    sum.push(format!("sure and fresh {:.3}", explain.standing));
    let mut sum = sum.join(" + ");
    if explain.repeats {
        sum = format!("({sum}), less for saying what a better one says");
    }
    view.line([span(Role::Dim, format!("          {score:.3} = {sum}"))]);
    let terms: Vec<String> = explain
        .terms
        .iter()
        .map(|term| {
            let around = if term.around { " (a neighbour)" } else { "" };
            let typed = term.typed.iter().map(|typed| format!(" for `{typed}`"));
            format!("{}{} {:.3}{around}", term.term, typed.collect::<String>(), term.share)
        })
        .collect();
    if !terms.is_empty() {
        view.line([span(Role::Dim, format!("          {}", terms.join(" · ")))]);
    }
}
