//! Units of measurement, and how they convert into each other.

/// What is measured. Only amounts of the same dimension can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Dimension {
    /// A number of things, or a number without a unit.
    Count,
    /// A span of time, in seconds.
    Time,
    /// How often something happens, per second.
    Rate,
    /// An amount of data, in bytes.
    Data,
    /// Parts of a hundred.
    Percent,
    /// Money in one of the currencies.
    Euro,
    Dollar,
    Pound,
    /// Hertz.
    Frequency,
    /// Metres.
    Length,
    /// Grams.
    Mass,
    /// Degrees, Celsius or of an angle.
    Degree,
    /// Kelvin.
    Kelvin,
    /// Pixels.
    Pixel,
    /// Dots per inch.
    Resolution,
    /// Bits, of a number or a key.
    Bit,
    /// Volt, watt, ampere, bar, decibel and litre.
    Volt,
    Watt,
    Ampere,
    Pressure,
    Decibel,
    Litre,
    /// Speeds in metres per second.
    Speed,
    /// A time of day, in minutes after midnight.
    Clock,
    /// A version of what the number follows.
    Version,
    /// A place in an order.
    Ordinal,
}

/// A unit: its dimension, and what one of it is in the unit of that dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    pub(super) dimension: Dimension,
    pub(super) factor: f64,
    /// Whether it is written after a number only: `5 h`, but not `h`.
    pub(super) is_symbol: bool,
}

const MINUTE: f64 = 60.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;
const YEAR: f64 = 365.25 * DAY;
const KILO: f64 = 1024.0;

const WORD: bool = false;
const SYMBOL: bool = true;

/// Units by their spelling, sorted.
const UNITS: &[(&str, Dimension, f64, bool)] = &[
    ("%", Dimension::Percent, 1.0, SYMBOL),
    ("amp", Dimension::Ampere, 1.0, WORD),
    ("ampere", Dimension::Ampere, 1.0, WORD),
    ("amps", Dimension::Ampere, 1.0, WORD),
    ("bar", Dimension::Pressure, 1.0, SYMBOL),
    ("bit", Dimension::Bit, 1.0, SYMBOL),
    ("bits", Dimension::Bit, 1.0, SYMBOL),
    ("byte", Dimension::Data, 1.0, WORD),
    ("bytes", Dimension::Data, 1.0, WORD),
    ("cent", Dimension::Euro, 0.01, WORD),
    ("centimetre", Dimension::Length, 0.01, WORD),
    ("centimetres", Dimension::Length, 0.01, WORD),
    ("cents", Dimension::Euro, 0.01, WORD),
    ("cm", Dimension::Length, 0.01, SYMBOL),
    ("d", Dimension::Time, DAY, SYMBOL),
    ("day", Dimension::Time, DAY, WORD),
    ("days", Dimension::Time, DAY, WORD),
    ("db", Dimension::Decibel, 1.0, SYMBOL),
    ("decade", Dimension::Time, 10.0 * YEAR, WORD),
    ("decibels", Dimension::Decibel, 1.0, WORD),
    ("degree", Dimension::Degree, 1.0, WORD),
    ("degrees", Dimension::Degree, 1.0, WORD),
    ("dollar", Dimension::Dollar, 1.0, WORD),
    ("dollars", Dimension::Dollar, 1.0, WORD),
    ("dpi", Dimension::Resolution, 1.0, SYMBOL),
    ("eur", Dimension::Euro, 1.0, SYMBOL),
    ("euro", Dimension::Euro, 1.0, WORD),
    ("euros", Dimension::Euro, 1.0, WORD),
    ("fortnight", Dimension::Time, 14.0 * DAY, WORD),
    ("fps", Dimension::Rate, 1.0, SYMBOL),
    ("g", Dimension::Mass, 1.0, SYMBOL),
    ("gb", Dimension::Data, KILO * KILO * KILO, SYMBOL),
    ("gb/s", Dimension::Rate, KILO * KILO * KILO * 8.0, SYMBOL),
    ("gbit", Dimension::Bit, 1e9, SYMBOL),
    ("gbit/s", Dimension::Rate, 1e9, SYMBOL),
    ("gbp", Dimension::Pound, 1.0, SYMBOL),
    ("ghz", Dimension::Frequency, 1e9, SYMBOL),
    ("gib", Dimension::Data, KILO * KILO * KILO, SYMBOL),
    ("gigabits", Dimension::Bit, 1e9, WORD),
    ("gigabyte", Dimension::Data, KILO * KILO * KILO, WORD),
    ("gigabytes", Dimension::Data, KILO * KILO * KILO, WORD),
    ("gram", Dimension::Mass, 1.0, WORD),
    ("grams", Dimension::Mass, 1.0, WORD),
    ("h", Dimension::Time, HOUR, SYMBOL),
    ("hour", Dimension::Time, HOUR, WORD),
    ("hours", Dimension::Time, HOUR, WORD),
    ("hr", Dimension::Time, HOUR, SYMBOL),
    ("hrs", Dimension::Time, HOUR, SYMBOL),
    ("hz", Dimension::Frequency, 1.0, SYMBOL),
    ("k", Dimension::Kelvin, 1.0, SYMBOL),
    ("kb", Dimension::Data, KILO, SYMBOL),
    ("kbit", Dimension::Bit, 1e3, SYMBOL),
    ("kbit/s", Dimension::Rate, 1e3, SYMBOL),
    ("kelvin", Dimension::Kelvin, 1.0, WORD),
    ("kg", Dimension::Mass, 1000.0, SYMBOL),
    ("khz", Dimension::Frequency, 1e3, SYMBOL),
    ("kib", Dimension::Data, KILO, SYMBOL),
    ("kilobits", Dimension::Bit, 1e3, WORD),
    ("kilobyte", Dimension::Data, KILO, WORD),
    ("kilobytes", Dimension::Data, KILO, WORD),
    ("kilogram", Dimension::Mass, 1000.0, WORD),
    ("kilograms", Dimension::Mass, 1000.0, WORD),
    ("kilometre", Dimension::Length, 1000.0, WORD),
    ("kilometres", Dimension::Length, 1000.0, WORD),
    ("km", Dimension::Length, 1000.0, SYMBOL),
    ("km/h", Dimension::Speed, 1000.0 / HOUR, SYMBOL),
    ("kmh", Dimension::Speed, 1000.0 / HOUR, SYMBOL),
    ("kv", Dimension::Volt, 1000.0, SYMBOL),
    ("kw", Dimension::Watt, 1000.0, SYMBOL),
    ("l", Dimension::Litre, 1.0, SYMBOL),
    ("litre", Dimension::Litre, 1.0, WORD),
    ("litres", Dimension::Litre, 1.0, WORD),
    ("m", Dimension::Length, 1.0, SYMBOL),
    ("m/s", Dimension::Speed, 1.0, SYMBOL),
    ("ma", Dimension::Ampere, 0.001, SYMBOL),
    ("mb", Dimension::Data, KILO * KILO, SYMBOL),
    ("mb/s", Dimension::Rate, KILO * KILO * 8.0, SYMBOL),
    ("mbit", Dimension::Bit, 1e6, SYMBOL),
    ("mbit/s", Dimension::Rate, 1e6, SYMBOL),
    ("megabits", Dimension::Bit, 1e6, WORD),
    ("megabyte", Dimension::Data, KILO * KILO, WORD),
    ("megabytes", Dimension::Data, KILO * KILO, WORD),
    ("meter", Dimension::Length, 1.0, WORD),
    ("meters", Dimension::Length, 1.0, WORD),
    ("metre", Dimension::Length, 1.0, WORD),
    ("metres", Dimension::Length, 1.0, WORD),
    ("mg", Dimension::Mass, 0.001, SYMBOL),
    ("mhz", Dimension::Frequency, 1e6, SYMBOL),
    ("mib", Dimension::Data, KILO * KILO, SYMBOL),
    ("microsecond", Dimension::Time, 1e-6, WORD),
    ("microseconds", Dimension::Time, 1e-6, WORD),
    ("millimetre", Dimension::Length, 0.001, WORD),
    ("millimetres", Dimension::Length, 0.001, WORD),
    ("millis", Dimension::Time, 0.001, WORD),
    ("millisecond", Dimension::Time, 0.001, WORD),
    ("milliseconds", Dimension::Time, 0.001, WORD),
    ("min", Dimension::Time, MINUTE, SYMBOL),
    ("mins", Dimension::Time, MINUTE, SYMBOL),
    ("minute", Dimension::Time, MINUTE, WORD),
    ("minutes", Dimension::Time, MINUTE, WORD),
    ("ml", Dimension::Litre, 0.001, SYMBOL),
    ("mm", Dimension::Length, 0.001, SYMBOL),
    ("month", Dimension::Time, YEAR / 12.0, WORD),
    ("months", Dimension::Time, YEAR / 12.0, WORD),
    ("ms", Dimension::Time, 0.001, SYMBOL),
    ("msec", Dimension::Time, 0.001, SYMBOL),
    ("mv", Dimension::Volt, 0.001, SYMBOL),
    ("mw", Dimension::Watt, 1e6, SYMBOL),
    ("night", Dimension::Time, DAY, WORD),
    ("nights", Dimension::Time, DAY, WORD),
    ("nm", Dimension::Length, 1e-9, SYMBOL),
    ("ns", Dimension::Time, 1e-9, SYMBOL),
    ("pct", Dimension::Percent, 1.0, SYMBOL),
    ("percent", Dimension::Percent, 1.0, SYMBOL),
    ("petabytes", Dimension::Data, KILO * KILO * KILO * KILO * KILO, WORD),
    ("pixel", Dimension::Pixel, 1.0, WORD),
    ("pixels", Dimension::Pixel, 1.0, WORD),
    ("pound", Dimension::Pound, 1.0, WORD),
    ("pounds", Dimension::Pound, 1.0, WORD),
    ("ppi", Dimension::Resolution, 1.0, SYMBOL),
    ("ppm", Dimension::Percent, 1e-4, SYMBOL),
    ("px", Dimension::Pixel, 1.0, SYMBOL),
    ("qps", Dimension::Rate, 1.0, SYMBOL),
    ("quarter", Dimension::Time, YEAR / 4.0, WORD),
    ("quarters", Dimension::Time, YEAR / 4.0, WORD),
    ("rpm", Dimension::Rate, 1.0 / MINUTE, SYMBOL),
    ("rps", Dimension::Rate, 1.0, SYMBOL),
    ("s", Dimension::Time, 1.0, SYMBOL),
    ("sec", Dimension::Time, 1.0, SYMBOL),
    ("second", Dimension::Time, 1.0, WORD),
    ("seconds", Dimension::Time, 1.0, WORD),
    ("secs", Dimension::Time, 1.0, SYMBOL),
    ("tb", Dimension::Data, KILO * KILO * KILO * KILO, SYMBOL),
    ("terabyte", Dimension::Data, KILO * KILO * KILO * KILO, WORD),
    ("terabytes", Dimension::Data, KILO * KILO * KILO * KILO, WORD),
    ("tib", Dimension::Data, KILO * KILO * KILO * KILO, SYMBOL),
    ("tonne", Dimension::Mass, 1e6, WORD),
    ("tonnes", Dimension::Mass, 1e6, WORD),
    ("us", Dimension::Time, 1e-6, SYMBOL),
    ("usd", Dimension::Dollar, 1.0, SYMBOL),
    ("v", Dimension::Volt, 1.0, SYMBOL),
    ("volt", Dimension::Volt, 1.0, WORD),
    ("volts", Dimension::Volt, 1.0, WORD),
    ("w", Dimension::Watt, 1.0, SYMBOL),
    ("watt", Dimension::Watt, 1.0, WORD),
    ("watts", Dimension::Watt, 1.0, WORD),
    ("week", Dimension::Time, 7.0 * DAY, WORD),
    ("weeks", Dimension::Time, 7.0 * DAY, WORD),
    ("x", Dimension::Count, 1.0, SYMBOL),
    ("y", Dimension::Time, YEAR, SYMBOL),
    ("year", Dimension::Time, YEAR, WORD),
    ("years", Dimension::Time, YEAR, WORD),
    ("°c", Dimension::Degree, 1.0, SYMBOL),
    ("µm", Dimension::Length, 1e-6, SYMBOL),
    ("µs", Dimension::Time, 1e-6, SYMBOL),
    ("€", Dimension::Euro, 1.0, SYMBOL),
];

/// How often something happens, with the span of time after which it happens again, sorted.
const FREQUENCIES: &[(&str, f64)] = &[
    ("annually", YEAR),
    ("daily", DAY),
    ("fortnightly", 14.0 * DAY),
    ("hourly", HOUR),
    ("monthly", YEAR / 12.0),
    ("nightly", DAY),
    ("quarterly", YEAR / 4.0),
    ("weekly", 7.0 * DAY),
    ("yearly", YEAR),
];

/// Returns the unit that a word in lower case names.
pub(super) fn unit(word: &str) -> Option<Unit> {
    let at = UNITS.binary_search_by(|(spelling, ..)| (*spelling).cmp(word)).ok()?;
    let (_, dimension, factor, is_symbol) = UNITS[at];
    Some(Unit { dimension, factor, is_symbol })
}

/// Returns the span of time between two events that happen as often as a word says: `daily`.
pub(super) fn period(word: &str) -> Option<f64> {
    let at = FREQUENCIES.binary_search_by(|(spelling, _)| (*spelling).cmp(word)).ok()?;
    Some(FREQUENCIES[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_by_their_spelling() {
        assert!(UNITS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(FREQUENCIES.is_sorted_by(|a, b| a.0 < b.0));
        let seconds = |word: &str| unit(word).map(|unit| unit.factor);
        assert_eq!(seconds("hours"), Some(3600.0));
        assert_eq!(seconds("ms").map(|it| it * 30_000.0), seconds("s").map(|it| it * 30.0));
        assert_eq!(seconds("months").map(|it| it * 12.0), seconds("year"));
        assert_eq!(unit("cats"), None);
        assert_eq!(period("nightly"), period("daily"));
    }
}
