//! Work that recurs at a time of day, such as a look at the alerts every morning.
//!
//! Only the distance to the present time of day counts, so no time zone has to be known: what is done at nine o'clock is
//! done 24 hours after the last time, give or take the hour of daylight saving time.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};

use crate::day;

/// Two times of day are near if they are at most so many minutes apart.
const MAX_MINUTES_APART: i64 = 90;

/// The least number of days on which the work was done near this time of day.
const MIN_DAYS: usize = 3;

/// The least share of these in the days on which the work was done.
const MIN_SHARE_NEAR: f64 = 0.6;

/// The least share of these in all days since the first one. Work of every week has a weekday instead.
const MIN_SHARE_OF_DAYS: f64 = 0.4;

/// Older times do not count, in days.
const MAX_DAYS_AGO: i64 = 35;

/// Work that was not done for so many days has ended. Ten let a week of holidays pass.
const MAX_DAYS_SINCE_LAST: i64 = 10;

const MINUTES_PER_DAY: i64 = 24 * 60;

/// A time of day that work has, near the present one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyRecurrence {
    /// The number of days on which it was done near this time of day.
    pub days_near: usize,
    /// The number of days since the first of them, up to yesterday, on which it might have been done; weekends only if it
    /// was done on one.
    pub days: usize,
    /// The last one.
    pub last: Date,
}

/// The work of one day.
#[derive(Debug, Clone, Copy)]
struct DayOfWork {
    days_ago: i64,
    is_near: bool,
}

impl DailyRecurrence {
    /// Finds whether work that was done at some times is usually done at the present time of day. `None` also if it was
    /// done today.
    pub fn find(times: &[Timestamp], now: Timestamp) -> Option<Self> {
        let days = days_of_work(times, now);
        let last = days.first().filter(|day| day.days_ago > 0)?.days_ago;
        let near: Vec<i64> =
            days.iter().filter(|day| day.is_near).map(|day| day.days_ago).collect();
        let first_near = *near.last()?;
        let today = day::of_timestamp(now);
        let is_weekend = |days_ago: i64| {
            let weekday = today.weekday().wrapping_sub(days_ago % 7);
            matches!(weekday, Weekday::Saturday | Weekday::Sunday)
        };
        let counts_weekends = near.iter().any(|days_ago| is_weekend(*days_ago));
        let is_possible = |days_ago: &i64| counts_weekends || !is_weekend(*days_ago);
        let possible = (1..=first_near).filter(is_possible).count();
        let share = |of: usize| near.len() as f64 / of.max(1) as f64;
        let recurs = last <= MAX_DAYS_SINCE_LAST
            && near.len() >= MIN_DAYS
            && share(days.len()) >= MIN_SHARE_NEAR
            && share(possible) >= MIN_SHARE_OF_DAYS
            && is_possible(&0);
        let last = day::from_number(day::to_number(today) - i32::try_from(near[0]).ok()?)?;
        recurs.then_some(DailyRecurrence { days_near: near.len(), days: possible, last })
    }

    /// Returns how likely the work is done today at this time, which is less if there were few days.
    pub fn confidence(&self) -> f64 {
        self.days_near as f64 / (self.days as f64 + 2.0)
    }
}

/// Returns the days on which work was done, the latest first. A day has its middle at the present time of day.
fn days_of_work(times: &[Timestamp], now: Timestamp) -> Vec<DayOfWork> {
    let mut days: Vec<DayOfWork> = Vec::new();
    let mut minutes: Vec<i64> = times
        .iter()
        .map(|time| now.duration_since(*time).as_mins())
        .filter(|it| *it >= 0)
        .collect();
    minutes.sort_unstable();
    for minutes in minutes {
        let since_middle = minutes + MINUTES_PER_DAY / 2;
        let days_ago = since_middle / MINUTES_PER_DAY;
        let apart = (since_middle % MINUTES_PER_DAY - MINUTES_PER_DAY / 2).abs();
        let is_near = apart <= MAX_MINUTES_APART;
        match days.last_mut() {
            _ if days_ago > MAX_DAYS_AGO => {}
            Some(day) if day.days_ago == days_ago => day.is_near |= is_near,
            _ => days.push(DayOfWork { days_ago, is_near }),
        }
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(times: &[&str], now: &str) -> Option<DailyRecurrence> {
        let times: Vec<Timestamp> = times.iter().map(|time| time.parse().unwrap()).collect();
        DailyRecurrence::find(&times, now.parse().unwrap())
    }

    /// Monday to Thursday at about nine.
    const MORNINGS: [&str; 4] = [
        "2026-02-02T09:05:00Z",
        "2026-02-03T08:50:00Z",
        "2026-02-04T09:30:00Z",
        "2026-02-05T09:00:00Z",
    ];

    #[test]
    fn work_of_every_morning_is_expected_in_the_morning() {
        let found = find(&MORNINGS, "2026-02-06T08:45:00Z").unwrap();
        assert_eq!((found.days_near, found.days), (4, 4));
        assert_eq!(found.last.to_string(), "2026-02-05");
        assert!(found.confidence() > 0.6);
        assert_eq!(find(&MORNINGS, "2026-02-06T15:00:00Z"), None, "another time of day");
        assert_eq!(find(&MORNINGS, "2026-02-05T10:00:00Z"), None, "it was done today");
        assert_eq!(find(&MORNINGS, "2026-02-07T09:00:00Z"), None, "a weekend");
        assert_eq!(find(&MORNINGS, "2026-02-09T09:00:00Z").unwrap().days, 5);
        assert_eq!(find(&MORNINGS, "2026-02-20T09:00:00Z"), None, "it has ended");
    }

    #[test]
    fn times_around_midnight_are_near_each_other() {
        let nights = ["2026-02-02T23:50:00Z", "2026-02-04T00:10:00Z", "2026-02-04T23:55:00Z"];
        assert_eq!(find(&nights, "2026-02-06T00:05:00Z").unwrap().days_near, 3);
    }

    #[test]
    fn few_scattered_or_weekly_times_are_no_time_of_day() {
        assert_eq!(find(&MORNINGS[..2], "2026-02-04T09:00:00Z"), None);
        let scattered =
            [MORNINGS[0], MORNINGS[1], MORNINGS[2], "2026-02-05T14:00:00Z", "2026-01-30T20:00:00Z"];
        assert!(find(&scattered, "2026-02-06T09:00:00Z").is_some(), "3 of 5");
        let more = [&scattered[..], &["2026-01-29T16:00:00Z"]].concat();
        assert_eq!(find(&more, "2026-02-06T09:00:00Z"), None, "3 of 6");
        let weekly = ["2026-01-15T09:00:00Z", "2026-01-22T09:00:00Z", "2026-01-29T09:00:00Z"];
        assert_eq!(find(&weekly, "2026-02-05T09:00:00Z"), None);
        assert_eq!(find(&["2026-02-09T09:00:00Z"; 4], "2026-02-06T09:00:00Z"), None, "later");
    }
}
