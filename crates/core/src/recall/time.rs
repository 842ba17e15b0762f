//! Finds the period that a question names: "last week", "in May 2023", "3 days ago", "since 2023-05-07".

use std::ops::RangeInclusive;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

use super::terms::is_stop_word;

/// A period of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Period {
    /// From the first day to the last, both included.
    Days(Date, Date),
    /// A month, or a day of a month, in any year.
    Yearly {
        /// The month.
        month: i8,
        /// The day of the month, if one is named.
        day: Option<i8>,
    },
}

/// How many days after a period still fit it partly: events are often recorded a little later.
const GRACE_DAYS: i32 = 7;

impl Period {
    /// Returns how well a day fits, 0 to 1: in full within the period, and less with every day after it.
    pub fn fit(&self, day: Date) -> f32 {
        let last = match self {
            Period::Days(first, _) if day < *first => return 0.0,
            Period::Days(_, last) => *last,
            Period::Yearly { month, day: named } => {
                let last = |year: i16| match named {
                    Some(named) => Date::new(year, *month, *named).ok(),
                    None => Date::new(year, *month, 1).ok().map(Date::last_of_month),
                };
                let is_within =
                    day.month() == *month && named.is_none_or(|named| day.day() == named);
                if is_within {
                    return 1.0;
                }
                let past = [day.year(), day.year() - 1].into_iter().filter_map(last);
                let Some(last) = past.filter(|last| *last <= day).max() else { return 0.0 };
                last
            }
        };
        let days_late = days_between(last, day).max(0);
        (1.0 - days_late as f32 / (GRACE_DAYS + 1) as f32).max(0.0)
    }

    /// Returns how many days a day is away from the period: 0 within it, and for a yearly period.
    fn distance(&self, day: Date) -> i32 {
        match self {
            Period::Days(first, last) => {
                days_between(day, *first).max(days_between(*last, day)).max(0)
            }
            Period::Yearly { .. } => 0,
        }
    }
}

fn days_between(a: Date, b: Date) -> i32 {
    b.since(a).map_or(i32::MAX / 8, |span| span.get_days())
}

/// The period that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPeriod {
    /// The period.
    pub period: Period,
    /// Whether the question names nothing else.
    pub is_only_topic: bool,
}

impl NamedPeriod {
    /// Returns how well a day fits, 0 to 1. If the question names nothing else, days after the period do not fit.
    pub fn fit(&self, day: Date) -> f32 {
        let fit = self.period.fit(day);
        if self.is_only_topic && fit < 1.0 { 0.0 } else { fit }
    }

    /// Returns how many days a day is away from the period.
    pub fn distance(&self, day: Date) -> i32 {
        self.period.distance(day)
    }
}

/// Words, besides stop words, that ask what happened without naming a topic.
const TOPICLESS_WORDS: &str = "\
    after all any anything before between change changed changes decide decided during everything \
    from happen happened happening know known learn learned learnt new news recorded remember \
    remembered say show since something stored tell things until went within work worked written \
    wrote";

fn is_topicless(word: &Word) -> bool {
    is_stop_word(&word.lower) || TOPICLESS_WORDS.split(' ').any(|topicless| topicless == word.lower)
}

/// Returns the first period that a text names, relative to a day, or the range between two (`from May to July`).
pub(crate) fn find_period(text: &str, today: Date) -> Option<NamedPeriod> {
    let words = split_words(text);
    let (mut index, mut found, mut others) = (0, None, Vec::new());
    while index < words.len() {
        let lead =
            index.checked_sub(1).map(|before| words[before].lower.as_str()).unwrap_or_default();
        let Some((length, period)) = parse_period(&words[index..], lead, today) else {
            others.push(&words[index]);
            index += 1;
            continue;
        };
        found = Some(match found {
            None => extend(lead, period, today),
            Some(first) if matches!(lead, "and" | "to" | "until" | "-") => {
                range_between(first, period)
            }
            Some(first) => first,
        });
        index += length;
    }
    found.map(|period| NamedPeriod { period, is_only_topic: others.into_iter().all(is_topicless) })
}

/// Returns the range from one period to another. Often only the second one has a year.
fn range_between(first: Period, last: Period) -> Period {
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

/// Extends a period by the word before it: `since`, `after`, `before`, `until`, `by`.
fn extend(lead: &str, period: Period, today: Date) -> Period {
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

/// The longest run of digits and separators that is parsed as a date, with some full stops after it.
const MAX_DATE_BYTES: usize = "10.05.2026...".len();

/// Returns whether the separator at an offset is part of a numeric date.
fn is_in_numeric_date(text: &str, offset: usize) -> bool {
    let is_date_byte = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'/');
    let bytes = text.as_bytes();
    let before = bytes[..offset]
        .iter()
        .rev()
        .take(MAX_DATE_BYTES + 1)
        .take_while(|byte| is_date_byte(byte))
        .count();
    let after = bytes[offset..]
        .iter()
        .take(MAX_DATE_BYTES + 1)
        .take_while(|byte| is_date_byte(byte))
        .count();
    if before + after > MAX_DATE_BYTES {
        return false;
    }
    let (start, end) = (offset - before, offset + after);
    let written = text[start..end].trim_end_matches(['.', '/']);
    let is_word_char = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_delimited = !is_word_char(text[..start].chars().next_back())
        && !is_word_char(text[end..].chars().next());
    is_delimited && offset < start + written.len() && parse_numeric(written).is_some()
}

struct Word {
    lower: String,
    /// Whether it is capitalised other than at the start of a sentence.
    is_capitalised: bool,
}

fn split_words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut starts_sentence = true;
    // A separator within a numeric date does not end the word: `10.05.2026`.
    let joins = |offset: usize, c: char| matches!(c, '.' | '/') && is_in_numeric_date(text, offset);
    let mut start = 0;
    let ends = text
        .char_indices()
        .filter(|(offset, c)| !c.is_alphanumeric() && *c != '-' && !joins(*offset, *c));
    let ends: Vec<usize> =
        ends.map(|(offset, c)| offset + c.len_utf8()).chain([text.len()]).collect();
    for end in ends {
        let piece = &text[start..end];
        start = end;
        let word = piece.trim_matches(|c: char| !c.is_alphanumeric());
        if !word.is_empty() {
            let is_capitalised = word.starts_with(char::is_uppercase) && !starts_sentence;
            words.push(Word { lower: word.to_lowercase(), is_capitalised });
            starts_sentence = false;
        }
        starts_sentence |= piece.ends_with(['.', '?', '!']);
    }
    words
}

/// Returns a word in lower case, or an empty string past the last word.
fn word_at(words: &[Word], index: usize) -> &str {
    words.get(index).map(|word| word.lower.as_str()).unwrap_or_default()
}

/// Parses a period at the start of some words and returns how many words it takes; `lead` is the word before them.
fn parse_period(words: &[Word], lead: &str, today: Date) -> Option<(usize, Period)> {
    let word = |index: usize| word_at(words, index);
    let days = |count: usize, days: RangeInclusive<Date>| {
        Some((count, Period::Days(*days.start(), *days.end())))
    };
    let ago = |days: i32| days_before(today, days);
    if let Some(day) = parse_numeric(word(0)) {
        return days(1, day);
    }
    match (word(0), word(1), word(2)) {
        ("today", _, _) => return days(1, today..=today),
        ("yesterday", _, _) => return days(1, ago(1)..=ago(1)),
        ("day", "before", "yesterday") => return days(3, ago(2)..=ago(2)),
        ("last" | "past" | "previous", unit, _) => {
            if let Some((length, count)) = quantity(&words[1..]) {
                let start = units_before(today, count, word(1 + length))?;
                return days(2 + length, start..=today);
            }
            if let Some(range) = previous_period(unit, today) {
                return days(2, range);
            }
        }
        ("this", unit, _) => {
            let range = current_period(unit, today)?;
            return days(2, range);
        }
        ("on", day, _) => {
            let day = ago(today.weekday().since(weekday(day)?).into());
            return days(2, day..=day);
        }
        _ => {}
    }
    if let Some((length, count)) = quantity(words)
        && word(length + 1) == "ago"
    {
        let (unit, start) = (word(length), units_before(today, count, word(length))?);
        let is_vague =
            words[..length].iter().any(|word| matches!(word.lower.as_str(), "couple" | "few"));
        return days(length + 2, with_tolerance(start, unit, is_vague));
    }
    parse_named(words, lead, today)
}

fn days_before(day: Date, days: i32) -> Date {
    day.checked_sub(days.days()).unwrap_or(day)
}

/// Parses a quantity and returns how many words it takes: `3`, `two`, `a`, `a few`, `a couple of`.
fn quantity(words: &[Word]) -> Option<(usize, i32)> {
    let word = |index: usize| word_at(words, index);
    let lead = usize::from(word(0) == "a" && matches!(word(1), "few" | "couple"));
    let of = usize::from(word(lead) == "couple" && word(lead + 1) == "of");
    number(word(lead)).map(|count| (lead + 1 + of, count))
}

/// Parses a date or a month in digits: `2023-05-07`, `2023/05/07`, `7.5.2023`, `5/7/2023`, `2023-05`, `05/2023` and
/// `5.2023`.
fn parse_numeric(word: &str) -> Option<RangeInclusive<Date>> {
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

/// Parses a named month with its day and year, or a year alone.
fn parse_named(words: &[Word], lead: &str, today: Date) -> Option<(usize, Period)> {
    let word = |index: usize| word_at(words, index);
    if let Some(year) = full_year(word(0)) {
        let first = date(year, 1, 1);
        // Other numbers of four digits are rarely years of a memory.
        let is_plausible = (1970..=today.year() + 1).contains(&year);
        return is_plausible.then(|| (1, Period::Days(first, first.last_of_year())));
    }
    // `7 May`, `7th of May`, `May 7`, `May 2023`, `May`.
    let (length, month, day) = match (day_of_month(word(0)), day_of_month(word(1))) {
        (Some(day), _) if word(1) == "of" => (3, month(word(2))?, Some(day)),
        (Some(day), _) => (2, month(word(1))?, Some(day)),
        (None, Some(day)) => (2, month(word(0))?, Some(day)),
        (None, None) => {
            let has_year = full_year(word(1)).or_else(|| of_year(word(1), word(2))).is_some();
            let is_meant = has_year || lead == "in" || is_unambiguous_month(words.first()?);
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

/// Parses `of 2023`.
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

/// Parses a month by its name or its first three letters.
fn month(word: &str) -> Option<i8> {
    let is_named = |month: &&str| {
        word == *month
            || word.len() == 3 && month.starts_with(word)
            || word == "sept" && month.starts_with(word)
    };
    MONTHS.iter().position(is_named).map(|index| index as i8 + 1)
}

/// Returns whether a word is a month even without a day or a year beside it: `may` and `march` are also other words.
fn is_unambiguous_month(word: &Word) -> bool {
    let is_another_word = word.lower.len() == 3 || word.lower == "march";
    word.is_capitalised || !is_another_word
}

fn number(word: &str) -> Option<i32> {
    const NUMERALS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" => Some(3),
        _ => {
            let named =
                NUMERALS.iter().position(|numeral| *numeral == word).map(|index| index as i32);
            named.or_else(|| word.parse().ok()).filter(|count| (0..10_000).contains(count))
        }
    }
}

/// Returns the day that is a number of units before another.
fn units_before(day: Date, count: i32, unit: &str) -> Option<Date> {
    let span = match unit {
        "day" | "days" => count.days(),
        "week" | "weeks" => count.weeks(),
        "month" | "months" => count.months(),
        "year" | "years" => count.years(),
        _ => return None,
    };
    day.checked_sub(span).ok()
}

/// Returns the days around a day that was named by a distance: "two weeks ago" is rarely exactly 14 days ago.
fn with_tolerance(day: Date, unit: &str, is_vague: bool) -> RangeInclusive<Date> {
    let tolerance_days = match unit {
        "day" | "days" => i32::from(is_vague),
        "week" | "weeks" => 3,
        "month" | "months" => 15,
        _ => 180,
    };
    let from = day.checked_sub(tolerance_days.days()).unwrap_or(day);
    from..=day.checked_add(tolerance_days.days()).unwrap_or(day)
}

fn current_period(unit: &str, today: Date) -> Option<RangeInclusive<Date>> {
    match unit {
        "week" => Some(monday(today)..=day_of_week(today, 6)),
        "weekend" => Some(day_of_week(today, 5)..=day_of_week(today, 6)),
        "month" => Some(today.first_of_month()..=today.last_of_month()),
        "year" => Some(today.first_of_year()..=today.last_of_year()),
        "morning" | "afternoon" | "evening" => Some(today..=today),
        _ => None,
    }
}

fn previous_period(unit: &str, today: Date) -> Option<RangeInclusive<Date>> {
    match unit {
        "week" | "weekend" => current_period(unit, today.checked_sub(7.days()).ok()?),
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
            let day = days_before(today, if back == 0 { 7 } else { back.into() });
            Some(day..=day)
        }
    }
}

/// Returns a day of the same week, by its distance from Monday.
fn day_of_week(day: Date, days: i32) -> Date {
    monday(day).checked_add(days.days()).unwrap_or(day)
}

fn monday(day: Date) -> Date {
    days_before(day, day.weekday().to_monday_zero_offset().into())
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
        find_period(text, today).map(|time| time.period)
    }

    fn days(text: &str) -> Option<(String, String)> {
        match period(text, TODAY) {
            Some(Period::Days(first, last)) => Some((first.to_string(), last.to_string())),
            _ => None,
        }
    }

    #[test]
    fn a_week_lasts_from_monday_to_sunday() {
        for today in [date(2026, 11, 9), date(2026, 11, 11), TODAY] {
            let last = Period::Days(date(2026, 11, 2), date(2026, 11, 8));
            assert_eq!(period("last week", today), Some(last), "{today}");
            let this = Period::Days(date(2026, 11, 9), TODAY);
            assert_eq!(period("this week", today), Some(this), "{today}");
        }
    }

    #[test]
    fn periods_are_parsed() {
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
    fn a_day_shortly_after_the_period_fits_partly() {
        let week = Period::Days(date(2026, 11, 2), date(2026, 11, 8));
        assert_eq!(week.fit(date(2026, 11, 8)), 1.0);
        assert!(week.fit(date(2026, 11, 9)) > week.fit(date(2026, 11, 12)));
        assert_eq!(week.fit(date(2026, 11, 20)), 0.0);
        assert_eq!(week.fit(date(2026, 10, 20)), 0.0);
    }

    #[test]
    fn a_question_that_names_only_a_period_excludes_other_days() {
        for text in ["last week", "What happened in May 2023?", "what was decided yesterday"] {
            assert!(find_period(text, TODAY).is_some_and(|time| time.is_only_topic), "{text}");
        }
        for text in ["deploys last week", "what did Ada do in May 2023?"] {
            assert!(find_period(text, TODAY).is_some_and(|time| !time.is_only_topic), "{text}");
        }
        let fit = |text: &str| find_period(text, TODAY).map(|time| time.fit(TODAY));
        assert_eq!(fit("yesterday"), Some(0.0));
        assert!(fit("deploys yesterday").is_some_and(|fit| fit > 0.0));
    }

    #[test]
    fn a_long_run_of_numbers_takes_linear_time() {
        assert_eq!(period(&"1.".repeat(200_000), TODAY), None);
    }

    #[test]
    fn words_that_resemble_periods_are_ignored() {
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
