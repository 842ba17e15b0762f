//! Numbers as people read them.

/// Returns a whole number with its thousands set apart.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([7, 999, 1000, 1_234_567].map(count), ["7", "999", "1,000", "1,234,567"]);
    }
}
