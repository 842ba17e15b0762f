//! Work that recurs on a weekday or at a time of day, found in the times of episodes.

use std::collections::BTreeMap;

use heirloom_core::prediction::{DailyRecurrence, Recurrence, recurring_title};
use heirloom_core::recall::terms;
use jiff::Timestamp;
use jiff::civil::Date;

use super::memory::PredictedMemory;
use crate::Session;
use crate::recall::{Hit, MemoryList};

/// Maximum number of episodes and of workflows that are compared.
const MAX_EPISODES: usize = 100;
const MAX_WORKFLOWS: usize = 50;

/// Maximum number of pieces of recurring work that are predicted.
const MAX_PREDICTED: usize = 3;

/// How much less likely work is tomorrow than today. It is a judgement.
const PART_OF_TOMORROW: f64 = 0.6;

/// Returns the lists of memories in which recurring work is found.
pub(crate) fn recurring_lists() -> [MemoryList; 2] {
    [
        MemoryList::with_property("kind", "episode", MAX_EPISODES),
        MemoryList::with_property("kind", "workflow", MAX_WORKFLOWS),
    ]
}

/// Returns the workflows and the latest episodes of work that is usually done at this time, today or tomorrow.
pub(crate) fn recurring_memories(
    session: &Session,
    episodes: &[Hit],
    workflows: &[Hit],
) -> Vec<PredictedMemory> {
    let mut by_title: BTreeMap<Vec<String>, Vec<(Date, &Hit)>> = BTreeMap::new();
    for episode in episodes {
        let title = recurring_title(episode.item.title.as_deref().unwrap_or(&episode.item.text));
        let day = episode.item.date.as_deref().and_then(|date| date.get(..10)?.parse().ok());
        if let Some((title, day)) = title.zip(day) {
            by_title.entry(title).or_default().push((day, episode));
        }
    }
    let mut found: Vec<(f64, Vec<PredictedMemory>)> = Vec::new();
    for (title, episodes) in by_title {
        let Some((confidence, reason)) = recurrence(session, &episodes) else { continue };
        let predicted = |hit: &Hit| PredictedMemory::of_hit(hit, confidence, reason.clone());
        let latest = episodes.iter().max_by_key(|(day, _)| *day).map(|(_, episode)| *episode);
        let belonging = workflows.iter().filter(|workflow| is_about(workflow, &title));
        found.push((confidence, belonging.chain(latest).map(predicted).collect()));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.into_iter().take(MAX_PREDICTED).flat_map(|(_, memories)| memories).collect()
}

/// Returns how likely work is done now, and why, if it recurs.
fn recurrence(session: &Session, episodes: &[(Date, &Hit)]) -> Option<(f64, String)> {
    let times: Vec<Timestamp> = episodes.iter().filter_map(|(_, hit)| hit.item.began).collect();
    if let Some(daily) = DailyRecurrence::find(&times, session.now()) {
        return Some((daily.confidence(), format!("recurs {}", describe_daily(&daily))));
    }
    let days: Vec<Date> = episodes.iter().map(|(day, _)| *day).collect();
    let weekly = Recurrence::find(&days, session.today())?;
    let part = if weekly.days_ahead == 0 { 1.0 } else { PART_OF_TOMORROW };
    Some((part * weekly.confidence(), describe_weekly(&weekly)))
}

/// Returns whether a workflow has all words of a title.
fn is_about(workflow: &Hit, title: &[String]) -> bool {
    let item = &workflow.item;
    let text = format!("{} {}", item.title.as_deref().unwrap_or_default(), item.text);
    let found = terms(&text);
    title.iter().all(|stem| found.contains(stem))
}

/// Describes how often something is done at this time of day.
pub(super) fn describe_daily(recurrence: &DailyRecurrence) -> String {
    let DailyRecurrence { days_near, days, last } = recurrence;
    format!("at this time of day: on {days_near} of {days} days; last on {last}")
}

fn describe_weekly(recurrence: &Recurrence) -> String {
    let Recurrence { on_weekday, days, last, days_ahead, .. } = recurrence;
    let weekday = recurrence.weekday_name();
    let when = if *days_ahead == 0 { "today" } else { "tomorrow" };
    format!("recurs: {on_weekday} of {days} times on a {weekday}, which is {when}; last on {last}")
}
