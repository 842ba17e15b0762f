//! Days in UTC, so that every machine computes the same.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serializer};

/// Returns the day of a timestamp.
pub fn of_timestamp(timestamp: Timestamp) -> Date {
    timestamp.to_zoned(TimeZone::UTC).date()
}

/// Parses a date, or the day of a timestamp.
pub fn parse(text: &str) -> Option<Date> {
    let text = text.trim();
    text.parse::<Timestamp>().ok().map(of_timestamp).or_else(|| text.parse::<Date>().ok())
}

/// The day with the number 0.
const EPOCH: Date = jiff::civil::date(1970, 1, 1);

/// Returns the number of days from 1970-01-01 to a day.
pub fn to_number(day: Date) -> i32 {
    day.since(EPOCH).map_or(0, |span| span.get_days())
}

/// Returns the day that is a number of days after 1970-01-01.
pub fn from_number(number: i32) -> Option<Date> {
    EPOCH.checked_add(jiff::Span::new().try_days(number).ok()?).ok()
}

/// Returns the last nanosecond of a day.
pub fn end_of_day(day: Date) -> Timestamp {
    let last = day.at(23, 59, 59, 999_999_999).to_zoned(TimeZone::UTC);
    last.map_or(Timestamp::MAX, |zoned| zoned.timestamp())
}

/// Serialises an optional day.
pub(crate) fn serialize<S: Serializer>(day: &Option<Date>, out: S) -> Result<S::Ok, S::Error> {
    match day {
        Some(day) => out.serialize_str(&day.to_string()),
        None => out.serialize_none(),
    }
}

/// Deserialises an optional day; a timestamp is read as its day.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Date>, D::Error> {
    let Some(text) = Option::<String>::deserialize(input)? else { return Ok(None) };
    parse(&text)
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a date")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn dates_and_timestamps_are_parsed() {
        assert_eq!(parse("2026-02-22"), Some(date(2026, 2, 22)));
        assert_eq!(parse(" 2026-02-22T23:59:00Z "), Some(date(2026, 2, 22)));
        assert_eq!(parse("2026-02-22T23:59:00-05:00"), Some(date(2026, 2, 23)));
        assert_eq!(parse("yesterday"), None);
        assert_eq!(end_of_day(date(2026, 2, 22)).to_string(), "2026-02-22T23:59:59.999999999Z");
    }

    #[test]
    fn day_numbers_round_trip() {
        for day in [date(1969, 12, 31), date(1970, 1, 1), date(2026, 11, 15), Date::MAX, Date::MIN]
        {
            assert_eq!(from_number(to_number(day)), Some(day));
        }
        assert_eq!(to_number(date(1970, 2, 1)), 31);
        assert_eq!(from_number(i32::MAX), None);
    }
}
