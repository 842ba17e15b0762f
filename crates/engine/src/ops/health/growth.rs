//! The size, growth and freshness of the log.

use std::collections::BTreeMap;

use heirloom_core::staleness::{self, Freshness};
use indexmap::IndexMap;
use jiff::ToSpan;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::line::{HealthLine, LineState, count};
use crate::memory::{DayCounts, RecordCounts};
use crate::view::bar::{chart, thousands};
use crate::{Error, Session};

/// The number of weeks of which the growth is shown, the current one included.
const WEEKS: usize = 12;

/// The size, growth and freshness of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecordHealth {
    /// Number of active records of each kind.
    active: IndexMap<&'static str, usize>,
    /// Number of records that were superseded.
    superseded: usize,
    /// Number of records that were archived.
    archived: usize,
    /// Records of each of the last weeks, whatever became of them.
    weeks: Vec<WeekCount>,
    /// Day of the newest record.
    newest: Option<String>,
    /// Active records by their age; what describes the past, such as episodes, is left out.
    freshness: RecordFreshness,
}

/// The records of a week.
#[derive(Debug, Serialize, JsonSchema)]
struct WeekCount {
    /// First day, a Monday.
    from: String,
    /// Number of records.
    records: usize,
}

/// Active records by their age.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct RecordFreshness {
    fresh: usize,
    warning: usize,
    critical: usize,
}

impl RecordHealth {
    /// Describes the records that were counted.
    pub(super) fn of(session: &Session, counts: &RecordCounts) -> Result<Self, Error> {
        let sum = |field: fn(&crate::memory::StandingCounts) -> usize| {
            counts.kinds.iter().map(|(_, counts)| field(counts)).sum()
        };
        let active = counts.kinds.iter().map(|(kind, counts)| (kind.as_str(), counts.active));
        Ok(RecordHealth {
            active: active.filter(|(_, number)| *number > 0).collect(),
            superseded: sum(|counts| counts.superseded),
            archived: sum(|counts| counts.archived),
            weeks: weeks_of(counts.days.iter().map(|(_, days)| days), session.today()),
            newest: newest_day(counts).map(|day| day.to_string()),
            freshness: RecordFreshness::of(session, counts)?,
        })
    }

    /// Returns the number of active records.
    pub(super) fn active(&self) -> usize {
        self.active.values().sum()
    }

    /// Describes the kinds and the growth.
    pub(super) fn size_lines(&self) -> Vec<HealthLine> {
        if self.active.is_empty() && self.superseded + self.archived == 0 {
            let line = HealthLine::new("records", LineState::Neutral, "nothing is remembered yet");
            return vec![line.mend("memory_store")];
        }
        let kinds = self.active.iter().map(|(kind, number)| count(*number, kind));
        let mut parts: Vec<String> = kinds.collect();
        let retired = [(self.superseded, "superseded"), (self.archived, "archived")];
        let retired = retired.into_iter().filter(|(number, _)| *number > 0);
        parts.extend(retired.map(|(number, what)| format!("{} {what}", thousands(number))));
        let numbers: Vec<usize> = self.weeks.iter().map(|week| week.records).collect();
        let sum: usize = numbers.iter().sum();
        let this_week = numbers.last().copied().unwrap_or_default();
        let growth = |text: String| HealthLine::new("growth", LineState::Neutral, text);
        let growth = match (sum, &self.newest) {
            (0, Some(day)) => growth(format!("nothing in {WEEKS} weeks, the newest is of {day}")),
            _ => {
                let (sum, this_week) = (thousands(sum), thousands(this_week));
                growth(format!("{sum} in {WEEKS} weeks, {this_week} this week"))
                    .chart(chart(&numbers))
            }
        };
        vec![HealthLine::new("records", LineState::Neutral, parts.join(", ")), growth]
    }

    /// Describes how old the active records are.
    pub(super) fn age_lines(&self) -> Vec<HealthLine> {
        let RecordFreshness { fresh, warning, critical } = self.freshness;
        let whole = fresh + warning + critical;
        if whole == 0 {
            return vec![];
        }
        freshness_lines([fresh, warning, critical], whole, "graph_health")
    }
}

/// Returns a line with a bar for each freshness, in the words of the other reports.
pub(super) fn freshness_lines(
    numbers: [usize; 3],
    whole: usize,
    operation: &'static str,
) -> Vec<HealthLine> {
    let states = [LineState::Good, LineState::Attention, LineState::Attention];
    let names = ["fresh", "warning", "critical"];
    let lines = names.into_iter().zip(states).zip(numbers).map(|((name, state), number)| {
        let state = if number == 0 { LineState::Neutral } else { state };
        let line = HealthLine::new(name, state, thousands(number)).part_of(number, whole);
        if state == LineState::Attention { line.mend(operation) } else { line }
    });
    lines.collect()
}

impl RecordFreshness {
    fn of(session: &Session, counts: &RecordCounts) -> Result<Self, Error> {
        let thresholds = session.config()?.staleness;
        let mut freshness = RecordFreshness::default();
        let kinds = counts.days.iter().filter(|(kind, _)| kind.spec().node.can_be_stale);
        for (day, counts) in kinds.flat_map(|(_, days)| days) {
            let age = staleness::evaluate(Some(*day), session.today(), None, &thresholds);
            match age.status {
                Freshness::Fresh | Freshness::Unknown => freshness.fresh += counts.active,
                Freshness::Warning => freshness.warning += counts.active,
                Freshness::Critical => freshness.critical += counts.active,
            }
        }
        Ok(freshness)
    }
}

fn newest_day(counts: &RecordCounts) -> Option<Date> {
    counts.days.iter().filter_map(|(_, days)| days.keys().next_back().copied()).max()
}

/// Counts the records of the last weeks, the earliest week first.
fn weeks_of<'d>(
    days: impl Iterator<Item = &'d BTreeMap<Date, DayCounts>>,
    today: Date,
) -> Vec<WeekCount> {
    let monday = monday_of(today);
    let first = (0..WEEKS).rev().map(|back| {
        monday.checked_sub(i64::try_from(back).unwrap_or_default().weeks()).unwrap_or(monday)
    });
    let mut numbers: Vec<(Date, usize)> = first.map(|first| (first, 0)).collect();
    for (day, counts) in days.flatten() {
        let monday = monday_of(*day);
        if let Some((_, number)) = numbers.iter_mut().find(|(first, _)| *first == monday) {
            *number += counts.all;
        }
    }
    numbers
        .into_iter()
        .map(|(first, records)| WeekCount { from: first.to_string(), records })
        .collect()
}

fn monday_of(day: Date) -> Date {
    let since = i64::from(day.weekday().to_monday_zero_offset());
    day.checked_sub(since.days()).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_without_news_says_when_it_ended() {
        let health = RecordHealth {
            active: IndexMap::from([("fact", 2_000)]),
            superseded: 0,
            archived: 1_500,
            weeks: vec![WeekCount { from: "2026-02-16".to_owned(), records: 0 }],
            newest: Some("2025-01-01".to_owned()),
            freshness: RecordFreshness::default(),
        };
        let texts: Vec<String> = health.size_lines().into_iter().map(|line| line.text).collect();
        assert_eq!(
            texts,
            ["2,000 facts, 1,500 archived", "nothing in 12 weeks, the newest is of 2025-01-01"]
        );
    }

    #[test]
    fn records_are_counted_by_weeks_that_begin_on_monday() {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let of = |all: usize| DayCounts { all, active: 0 };
        let facts = BTreeMap::from([
            (day("2026-02-15"), of(2)), // a Sunday
            (day("2026-02-16"), of(3)),
            (day("2025-01-01"), of(9)),
        ]);
        let episodes = BTreeMap::from([(day("2026-02-22"), of(4))]);
        let weeks = weeks_of([&facts, &episodes].into_iter(), day("2026-02-22"));
        let counted: Vec<(&str, usize)> =
            weeks.iter().map(|week| (week.from.as_str(), week.records)).collect();
        assert_eq!(counted.len(), WEEKS);
        assert_eq!(counted[WEEKS - 2..], [("2026-02-09", 2), ("2026-02-16", 7)]);
        assert_eq!(counted[0], ("2025-12-01", 0));
    }
}
