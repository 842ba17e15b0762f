//! What answers a question.

use heirloom_core::Problem;
use heirloom_core::record::short;
use heirloom_core::staleness::Freshness;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Answer;
use crate::memory::show_things;
use crate::present;
use crate::recall::Hit;
use crate::view::{Role, View, span};

/// What answers a question, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hits {
    /// What answers, best first.
    pub(crate) hits: Vec<Hit>,
    /// What comes nearest, if nothing answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) near_misses: Vec<Hit>,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<Problem>,
}

impl Answer for Hits {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.hits.is_empty() {
            view.line([span(Role::Dim, "nothing is remembered of that")]);
        }
        self.hits.iter().for_each(|hit| show(&mut view, hit));
        if !self.near_misses.is_empty() {
            view.line([span(Role::Dim, "what comes nearest:")]);
            self.near_misses.iter().for_each(|hit| show(&mut view, hit));
        }
        present::problems(&mut view, &self.problems);
        view
    }
}

fn show(view: &mut View, hit: &Hit) {
    show_things(view, std::slice::from_ref(&hit.thing));
    if matches!(hit.freshness, Freshness::Critical) {
        view.line([span(
            Role::Dim,
            format!("          {} is old; see whether it still holds", short(&hit.thing.id)),
        )]);
    }
    let Some(explain) = &hit.explain else { return };
    let score = hit.thing.score.unwrap_or_default();
    let mut sum =
        vec![format!("words {:.3}", explain.words), format!("meaning {:.3}", explain.meaning)];
    if explain.time != 0.0 {
        sum.push(format!("time {:.3}", explain.time));
    }
    view.line([span(Role::Dim, format!("          {score:.3} = {}", sum.join(" + ")))]);
    let terms: Vec<String> = explain
        .terms
        .iter()
        .map(|term| {
            let around = if term.around { " (a neighbour)" } else { "" };
            format!("{} {:.3}{around}", term.term, term.share)
        })
        .collect();
    if !terms.is_empty() {
        view.line([span(Role::Dim, format!("          {}", terms.join(" · ")))]);
    }
}
