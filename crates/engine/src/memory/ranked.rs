//! Things in the order in which they answer a query.

use heirloom_core::ranking;

use super::Thing;

/// How sure a writer who does not say so is taken to be.
const USUALLY_SURE: f64 = 0.8;

/// Scores within this share of the best one are about as good.
const NEAR_TIE: f64 = 0.02;

/// Orders things by how well they answer a query; where two do so about as well, the one that is
/// surer comes first. What shares no word with the query is left out.
pub(crate) fn ranked(query: &str, things: Vec<Thing>) -> Vec<Thing> {
    let mut things = scored(query, things);
    let best = things.first().and_then(|thing| thing.score).unwrap_or_default();
    let step =
        |thing: &Thing| (thing.score.unwrap_or_default() / (best * NEAR_TIE).max(1e-9)).round();
    things.sort_by(|a, b| {
        let sure = |thing: &Thing| thing.confidence.unwrap_or(USUALLY_SURE);
        step(b).total_cmp(&step(a)).then(sure(b).total_cmp(&sure(a)))
    });
    things
}

fn scored(query: &str, things: Vec<Thing>) -> Vec<Thing> {
    let texts: Vec<String> = things.iter().map(|thing| thing.searchable.clone()).collect();
    let mut places: Vec<Option<Thing>> = things.into_iter().map(Some).collect();
    let ranked = ranking::rank(query, &texts).into_iter();
    ranked
        .filter_map(|(at, score)| {
            let thing = places[at].take()?;
            Some(Thing { score: Some((score * 1000.0).round() / 1000.0), ..thing })
        })
        .collect()
}
