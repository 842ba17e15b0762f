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
}
