//! Numbers in words.

/// Numbers in words with their values, sorted by spelling.
const NUMBERS: &[(&str, f64)] = &[
    ("billion", 1e9),
    ("dozen", 12.0),
    ("eight", 8.0),
    ("eighteen", 18.0),
    ("eighty", 80.0),
    ("eleven", 11.0),
    ("fifteen", 15.0),
    ("fifty", 50.0),
    ("five", 5.0),
    ("forty", 40.0),
    ("four", 4.0),
    ("fourteen", 14.0),
    ("hundred", 100.0),
    ("million", 1e6),
    ("nine", 9.0),
    ("nineteen", 19.0),
    ("ninety", 90.0),
    ("one", 1.0),
    ("seven", 7.0),
    ("seventeen", 17.0),
    ("seventy", 70.0),
    ("single", 1.0),
    ("six", 6.0),
    ("sixteen", 16.0),
    ("sixty", 60.0),
    ("ten", 10.0),
    ("thirteen", 13.0),
    ("thirty", 30.0),
    ("thousand", 1000.0),
    ("three", 3.0),
    ("twelve", 12.0),
    ("twenty", 20.0),
    ("two", 2.0),
    ("zero", 0.0),
];

/// Returns the value of a number in words.
pub(super) fn number_word(word: &str) -> Option<f64> {
    let at = NUMBERS.binary_search_by(|(spelling, _)| (*spelling).cmp(word)).ok()?;
    Some(NUMBERS[at].1)
}

/// Adds the next word of a number to those before it: `twenty` `four`, `two` `hundred`. Returns `None` if it begins a number
/// of its own.
pub(super) fn join(before: f64, next: f64) -> Option<f64> {
    match next {
        _ if next >= 100.0 => Some(before * next),
        _ if next == 12.0 && before < 100.0 => Some(before * next),
        _ if (20.0..100.0).contains(&before) && before % 10.0 == 0.0 && next < 10.0 => {
            Some(before + next)
        }
        _ if before >= 100.0 && before % 100.0 == 0.0 && next < 100.0 => Some(before + next),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words_are_joined() {
        assert!(NUMBERS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(number_word("twenty"), Some(20.0));
        assert_eq!(number_word("twentyish"), None);
        assert_eq!(join(20.0, 4.0), Some(24.0));
        assert_eq!(join(2.0, 100.0), Some(200.0));
        assert_eq!(join(200.0, 15.0), Some(215.0));
        assert_eq!(join(2.0, 3.0), None);
    }
}
