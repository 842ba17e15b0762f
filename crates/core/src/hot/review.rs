//! The reviews of hot memory: a markdown file with a line for each.

use jiff::civil::Date;

use crate::hot::Size;
use crate::lines::detect_newline;

/// The text before the first review.
const HEADER: &str = "# Reviews of hot memory\n\nEach line is a review of all rules that every conversation loads. `heir hot reviewed` adds it.\n\n";

/// A review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The day.
    pub date: Date,
    /// The person.
    pub by: String,
}

/// Returns the latest review of a list. The order of the lines does not matter, so a merge by union keeps the list valid.
pub fn latest(text: &str) -> Option<Review> {
    let reviews = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix("- ")?;
        let (date, rest) = rest.split_at_checked(10)?;
        let date = date.parse().ok()?;
        let by = rest.strip_prefix(' ').unwrap_or_default().split(": ").next().unwrap_or_default();
        Some(Review { date, by: by.trim().to_owned() })
    });
    reviews.max_by_key(|review| review.date)
}

/// Adds a review to a list; an empty text becomes a new list.
pub fn add(text: &str, date: Date, by: &str, files: usize, size: Size) -> String {
    let newline = detect_newline(text);
    let before = match text {
        "" => HEADER.to_owned(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}{newline}"),
    };
    // A name must not end the line or the field.
    let by: Vec<&str> = by.split_whitespace().collect();
    let by = by.join(" ").replace(": ", " ");
    let by = crate::printable::escape_unprintable(&by);
    let (files_word, lines_word) =
        (if files == 1 { "file" } else { "files" }, if size.lines == 1 { "line" } else { "lines" });
    format!(
        "{before}- {date} {by}: {files} {files_word}, {} {lines_word}, {} tokens{newline}",
        size.lines, size.tokens
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_review_counts_whatever_the_order() {
        let first: Date = "2026-02-01".parse().unwrap();
        let second: Date = "2026-05-03".parse().unwrap();
        let size = Size { lines: 120, tokens: 1_400 };
        let text = add("", second, "Ada: L\n", 3, size);
        assert!(text.ends_with("- 2026-05-03 Ada L: 3 files, 120 lines, 1400 tokens\n"), "{text}");
        let text = add(&text, first, "Bo", 1, size);
        assert_eq!(latest(&text).unwrap().date, second);
        assert_eq!(latest("- soon\n- 2026-13-01 x\n# 2026-01-01\n"), None);
        assert_eq!(latest("- 2026-02-01\r\n").unwrap(), Review { date: first, by: String::new() });
    }
}
