//! The time that a question names: "last week", "in May 2023", "3 days ago", "since 2023-05-07".

use std::ops::RangeInclusive;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

use super::terms::is_stop_word;

/// The time that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Period {
    /// From the first day to the last.
    Days(Date, Date),
    /// A month, or a day of it, of whichever year.
    Yearly {
        /// The month.
        month: i8,
        /// Its day, if one is named.
        day: Option<i8>,
    },
}

/// What happens is often told a little later: so many days after a period still count for something.
const LATER: i32 = 7;

impl Period {
    /// Returns how well a day fits, 0 to 1: in full if it is of the period, and less with every day
    /// that it comes after it.
    pub fn fit(&self, day: Date) -> f32 {
        let last = match self {
            Period::Days(first, _) if day < *first => return 0.0,
            Period::Days(_, last) => *last,
            Period::Yearly { month, day: named } => {
                let last = |year: i16| match named {
                    Some(named) => Date::new(year, *month, *named).ok(),
                    None => Date::new(year, *month, 1).ok().map(Date::last_of_month),
                };
                let is_of = day.month() == *month && named.is_none_or(|named| day.day() == named);
                if is_of {
                    return 1.0;
                }
                let passed = [day.year(), day.year() - 1].into_iter().filter_map(last);
                let Some(last) = passed.filter(|last| *last <= day).max() else { return 0.0 };
                last
            }
        };
        late(days_between(last, day).max(0))
    }

    /// Returns how many days a day is away from the period; none if it is of it, or of every year.
    fn distance(&self, day: Date) -> i32 {
        match self {
            Period::Days(first, last) => {
                days_between(day, *first).max(days_between(*last, day)).max(0)
            }
            Period::Yearly { .. } => 0,
        }
    }
}

fn late(days: i32) -> f32 {
    (1.0 - days as f32 / (LATER + 1) as f32).max(0.0)
}

fn days_between(a: Date, b: Date) -> i32 {
    b.since(a).map_or(i32::MAX / 8, |span| span.get_days())
}

/// A time, as a question names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    /// Which one.
    pub period: Period,
    /// Whether the question asks for nothing else.
    pub is_alone: bool,
}

impl Time {
    /// Returns how well a day fits, 0 to 1. Who asks for nothing else wants no other day.
    pub fn fit(&self, day: Date) -> f32 {
        let fit = self.period.fit(day);
        if self.is_alone && fit < 1.0 { 0.0 } else { fit }
    }

    /// Returns how many days a day is away from it.
    pub fn distance(&self, day: Date) -> i32 {
        self.period.distance(day)
    }
}

/// Words that ask for what happened and name nothing of it, besides those that only build a sentence.
const BARE: &str = "\
    after all any anything before between change changed changes decide decided during everything \
    from happen happened happening know known learn learned learnt new news recorded remember \
    remembered say show since something stored tell things until went within work worked written \
    wrote";

fn is_bare(word: &Word) -> bool {
    is_stop_word(&word.lower) || BARE.split(' ').any(|bare| bare == word.lower)
}

/// Returns the time that a text names, as it is understood on a day; the first that is named, or
/// what lies between two.
pub fn time(text: &str, today: Date) -> Option<Time> {
    let words = words(text);
    let (mut at, mut found, mut others) = (0, None, Vec::new());
    while at < words.len() {
        let lead = at.checked_sub(1).map(|before| words[before].lower.as_str()).unwrap_or_default();
        let Some((length, period)) = at_start(&words[at..], lead, today) else {
            others.push(&words[at]);
            at += 1;
            continue;
        };
        found = Some(match found {
            None => bounded(lead, period, today),
            Some(first) if matches!(lead, "and" | "to" | "until" | "-") => between(first, period),
            Some(first) => first,
        });
        at += length;
    }
    found.map(|period| Time { period, is_alone: others.into_iter().all(is_bare) })
}

/// From one period to another. Of two, often only the last has a year.
fn between(first: Period, last: Period) -> Period {
    match (first, last) {
        (Period::Days(first, _), Period::Days(_, last)) if first <= last => {
            Period::Days(first, last)
        }
        (Period::Yearly { month, day }, Period::Days(start, last)) => {
            let years = [last.year(), last.year() - 1].into_iter();
            let first = years.filter_map(|year| Date::new(year, month, day.unwrap_or(1)).ok());
            let first = first.filter(|first| *first <= last).max();
            Period::Days(first.unwrap_or(start), last)
        }
        (first @ Period::Yearly { .. }, Period::Yearly { .. }) => first,
        (_, last) => last,
    }
}

/// A period that reaches on from, or up to, the one that is named.
fn bounded(lead: &str, period: Period, today: Date) -> Period {
    match (lead, period) {
        ("since", Period::Days(first, _)) if first <= today => Period::Days(first, today),
        ("after", Period::Days(_, last)) if last < today => {
            Period::Days(last.tomorrow().unwrap_or(last), today)
        }
        ("before", Period::Days(first, _)) => {
            Period::Days(Date::MIN, first.yesterday().unwrap_or(first))
        }
        ("until" | "by", Period::Days(_, last)) => Period::Days(Date::MIN, last),
        (_, period) => period,
    }
}

/// A longer run of digits and signs is no date, though a sentence may end with it.
const LONGEST: usize = "10.05.2026...".len();

/// Whether the sign at a place stands within a date in numbers.
fn is_in_a_date(text: &str, at: usize) -> bool {
    let is_own = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'/');
    let bytes = text.as_bytes();
    let before = bytes[..at].iter().rev().take(LONGEST + 1).take_while(|byte| is_own(byte)).count();
    let after = bytes[at..].iter().take(LONGEST + 1).take_while(|byte| is_own(byte)).count();
    if before + after > LONGEST {
        return false;
    }
    let (start, end) = (at - before, at + after);
    let written = text[start..end].trim_end_matches(['.', '/']);
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_alone =
        !is_part(text[..start].chars().next_back()) && !is_part(text[end..].chars().next());
    is_alone && at < start + written.len() && in_numbers(written).is_some()
}

struct Word {
    lower: String,
    /// Whether it is written as a name, and not only because a sentence begins with it.
    is_name: bool,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut begins = true;
    // A sign between two digits joins them: `10.05.2026`.
    let joins = |at: usize, c: char| matches!(c, '.' | '/') && is_in_a_date(text, at);
    let mut start = 0;
    let ends =
        text.char_indices().filter(|(at, c)| !c.is_alphanumeric() && *c != '-' && !joins(*at, *c));
    let ends: Vec<usize> = ends.map(|(at, c)| at + c.len_utf8()).chain([text.len()]).collect();
    for end in ends {
        let piece = &text[start..end];
        start = end;
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            let is_name = word.starts_with(char::is_uppercase) && !begins;
            words.push(Word { lower: word.to_lowercase(), is_name });
            begins = false;
        }
        begins |= piece.ends_with(['.', '?', '!']);
    }
    words
}

/// The period that some words start with, and how many of them name it; `lead` is the word before.
fn at_start(words: &[Word], lead: &str, today: Date) -> Option<(usize, Period)> {
    let word = |at: usize| words.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
    let days = |count: usize, days: RangeInclusive<Date>| {
        Some((count, Period::Days(*days.start(), *days.end())))
    };
    let back = |count: i32| today.checked_sub(count.days()).unwrap_or(today);
    if let Some(day) = in_numbers(word(0)) {
        return days(1, day);
    }
    match (word(0), word(1), word(2)) {
        ("today", _, _) => return days(1, today..=today),
        ("yesterday", _, _) => return days(1, back(1)..=back(1)),
        ("day", "before", "yesterday") => return days(3, back(2)..=back(2)),
        ("last" | "past" | "previous", unit, _) => {
            if let Some((length, count)) = quantity(&words[1..]) {
                let start = before(count, word(1 + length), today)?;
                return days(2 + length, start..=today);
            }
            if let Some(range) = last(unit, today) {
                return days(2, range);
            }
        }
        ("this", unit, _) => {
            let range = this(unit, today)?;
            return days(2, range);
        }
        ("on", day, _) => {
            let back = today.weekday().since(weekday(day)?);
            return days(2, back_to(today, back)..=back_to(today, back));
        }
        _ => {}
    }
    if let Some((length, count)) = quantity(words)
        && word(length + 1) == "ago"
    {
        let (unit, start) = (word(length), before(count, word(length), today)?);
        let is_vague =
            words[..length].iter().any(|word| matches!(word.lower.as_str(), "couple" | "few"));
        return days(length + 2, about(start, unit, is_vague));
    }
    named(words, lead, today)
}

fn back_to(today: Date, days: i8) -> Date {
    today.checked_sub(i32::from(days).days()).unwrap_or(today)
}

/// How many, and how many words say so: `3`, `two`, `a`, `a few`, `a couple of`.
fn quantity(words: &[Word]) -> Option<(usize, i32)> {
    let word = |at: usize| words.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
    let lead = usize::from(word(0) == "a" && matches!(word(1), "few" | "couple"));
    let of = usize::from(word(lead) == "couple" && word(lead + 1) == "of");
    number(word(lead)).map(|count| (lead + 1 + of, count))
}

/// `2023-05-07`, `2023/05/07`, `7.5.2023`, `5/7/2023`, `2023-05`, `05/2023` and `5.2023`.
fn in_numbers(word: &str) -> Option<RangeInclusive<Date>> {
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Ok(day) = word.parse::<Date>() {
        return Some(day..=day);
    }
    let parts: Vec<&str> = word.split(['.', '/']).collect();
    if let [a, b, c] = parts.as_slice() {
        let small = |part: &str| part.parse::<i8>().ok();
        let (year, month, day) = match (full_year(a), full_year(c)) {
            (Some(year), None) => (year, small(b)?, small(c)?),
            (None, Some(year)) if word.contains('.') => (year, small(b)?, small(a)?),
            // Where both orders are possible, the month comes first.
            (None, Some(year)) if small(a)? > 12 => (year, small(b)?, small(a)?),
            (None, Some(year)) => (year, small(a)?, small(b)?),
            _ => return None,
        };
        let day = Date::new(year, month, day).ok()?;
        return Some(day..=day);
    }
    if let [month, year] = parts.as_slice() {
        let first = Date::new(full_year(year)?, month.parse().ok()?, 1).ok()?;
        return Some(first..=first.last_of_month());
    }
    let (year, month) = word.split_once('-')?;
    let first = Date::new(full_year(year)?, month.parse().ok()?, 1).ok()?;
    Some(first..=first.last_of_month())
}

/// A month with its day and year, or a year alone.
fn named(words: &[Word], lead: &str, today: Date) -> Option<(usize, Period)> {
    let word = |at: usize| words.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
    if let Some(year) = full_year(word(0)) {
        let first = date(year, 1, 1);
        // A number is a year only where there were or will soon be years such as that.
        let is_near = (1970..=today.year() + 1).contains(&year);
        return is_near.then(|| (1, Period::Days(first, first.last_of_year())));
    }
    // `7 May`, `7th of May`, `May 7`, `May 2023`, `May`.
    let (length, month, day) = match (day_of_month(word(0)), day_of_month(word(1))) {
        (Some(day), _) if word(1) == "of" => (3, month(word(2))?, Some(day)),
        (Some(day), _) => (2, month(word(1))?, Some(day)),
        (None, Some(day)) => (2, month(word(0))?, Some(day)),
        (None, None) => {
            let has_year = full_year(word(1)).or_else(|| of_year(word(1), word(2))).is_some();
            let is_meant = has_year || lead == "in" || is_month_by_itself(words.first()?);
            (1, month(word(0)).filter(|_| is_meant)?, None)
        }
    };
    let (length, year) = match of_year(word(length), word(length + 1)) {
        Some(year) => (length + 1, Some(year)),
        None => (length, full_year(word(length))),
    };
    let Some(year) = year else {
        return Some((length, Period::Yearly { month, day }));
    };
    let first = Date::new(year, month, day.unwrap_or(1)).ok()?;
    let last = if day.is_some() { first } else { first.last_of_month() };
    Some((length + 1, Period::Days(first, last)))
}

/// `of 2023`.
fn of_year(of: &str, year: &str) -> Option<i16> {
    if of == "of" { full_year(year) } else { None }
}

fn full_year(word: &str) -> Option<i16> {
    (word.len() == 4)
        .then(|| word.parse().ok())
        .flatten()
        .filter(|year| (1900..2100).contains(year))
}

fn day_of_month(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_day = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th");
    digits.parse().ok().filter(|day| is_day && (1..=31).contains(day))
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A month by its name or its first three letters.
fn month(word: &str) -> Option<i8> {
    let is_it = |month: &&str| {
        word == *month
            || word.len() == 3 && month.starts_with(word)
            || word == "sept" && month.starts_with(word)
    };
    MONTHS.iter().position(is_it).map(|at| at as i8 + 1)
}

/// Whether a word is a month though no day and no year stands beside it: `may` and `mar` are words.
fn is_month_by_itself(word: &Word) -> bool {
    let is_another_word = word.lower.len() == 3 || word.lower == "march";
    word.is_name || !is_another_word
}

fn number(word: &str) -> Option<i32> {
    const SMALL: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" => Some(3),
        _ => {
            let named = SMALL.iter().position(|small| *small == word).map(|at| at as i32);
            named.or_else(|| word.parse().ok()).filter(|count| (0..10_000).contains(count))
        }
    }
}

/// The day that lies so many units before another.
fn before(count: i32, unit: &str, today: Date) -> Option<Date> {
    let span = match unit {
        "day" | "days" => count.days(),
        "week" | "weeks" => count.weeks(),
        "month" | "months" => count.months(),
        "year" | "years" => count.years(),
        _ => return None,
    };
    today.checked_sub(span).ok()
}

/// What one means who says "two weeks ago": not that very day.
fn about(day: Date, unit: &str, is_vague: bool) -> RangeInclusive<Date> {
    let slack = match unit {
        "day" | "days" => i32::from(is_vague),
        "week" | "weeks" => 3,
        "month" | "months" => 15,
        _ => 180,
    };
    let from = day.checked_sub(slack.days()).unwrap_or(day);
    from..=day.checked_add(slack.days()).unwrap_or(day)
}

fn this(unit: &str, today: Date) -> Option<RangeInclusive<Date>> {
    match unit {
        "week" => Some(monday(today)..=after_monday(today, 6)),
        "weekend" => Some(after_monday(today, 5)..=after_monday(today, 6)),
        "month" => Some(today.first_of_month()..=today.last_of_month()),
        "year" => Some(today.first_of_year()..=today.last_of_year()),
        "morning" | "afternoon" | "evening" => Some(today..=today),
        _ => None,
    }
}

fn last(unit: &str, today: Date) -> Option<RangeInclusive<Date>> {
    match unit {
        "week" | "weekend" => this(unit, today.checked_sub(7.days()).ok()?),
        "month" => {
            let before = today.first_of_month().checked_sub(1.day()).ok()?;
            Some(before.first_of_month()..=before)
        }
        "year" => {
            let before = today.first_of_year().checked_sub(1.day()).ok()?;
            Some(before.first_of_year()..=before)
        }
        day => {
            let weekday = weekday(day)?;
            let back = today.weekday().since(weekday);
            let day = back_to(today, if back == 0 { 7 } else { back });
            Some(day..=day)
        }
    }
}

/// The day that comes so many days after the Monday of its week.
fn after_monday(day: Date, days: i32) -> Date {
    monday(day).checked_add(days.days()).unwrap_or(day)
}

fn monday(day: Date) -> Date {
    let back = i32::from(day.weekday().to_monday_zero_offset());
    day.checked_sub(back.days()).unwrap_or(day)
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Sunday.
    const TODAY: Date = date(2026, 11, 15);

    fn period(text: &str, today: Date) -> Option<Period> {
        time(text, today).map(|time| time.period)
    }

    fn days(text: &str) -> Option<(String, String)> {
        match period(text, TODAY) {
            Some(Period::Days(first, last)) => Some((first.to_string(), last.to_string())),
            _ => None,
        }
    }

    #[test]
    fn a_week_is_whole_on_each_of_its_days() {
        for today in [date(2026, 11, 9), date(2026, 11, 11), TODAY] {
            let last = Period::Days(date(2026, 11, 2), date(2026, 11, 8));
            assert_eq!(period("last week", today), Some(last), "{today}");
            let this = Period::Days(date(2026, 11, 9), TODAY);
            assert_eq!(period("this week", today), Some(this), "{today}");
        }
    }

    #[test]
    fn times_are_understood() {
        for (text, first, last) in [
            ("what did we decide last week?", "2026-11-02", "2026-11-08"),
            ("this week's findings", "2026-11-09", "2026-11-15"),
            ("in May 2023", "2023-05-01", "2023-05-31"),
            ("on 7 May 2023, or so", "2023-05-07", "2023-05-07"),
            ("on May 7th, 2023", "2023-05-07", "2023-05-07"),
            ("the 7th of May 2023", "2023-05-07", "2023-05-07"),
            ("deployed 2023-05-07?", "2023-05-07", "2023-05-07"),
            ("in 2023-05", "2023-05-01", "2023-05-31"),
            ("back in 2024", "2024-01-01", "2024-12-31"),
            ("yesterday", "2026-11-14", "2026-11-14"),
            ("the day before yesterday", "2026-11-13", "2026-11-13"),
            ("3 days ago", "2026-11-12", "2026-11-12"),
            ("a week ago", "2026-11-05", "2026-11-11"),
            ("in the last two weeks", "2026-11-01", "2026-11-15"),
            ("last month", "2026-10-01", "2026-10-31"),
            ("last year", "2025-01-01", "2025-12-31"),
            ("last Friday", "2026-11-13", "2026-11-13"),
            ("last Sunday", "2026-11-08", "2026-11-08"),
            ("since May 2026", "2026-05-01", "2026-11-15"),
            ("before 2024", "-009999-01-01", "2023-12-31"),
            ("until May 2026", "-009999-01-01", "2026-05-31"),
            ("after May 2026", "2026-06-01", "2026-11-15"),
            ("in may 2026", "2026-05-01", "2026-05-31"),
            ("on 7 may 2023", "2023-05-07", "2023-05-07"),
            ("between May 2023 and July 2023", "2023-05-01", "2023-07-31"),
            ("a couple of weeks ago", "2026-10-29", "2026-11-04"),
            ("in the last couple of weeks", "2026-11-01", "2026-11-15"),
            ("the past few days", "2026-11-12", "2026-11-15"),
            ("a few days ago?", "2026-11-11", "2026-11-13"),
            ("a couple of days ago", "2026-11-12", "2026-11-14"),
            ("what came on Friday?", "2026-11-13", "2026-11-13"),
            ("decided this morning", "2026-11-15", "2026-11-15"),
            ("am 10.05.2026.", "2026-05-10", "2026-05-10"),
            ("on 2026/05/10.", "2026-05-10", "2026-05-10"),
            ("on 5/10/2026", "2026-05-10", "2026-05-10"),
            ("on 31/10/2026", "2026-10-31", "2026-10-31"),
            ("since 2026/05/10", "2026-05-10", "2026-11-15"),
            ("in 05/2026", "2026-05-01", "2026-05-31"),
            ("since 5.2026", "2026-05-01", "2026-11-15"),
            ("in Q1/2026", "2026-01-01", "2026-12-31"),
            ("2025/2026", "2025-01-01", "2025-12-31"),
            ("in May of 2023", "2023-05-01", "2023-05-31"),
            ("between April and June 2023", "2023-04-01", "2023-06-30"),
            ("from april to june 2023", "2023-04-01", "2023-06-30"),
            ("from November to February 2023", "2022-11-01", "2023-02-28"),
            ("last weekend", "2026-11-07", "2026-11-08"),
            ("this weekend", "2026-11-14", "2026-11-15"),
        ] {
            assert_eq!(days(text), Some((first.to_owned(), last.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_month_without_a_year_is_of_every_year() {
        assert_eq!(period("in May", TODAY), Some(Period::Yearly { month: 5, day: None }));
        assert_eq!(period("in may", TODAY), Some(Period::Yearly { month: 5, day: None }));
        assert_eq!(period("on Jun 3", TODAY), Some(Period::Yearly { month: 6, day: Some(3) }));
        let may = Period::Yearly { month: 5, day: None };
        assert_eq!(may.fit(date(2023, 5, 31)), 1.0);
        assert!(may.fit(date(2023, 6, 2)) < 1.0 && may.fit(date(2023, 6, 2)) > 0.5);
        assert_eq!(may.fit(date(2023, 9, 2)), 0.0);
    }

    #[test]
    fn what_is_told_a_little_later_counts_for_something() {
        let week = Period::Days(date(2026, 11, 2), date(2026, 11, 8));
        assert_eq!(week.fit(date(2026, 11, 8)), 1.0);
        assert!(week.fit(date(2026, 11, 9)) > week.fit(date(2026, 11, 12)));
        assert_eq!(week.fit(date(2026, 11, 20)), 0.0);
        assert_eq!(week.fit(date(2026, 10, 20)), 0.0);
    }

    #[test]
    fn who_asks_for_a_time_alone_wants_no_other_day() {
        for text in ["last week", "What happened in May 2023?", "what was decided yesterday"] {
            assert!(time(text, TODAY).is_some_and(|time| time.is_alone), "{text}");
        }
        for text in ["deploys last week", "what did Ada do in May 2023?"] {
            assert!(time(text, TODAY).is_some_and(|time| !time.is_alone), "{text}");
        }
        let fit = |text: &str| time(text, TODAY).map(|time| time.fit(TODAY));
        assert_eq!(fit("yesterday"), Some(0.0));
        assert!(fit("deploys yesterday").is_some_and(|fit| fit > 0.0));
    }

    #[test]
    fn a_long_run_of_numbers_is_read_once() {
        assert_eq!(period(&"1.".repeat(200_000), TODAY), None);
    }

    #[test]
    fn words_that_look_like_times_are_none() {
        for text in [
            "may I ask",
            "May we change the login form?",
            "Done. May I?",
            "Marc said so",
            "marc said so",
            "march on",
            "the second attempt",
            "port 8080",
            "error 404",
            "last test",
            "this one",
            "decide",
            "7 of them",
            "three ago",
            "",
            "what is the mar of it",
            "1066",
            "on call",
            "a couple of them",
            "1/2",
        ] {
            assert_eq!(period(text, TODAY), None, "{text}");
        }
    }
}
