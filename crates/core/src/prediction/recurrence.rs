//! Work that recurs on a weekday, such as a release on every Thursday.

use jiff::civil::{Date, Weekday};

use crate::recall::terms;

/// The least number of days on the weekday, and their least share of all days.
const MIN_DAYS_ON_WEEKDAY: usize = 3;
const MIN_SHARE_ON_WEEKDAY: f64 = 0.75;

/// Work that did not happen for so many days has ended. Five weeks let a fortnightly rhythm miss a turn.
const MAX_DAYS_SINCE_LAST: i32 = 35;

/// Work is predicted on its weekday and so many days before it.
const MAX_DAYS_AHEAD: i32 = 1;

/// Months, weekdays and other words of dates, which differ between two times of the same work.
const DATE_WORDS: [&str; 24] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "week",
    "weekly",
    "day",
    "daily",
    "today",
    "version",
];

/// A rhythm of weeks that work has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recurrence {
    /// The weekday.
    pub weekday: Weekday,
    /// How many of its days were on the weekday.
    pub on_weekday: usize,
    /// The number of its days.
    pub days: usize,
    /// The last one.
    pub last: Date,
    /// The number of days until the next one; 0 for today.
    pub days_ahead: i32,
}

impl Recurrence {
    /// Finds the rhythm of work that was done on some days. `None` if it has none, if its day is not near, or if it was
    /// done today.
    pub fn find(days: &[Date], today: Date) -> Option<Self> {
        let mut days: Vec<Date> = days.iter().copied().filter(|day| *day <= today).collect();
        days.sort_unstable();
        days.dedup();
        let last = *days.last()?;
        let since_last = (today - last).get_days();
        if since_last == 0 || since_last > MAX_DAYS_SINCE_LAST {
            return None;
        }
        (0..=MAX_DAYS_AHEAD).find_map(|days_ahead| {
            let weekday = today.weekday().wrapping_add(days_ahead);
            let on_weekday = days.iter().filter(|day| day.weekday() == weekday).count();
            let share = on_weekday as f64 / days.len() as f64;
            let recurs = on_weekday >= MIN_DAYS_ON_WEEKDAY && share >= MIN_SHARE_ON_WEEKDAY;
            let days = days.len();
            recurs.then_some(Recurrence { weekday, on_weekday, days, last, days_ahead })
        })
    }

    /// Returns how likely the work is done at the next such day: its share of the weekday, less if there were few days.
    pub fn confidence(&self) -> f64 {
        self.on_weekday as f64 / (self.days as f64 + 2.0)
    }

    /// Returns the name of the weekday.
    pub fn weekday_name(&self) -> &'static str {
        match self.weekday {
            Weekday::Monday => "Monday",
            Weekday::Tuesday => "Tuesday",
            Weekday::Wednesday => "Wednesday",
            Weekday::Thursday => "Thursday",
            Weekday::Friday => "Friday",
            Weekday::Saturday => "Saturday",
            Weekday::Sunday => "Sunday",
        }
    }
}

/// Returns what two times of the same work have in common in their titles: the stems of its words, sorted, without
/// numbers, versions and dates. `None` for a title of nothing else.
pub fn recurring_title(title: &str) -> Option<Vec<String>> {
    let words = title.split(|c: char| c.is_whitespace() || ",:;()".contains(c));
    let is_kept = |word: &&str| {
        !word.chars().any(|c| c.is_ascii_digit())
            && !DATE_WORDS.contains(&word.to_lowercase().as_str())
    };
    let mut stems: Vec<String> = words.filter(is_kept).flat_map(terms).collect();
    stems.sort_unstable();
    stems.dedup();
    (!stems.is_empty()).then_some(stems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(days: &[&str]) -> Vec<Date> {
        days.iter().map(|day| day.parse().unwrap()).collect()
    }

    #[test]
    fn work_on_most_thursdays_is_expected_on_thursday_and_the_day_before() {
        let release = days(&["2026-01-01", "2026-01-08", "2026-01-16", "2026-01-22", "2026-01-29"]);
        let on = |today: &str| Recurrence::find(&release, today.parse().unwrap());
        let found = on("2026-02-05").unwrap();
        assert_eq!((found.weekday_name(), found.on_weekday, found.days), ("Thursday", 4, 5));
        assert_eq!(on("2026-02-04").unwrap().days_ahead, 1);
        assert_eq!(on("2026-02-03"), None);
        assert_eq!(on("2026-02-06"), None);
        assert_eq!(on("2026-01-29"), None, "it was done today");
        assert_eq!(on("2026-04-02"), None, "it ended long ago");
        assert!(found.confidence() < 0.6);
    }

    #[test]
    fn few_or_scattered_days_are_no_rhythm() {
        let today = "2026-02-05".parse().unwrap();
        assert_eq!(Recurrence::find(&days(&["2026-01-22", "2026-01-29"]), today), None);
        let scattered =
            days(&["2026-01-15", "2026-01-20", "2026-01-22", "2026-01-27", "2026-01-29"]);
        assert_eq!(Recurrence::find(&scattered, today), None);
        // Several records of one day are one day.
        assert_eq!(Recurrence::find(&days(&["2026-01-29"; 4]), today), None);
    }

    #[test]
    fn titles_are_compared_without_numbers_and_dates() {
        assert_eq!(recurring_title("Release 1.2"), recurring_title("Released v1.3 on Thursday"));
        assert_ne!(recurring_title("Release 1.2"), recurring_title("Deploy 1.2"));
        assert_eq!(recurring_title("2026-01-02"), None);
    }
}
