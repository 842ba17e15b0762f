//! Reads numbers in digits, with what is attached to them: `1,500`, `>=22`, `30s`, `v1.2`, `10-20`, `2nd`.

use super::unit::{Dimension, Unit, unit};

/// How a stated number limits what is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bound {
    /// It is this number.
    Exact,
    /// It is this number or less.
    AtMost,
    /// It is this number or more.
    AtLeast,
    /// It is between two numbers.
    Between,
}

/// A number that was read from one word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    /// The value; of a range, the lower end.
    pub(super) value: f64,
    /// The upper end of a range, else the value.
    pub(super) end: f64,
    /// What the signs at the number say.
    pub(super) bound: Bound,
    /// The unit that is attached to it.
    pub(super) unit: Option<Unit>,
}

const PLAIN: f64 = 1.0;

/// Reads a word in lower case as a number.
pub(super) fn number(word: &str) -> Option<Number> {
    let (word, bound) = strip_comparison(word);
    let (word, currency) = strip_currency(word);
    let version = word.strip_prefix('v').filter(|rest| rest.starts_with(is_digit));
    let (digits, is_negative) = match word.strip_prefix(['-', '−', '+']) {
        Some(rest) if rest.starts_with(is_digit) => (rest, !word.starts_with('+')),
        _ => (version.unwrap_or(word), false),
    };
    if !digits.starts_with(is_digit) {
        return None;
    }
    let (value, rest) = leading_number(digits)?;
    let sign = if is_negative { -1.0 } else { 1.0 };
    let value = value * sign;
    let of = |dimension, factor| Some(Unit { dimension, factor, is_symbol: true });
    let exact = |value, unit| Some(Number { value, end: value, bound, unit });
    if version.is_some() || rest.starts_with('.') {
        let version = version_number(digits)?;
        return exact(version, of(Dimension::Version, PLAIN));
    }
    match rest {
        "" => exact(value, currency),
        "+" => Some(Number { value, end: value, bound: Bound::AtLeast, unit: None }),
        "k" => exact(value * 1000.0, currency),
        "m" => exact(value, unit("min")),
        "st" | "nd" | "rd" | "th" => exact(value, of(Dimension::Ordinal, PLAIN)),
        "p" => exact(value, unit("px")),
        "am" | "pm" => exact(clock(value, rest), of(Dimension::Clock, PLAIN)),
        _ if rest.starts_with(':') => {
            let minutes = rest[1..].get(..2)?.parse::<f64>().ok().filter(|it| *it < 60.0)?;
            exact(value * 60.0 + minutes, of(Dimension::Clock, PLAIN))
        }
        _ if rest.starts_with(['-', '–']) => {
            let rest = rest.trim_start_matches(['-', '–']);
            let (end, tail) = leading_number(rest).filter(|(end, _)| *end >= value)?;
            let unit = if tail.is_empty() { currency } else { Some(unit(tail)?) };
            Some(Number { value, end, bound: Bound::Between, unit })
        }
        _ => exact(value, Some(unit(rest)?)),
    }
}

/// Returns a time of day in minutes after midnight.
pub(super) fn clock(hour: f64, half: &str) -> f64 {
    match half {
        "pm" if hour < 12.0 => (hour + 12.0) * 60.0,
        "am" if hour >= 12.0 => 0.0,
        _ => hour * 60.0,
    }
}

/// Returns a version as one number; only versions with equal numbers are equal.
pub(super) fn version_number(text: &str) -> Option<f64> {
    let mut parts = text.trim_end_matches('.').split('.').map(|part| {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|part| *part < 100_000)
    });
    let mut version = f64::from(parts.next()??);
    let mut weight = 1.0;
    for part in parts.take(2) {
        weight /= 1000.0;
        version += f64::from(part?) * weight;
    }
    Some(version)
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn strip_comparison(word: &str) -> (&str, Bound) {
    let rest = word.trim_start_matches(['<', '>', '=', '≥', '≤', '~', '^']);
    let bound = match &word[..word.len() - rest.len()] {
        "<" | "<=" | "≤" => Bound::AtMost,
        ">" | ">=" | "≥" | "^" => Bound::AtLeast,
        _ => Bound::Exact,
    };
    (rest, bound)
}

fn strip_currency(word: &str) -> (&str, Option<Unit>) {
    let of = |dimension| Some(Unit { dimension, factor: PLAIN, is_symbol: true });
    match word.chars().next() {
        Some('$') => (&word[1..], of(Dimension::Dollar)),
        Some('€') => (&word['€'.len_utf8()..], of(Dimension::Euro)),
        Some('£') => (&word['£'.len_utf8()..], of(Dimension::Pound)),
        _ => (word, None),
    }
}

/// Reads the number that a text starts with: digits, perhaps with commas between thousands, and decimals. Returns it with
/// the rest of the text.
fn leading_number(text: &str) -> Option<(f64, &str)> {
    let bytes = text.as_bytes();
    let mut end = 0;
    let mut has_point = false;
    while let Some(byte) = bytes.get(end) {
        let has_digits_after = |count: usize| {
            bytes[end + 1..].get(..count).is_some_and(|next| next.iter().all(u8::is_ascii_digit))
        };
        let is_part = match byte {
            b'0'..=b'9' => true,
            b',' | b'_' => end > 0 && has_digits_after(3) && !has_point,
            b'.' => end > 0 && has_digits_after(1) && !has_point,
            _ => false,
        };
        if !is_part {
            break;
        }
        // A second point belongs to a version.
        has_point |= *byte == b'.';
        end += 1;
    }
    let digits: String = text[..end].chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let value = digits.parse::<f64>().ok().filter(|value| value.is_finite())?;
    Some((value, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(word: &str) -> Option<f64> {
        number(word).map(|number| number.value * number.unit.map_or(1.0, |unit| unit.factor))
    }

    #[test]
    fn numbers_are_read_with_what_is_attached_to_them() {
        assert_eq!(value("1,500"), Some(1500.0));
        assert_eq!(value("30s"), value("30000ms"));
        assert_eq!(value("2h"), value("120min"));
        assert_eq!(value("15m"), Some(900.0));
        assert_eq!(value("-16"), Some(-16.0));
        assert_eq!(value("10:30"), Some(630.0));
        assert_eq!(value("v1.10"), Some(1.01));
        assert_eq!(value("1.2.3"), Some(1.002_003));
        assert_eq!(value("$5"), Some(5.0));
        assert_eq!(number(">=22").map(|it| it.bound), Some(Bound::AtLeast));
        assert_eq!(number("3-5").map(|it| (it.value, it.end)), Some((3.0, 5.0)));
        // Digits are read once: a word of them may be as long as a text.
        assert_eq!(value(&"9".repeat(300_000)), None);
        for word in ["2024-03-01", "5cats", "x86", "", "v", "1e400x", "-", "≥"] {
            assert_eq!(number(word), None, "{word}");
        }
    }
}
