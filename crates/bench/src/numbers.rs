//! Formatting of numbers.

/// Formats a number with thousands separators.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats microseconds as milliseconds.
pub(crate) fn millis(micros: f64) -> String {
    format!("{:.2}", micros / 1000.0)
}

/// Formats a ratio with about three significant digits.
pub(crate) fn ratio(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.3}") } else { format!("{ratio:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        assert_eq!([7, 999, 1000, 1_234_567].map(count), ["7", "999", "1,000", "1,234,567"]);
    }
}
