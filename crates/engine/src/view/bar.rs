//! A bar that shows how a whole is divided.

use super::{Role, Span, View, span};

/// The width of the bar in characters.
const BAR_CHARS: usize = 50;

/// The characters of the parts, in order; they differ without colours too.
const PART_CHARS: [char; 5] = ['█', '▓', '▒', '▚', '▞'];

/// The character of what is left.
const REST_CHAR: char = '·';

/// A part of the whole.
pub(crate) struct BarPart<'p> {
    /// The name.
    pub(crate) name: &'p str,
    /// The size.
    pub(crate) size: usize,
    /// A remark behind it.
    pub(crate) remark: String,
}

/// Adds a bar of the parts and what is left of the whole, and a line for each.
pub(crate) fn bar(view: &mut View, whole: usize, parts: &[BarPart<'_>]) {
    let used: usize = parts.iter().map(|part| part.size).sum();
    let left = whole.saturating_sub(used);
    let mut line = String::new();
    let mut before = 0;
    for (at, part) in parts.iter().enumerate() {
        before += part.size;
        let drawn = line.chars().count();
        // Even a small part is shown.
        let end = cells(before, whole).max(drawn + usize::from(part.size > 0)).min(BAR_CHARS);
        line.extend(std::iter::repeat_n(part_char(at), end - drawn));
    }
    let rest = BAR_CHARS - line.chars().count();
    view.line([
        span(Role::Key, line),
        span(Role::Dim, String::from_iter(std::iter::repeat_n(REST_CHAR, rest))),
    ]);
    let row = |mark: char, name: &str, size: usize, remark: &str| -> Vec<Span> {
        vec![
            span(Role::Key, format!("{mark} {name}")),
            format!("{:>11}", thousands(size)).into(),
            span(Role::Dim, remark),
        ]
    };
    let mut rows: Vec<Vec<Span>> = parts
        .iter()
        .enumerate()
        .map(|(at, part)| row(part_char(at), part.name, part.size, &part.remark))
        .collect();
    rows.push(row(REST_CHAR, "left", left, ""));
    view.table(&[], rows);
}

fn part_char(at: usize) -> char {
    PART_CHARS[at % PART_CHARS.len()]
}

/// Returns how many characters of the bar a size fills.
fn cells(size: usize, whole: usize) -> usize {
    (size * BAR_CHARS).checked_div(whole).unwrap_or(0).min(BAR_CHARS)
}

/// The width of a gauge in characters.
const GAUGE_CHARS: usize = 20;

/// Returns a short bar that shows how far a limit is used; it is full if more is used.
pub(crate) fn gauge(used: usize, limit: usize) -> String {
    let share = if limit == 0 { 1.0 } else { used as f64 / limit as f64 };
    let filled = (share * GAUGE_CHARS as f64).ceil().clamp(0.0, GAUGE_CHARS as f64) as usize;
    let rest = std::iter::repeat_n(REST_CHAR, GAUGE_CHARS - filled);
    std::iter::repeat_n(PART_CHARS[0], filled).chain(rest).collect()
}

/// The characters of a chart of one line, from the smallest number to the greatest. They differ without colours too.
const CHART_CHARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Returns a chart of one line with a character for each number; even a small number differs from none.
pub(crate) fn chart(numbers: &[usize]) -> String {
    let greatest = numbers.iter().copied().max().unwrap_or(0);
    let steps = CHART_CHARS.len() - 1;
    let height = |number: usize| (number * steps).div_ceil(greatest.max(1)).min(steps);
    numbers.iter().map(|number| CHART_CHARS[height(*number)]).collect()
}

/// Formats a number with separators: `12,345`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_fill_the_bar_in_proportion() {
        let mut view = View::new();
        let part = |name, size| BarPart { name, size, remark: String::new() };
        bar(&mut view, 10_000, &[part("agent", 2_000), part("stage", 10), part("project", 3_000)]);
        let shown = view.plain(&crate::view::plain_text);
        let first = shown.lines().next().unwrap();
        let count = |mark: char| first.chars().filter(|c| *c == mark).count();
        let counts = ['█', '▓', '▒', '·'].map(count);
        assert_eq!(counts, [10, 1, 14, 25]);
        assert!(shown.contains("· left"), "{shown}");
        bar(&mut View::new(), 0, &[]);
    }

    #[test]
    fn a_gauge_is_full_at_its_limit() {
        let filled = |used| gauge(used, 50).chars().filter(|c| *c == '█').count();
        assert_eq!([0, 1, 25, 50, 90].map(filled), [0, 1, 10, 20, 20]);
    }

    #[test]
    fn a_chart_has_a_character_for_each_number() {
        assert_eq!(chart(&[0, 1, 50, 100]), "▁▂▅█");
        assert_eq!((chart(&[0, 0]), chart(&[])), ("▁▁".to_owned(), String::new()));
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
