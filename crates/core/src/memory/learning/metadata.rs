//! Reads the title, the date, the category and the tags of an entry as people write them.

use std::collections::HashSet;

use jiff::civil::Date;

use crate::memory::list_item::split_bullet;

/// A line of metadata.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Metadata {
    Category(String),
    Tags(Vec<String>),
    /// A date, or a text that is none.
    Date(String),
}

/// The labels of metadata, in lower case.
const CATEGORY_LABELS: [&str; 2] = ["category", "categories"];
const TAGS_LABELS: [&str; 2] = ["tags", "tag"];
const DATE_LABELS: [&str; 1] = ["date"];

/// Characters around a label, a tag or a date that are markup.
const EMPHASIS: [char; 3] = ['*', '_', '`'];

/// Parses a line such as `**Category:** tooling`, also as an item of a list.
pub(super) fn parse(line: &str) -> Option<Metadata> {
    let line = split_bullet(line.trim_start()).map_or(line, |(_, content)| content).trim();
    let (label, value) = line.split_once(':')?;
    let label = label.trim_matches(EMPHASIS).trim().to_ascii_lowercase();
    let value = value.trim_start_matches(['*', '_']).trim();
    if CATEGORY_LABELS.contains(&label.as_str()) {
        return Some(Metadata::Category(value.trim_matches(EMPHASIS).trim().to_owned()));
    }
    if TAGS_LABELS.contains(&label.as_str()) {
        return Some(Metadata::Tags(split_tags(value)));
    }
    let is_date = DATE_LABELS.contains(&label.as_str());
    is_date.then(|| Metadata::Date(value.trim_matches(EMPHASIS).trim().to_owned()))
}

/// Splits `a, b`, `[a, b]` or `#a #b` into tags.
fn split_tags(value: &str) -> Vec<String> {
    let value = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(value);
    let is_hash_list = value.split_whitespace().all(|word| word.starts_with('#'));
    let separators: &[char] = if is_hash_list { &[',', ' ', '\t'] } else { &[','] };
    let clean = |tag: &str| {
        tag.trim().trim_matches(['`', '"', '\'']).trim_start_matches('#').trim().to_owned()
    };
    unique_tags(value.split(separators).map(clean).filter(|tag| !tag.is_empty()))
}

/// Returns each tag once, whatever its case.
pub(super) fn unique_tags(tags: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    tags.filter(|tag| seen.insert(tag.to_lowercase())).collect()
}

/// A title with the date that stands before or after it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct DatedTitle<'t> {
    /// The title without the date.
    pub(super) title: &'t str,
    /// The text in the place of the date, which may be no date.
    pub(super) date: Option<&'t str>,
}

/// Length of a date such as 2026-02-08.
const DATE_BYTES: usize = 10;

/// Splits `[2026-02-08] Title`, `2026-02-08: Title` or `Title (2026-02-08)`.
pub(super) fn split_title(text: &str) -> DatedTitle<'_> {
    let text = text.trim();
    if let Some((date, rest)) = split_leading_date(text) {
        let rest = rest.trim_start();
        // A title may itself begin with such a character: `-O3 is slower`.
        let bare = rest.trim_start_matches([':', '-', '–', '—', '|']);
        let title =
            if bare.is_empty() || bare.starts_with(' ') { bare.trim() } else { rest.trim() };
        return DatedTitle { title, date: Some(date) };
    }
    for (open, close) in [('(', ')'), ('[', ']')] {
        let inside = text.strip_suffix(close).and_then(|text| text.rsplit_once(open));
        if let Some((title, date)) = inside.filter(|(_, date)| looks_like_date(date)) {
            return DatedTitle { title: title.trim(), date: Some(date) };
        }
    }
    DatedTitle { title: text, date: None }
}

/// Splits off a date in brackets, in emphasis or alone.
fn split_leading_date(text: &str) -> Option<(&str, &str)> {
    for (open, close) in [("[", "]"), ("(", ")"), ("**", "**"), ("`", "`")] {
        let inside = text.strip_prefix(open).and_then(|rest| rest.split_once(close));
        if let Some((date, rest)) = inside.filter(|(date, _)| looks_like_date(date)) {
            return Some((date.trim().trim_end_matches(':'), rest));
        }
    }
    let date = text.get(..DATE_BYTES)?;
    let rest = &text[DATE_BYTES..];
    let is_whole = !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    (looks_like_date(date) && is_whole).then_some((date, rest))
}

/// Returns whether a text has the form of a date: four, two and two digits, or one. It may be no day of the calendar.
fn looks_like_date(text: &str) -> bool {
    let mut parts = text.trim().trim_end_matches(':').split('-');
    let mut has_digits = |lengths: std::ops::RangeInclusive<usize>| {
        parts.next().is_some_and(|part| {
            lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    has_digits(4..=4) && has_digits(1..=2) && has_digits(1..=2) && parts.next().is_none()
}

/// Parses a date, whose month and day may have one digit.
pub(super) fn parse_date(text: &str) -> Option<Date> {
    if !looks_like_date(text) {
        return crate::day::parse(text);
    }
    let mut parts = text.trim().trim_end_matches(':').split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read_with_and_without_markup() {
        let category = |text: &str| Some(Metadata::Category(text.to_owned()));
        for line in [
            "**Category:** tooling",
            "**Category**: tooling",
            "- Category: `tooling`",
            "category:tooling",
        ] {
            assert_eq!(parse(line), category("tooling"), "{line}");
        }
        let tags = Some(Metadata::Tags(vec!["a b".into(), "c".into()]));
        for line in ["**Tags:** a b, c", "Tags: [a b, `c`, C]", "* **Tags**: #a b, #c,"] {
            assert_eq!(parse(line), tags, "{line}");
        }
        assert_eq!(parse("Tags: #x #y"), Some(Metadata::Tags(vec!["x".into(), "y".into()])));
        assert_eq!(parse("Categorically: no"), None);
    }

    #[test]
    fn the_date_of_a_title_stands_before_or_after_it() {
        for text in [
            "[2026-02-08] Use X",
            "2026-02-08: Use X",
            "2026-02-08 — Use X",
            "**2026-02-08** Use X",
            "Use X (2026-02-08)",
            "Use X [2026-02-08]",
        ] {
            let expected = DatedTitle { title: "Use X", date: Some("2026-02-08") };
            assert_eq!(split_title(text), expected, "{text}");
        }
        assert_eq!(split_title("[2026-02-08] -O3 is slower").title, "-O3 is slower");
        assert_eq!(split_title("[2026-13-08] X").date, Some("2026-13-08"));
        assert_eq!(split_title("2026-02-08T00 X").date, None);
        assert_eq!(split_title("[x](y) and z").title, "[x](y) and z");
        assert_eq!(parse_date("2026-2-8"), Some(jiff::civil::date(2026, 2, 8)));
        assert_eq!(parse_date("2026-02-30"), None);
    }
}
