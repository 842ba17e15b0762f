//! Days. They are counted in UTC so that every machine counts alike.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serializer};

/// Returns the day of a moment.
pub fn of(moment: Timestamp) -> Date {
    moment.to_zoned(TimeZone::UTC).date()
}

/// Reads a day, or the day of a moment.
pub fn parse(written: &str) -> Option<Date> {
    let written = written.trim();
    written.parse::<Timestamp>().ok().map(of).or_else(|| written.parse::<Date>().ok())
}

/// The first day that is counted.
const FIRST: Date = jiff::civil::date(1970, 1, 1);

/// Returns how many days after the first of 1970 a day is.
pub fn number(day: Date) -> i32 {
    day.since(FIRST).map_or(0, |span| span.get_days())
}

/// Returns the day that is so many days after the first of 1970.
pub fn of_number(number: i32) -> Option<Date> {
    FIRST.checked_add(jiff::Span::new().try_days(number).ok()?).ok()
}

/// Returns the last moment of a day.
pub fn end(day: Date) -> Timestamp {
    let last = day.at(23, 59, 59, 999_999_999).to_zoned(TimeZone::UTC);
    last.map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

/// Writes a day that may be missing.
pub(crate) fn serialize<S: Serializer>(day: &Option<Date>, out: S) -> Result<S::Ok, S::Error> {
    match day {
        Some(day) => out.serialize_str(&day.to_string()),
        None => out.serialize_none(),
    }
}

/// Reads a day that may be missing; a moment is read as its day.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Date>, D::Error> {
    let Some(written) = Option::<String>::deserialize(input)? else { return Ok(None) };
    parse(&written)
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom(format!("`{written}` is not a date")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn days_and_moments_are_read() {
        assert_eq!(parse("2026-02-22"), Some(date(2026, 2, 22)));
        assert_eq!(parse(" 2026-02-22T23:59:00Z "), Some(date(2026, 2, 22)));
        assert_eq!(parse("2026-02-22T23:59:00-05:00"), Some(date(2026, 2, 23)));
        assert_eq!(parse("yesterday"), None);
        assert_eq!(end(date(2026, 2, 22)).to_string(), "2026-02-22T23:59:59.999999999Z");
    }
    #[test]
    fn days_are_numbers() {
        for day in [date(1969, 12, 31), date(1970, 1, 1), date(2026, 11, 15), Date::MAX, Date::MIN]
        {
            assert_eq!(of_number(number(day)), Some(day));
        }
        assert_eq!(number(date(1970, 2, 1)), 31);
        assert_eq!(of_number(i32::MAX), None);
    }
}
