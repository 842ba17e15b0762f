//! Reads the amounts, versions, times of day and frequencies that a statement names, in a form in which they compare.

use super::groups::is_product;
use super::number::{Bound, Number, clock, number, version_number};
use super::number_words::{join, number_word};
use super::token::Token;
use super::unit::{Dimension, Unit, period, unit};

/// An amount that a statement names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    /// What is measured.
    pub(super) dimension: Dimension,
    /// The stems of what is counted, or the name of what has the version; may be empty.
    pub(super) of: Vec<String>,
    /// The value in the unit of the dimension; of a range, the lower end.
    pub(super) low: f64,
    /// The upper end of a range, else the value.
    pub(super) high: f64,
    /// Whether the value is a limit.
    pub(super) bound: Bound,
    /// The first and the last of its words.
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Words between a number and its unit.
const BETWEEN_NUMBER_AND_UNIT: [&str; 8] =
    ["business", "calendar", "consecutive", "full", "more", "straight", "whole", "working"];

/// Words after which a unit says how often: `10 per minute`.
const EACH: [&str; 6] = ["a", "an", "each", "every", "in", "per"];

/// The most words that say what is counted.
const MAX_COUNTED_WORDS: usize = 3;

/// How many words before a number say that it is a limit.
const BOUND_REACH: usize = 3;

/// Returns the amounts in a statement, in order.
pub(super) fn quantities(tokens: &[Token<'_>]) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match read(tokens, at) {
            Some(quantity) => {
                at = quantity.last + 1;
                found.push(quantity);
            }
            None => at += 1,
        }
    }
    found
}

fn lower<'t>(tokens: &'t [Token<'_>], at: usize) -> &'t str {
    tokens.get(at).map_or("", |token| &token.lower)
}

fn before<'t>(tokens: &'t [Token<'_>], at: usize) -> &'t str {
    at.checked_sub(1).map_or("", |before| lower(tokens, before))
}

fn read(tokens: &[Token<'_>], at: usize) -> Option<Quantity> {
    let word = lower(tokens, at);
    let plain = |dimension, value: f64, last| Quantity {
        dimension,
        of: vec![],
        low: value,
        high: value,
        bound: Bound::Exact,
        first: at,
        last,
    };
    match word {
        "noon" => return Some(plain(Dimension::Clock, 720.0, at)),
        "midnight" => return Some(plain(Dimension::Clock, 0.0, at)),
        "once" | "twice" => {
            let times = if word == "once" { 1.0 } else { 2.0 };
            let (last, span) = span_of_rate(tokens, at + 1)?;
            return Some(plain(Dimension::Rate, times / span, last));
        }
        "every" | "each" => return read_period(tokens, at),
        "a" | "an" | "half" | "quarter" => return read_part(tokens, at),
        _ => {}
    }
    if let Some(span) = period(word) {
        return Some(plain(Dimension::Rate, 1.0 / span, at));
    }
    let (read, last) = read_number(tokens, at)?;
    read_amount(tokens, at, last, read)
}

/// Reads a number in digits or words. Returns it with its last word.
fn read_number(tokens: &[Token<'_>], at: usize) -> Option<(Number, usize)> {
    let word = lower(tokens, at);
    let (mut read, mut last) = match number(word) {
        Some(read) => (read, at),
        None => {
            let mut value =
                number_word(word).filter(|_| word != "one" || is_counted(tokens, at))?;
            let mut last = at;
            while let Some(joined) =
                number_word(lower(tokens, last + 1)).and_then(|next| join(value, next))
            {
                value = joined;
                last += 1;
            }
            (Number { value, end: value, bound: Bound::Exact, unit: None }, last)
        }
    };
    let next = lower(tokens, last + 1);
    if read.unit.is_none()
        && let Some(parts) = parts_of_a_whole(next)
    {
        read.unit = unit("%");
        (read.value, read.end) = (100.0 * read.value / parts, 100.0 * read.end / parts);
        return Some((read, last + 1));
    }
    let is_group = next.len() == 3 && next.bytes().all(|byte| byte.is_ascii_digit());
    if is_group && read.unit.is_none() && read.value < 1000.0 && number(word).is_some() {
        // `10 000` is one number.
        read.value = read.value * 1000.0 + next.parse::<f64>().ok()?;
        read.end = read.value;
        return Some((read, last + 1));
    }
    if read.unit.is_none()
        && let Some(factor) = number_word(lower(tokens, last + 1)).filter(|next| *next >= 1000.0)
    {
        read.value *= factor;
        read.end *= factor;
        last += 1;
    }
    Some((read, last))
}

/// Returns how many of the parts that a word names make a whole: ten `tenths`.
fn parts_of_a_whole(word: &str) -> Option<f64> {
    Some(match word {
        "halves" => 2.0,
        "thirds" => 3.0,
        "quarters" | "fourths" => 4.0,
        "fifths" | "fifth" => 5.0,
        "eighths" | "eighth" => 8.0,
        "tenths" | "tenth" => 10.0,
        "hundredths" | "hundredth" => 100.0,
        _ => return None,
    })
}

/// Returns whether `one` counts something: `one server`, but not `no one` or `one of them`.
fn is_counted(tokens: &[Token<'_>], at: usize) -> bool {
    let is_pronoun = ["any", "each", "every", "no", "that", "the", "this", "which"]
        .contains(&before(tokens, at));
    let is_share = matches!(lower(tokens, at + 1), "in" | "out");
    !is_pronoun && (is_share || tokens.get(at + 1).is_some_and(Token::is_content))
}

/// Reads what follows a number: its unit, the other end of a range, what is counted, and how often.
fn read_amount(
    tokens: &[Token<'_>],
    first: usize,
    mut last: usize,
    mut read: Number,
) -> Option<Quantity> {
    let mut found_unit = read.unit;
    if let Some(share) = share_of(tokens, last, read) {
        return Some(Quantity { first, ..share });
    }
    let is_range_word = matches!(lower(tokens, last + 1), "to" | "and" | "or")
        && (lower(tokens, last + 1) == "to" || before(tokens, first) == "between");
    if is_range_word
        && let Some((end, end_last)) = read_number(tokens, last + 2)
        && end.value >= read.value
    {
        (read.end, read.bound, last) = (end.value, Bound::Between, end_last);
        found_unit = found_unit.or(end.unit);
    }
    if found_unit.is_none() {
        (found_unit, last) = unit_after(tokens, last);
    }
    if let Some(time) = time_of_day(tokens, first, last, read.value) {
        return Some(time);
    }
    let mut of = vec![];
    let mut dimension = match found_unit {
        Some(unit) => unit.dimension,
        None => Dimension::Count,
    };
    if found_unit.is_none() || dimension == Dimension::Version {
        match versioned_name(tokens, first, last) {
            Some(name) => {
                if dimension == Dimension::Count {
                    let value = version_number(lower(tokens, first))?;
                    (read.value, read.end) = (value, value);
                }
                (dimension, of) = (Dimension::Version, vec![name]);
            }
            None if dimension == Dimension::Count && is_year(tokens, first, read.value) => {
                return None;
            }
            None => {}
        }
    }
    let factor = found_unit.map_or(1.0, |unit| unit.factor);
    let bound = match read.bound {
        Bound::Exact => bound_of(tokens, first, last),
        bound => bound,
    };
    let (mut low, mut high) = (read.value * factor, read.end * factor);
    let is_counted = dimension == Dimension::Count;
    if is_counted {
        of = counted_things(tokens, last);
    }
    if is_counted && of.is_empty() && low > 0.0 && high < 1.0 {
        // `0.6` of something is 60 %.
        (dimension, low, high) = (Dimension::Percent, low * 100.0, high * 100.0);
    }
    let has_rate = is_counted || dimension == Dimension::Data || is_money(dimension);
    let rate = |words: usize| span_of_rate(tokens, last + 1 + words).filter(|_| has_rate);
    if let Some((rate_last, span)) = (0..=of.len()).find_map(rate) {
        if !is_counted {
            of = vec![format!("{dimension:?}")];
        } else if of.first().is_some_and(|thing| thing == "time") {
            of.clear();
        }
        (low, high) = (low / span, high / span);
        (dimension, last) = (Dimension::Rate, rate_last);
    }
    Some(Quantity { dimension, of, low, high, bound, first, last })
}

/// Returns the stems of the words after a number, up to the end of what it counts: `two unchanging public addresses`.
fn counted_things(tokens: &[Token<'_>], last: usize) -> Vec<String> {
    let after = tokens[last + 1..].iter().take_while(|token| token.clause == tokens[last].clause);
    let mut after = after.skip_while(|token| matches!(token.lower.as_str(), "of" | "the"));
    let mut things = Vec::new();
    while let Some(token) = after.next().filter(|token| token.is_content()) {
        things.push(token.stem.clone());
        if things.len() == MAX_COUNTED_WORDS || token.lower.ends_with('s') {
            break;
        }
    }
    things
}

fn is_money(dimension: Dimension) -> bool {
    matches!(dimension, Dimension::Euro | Dimension::Dollar | Dimension::Pound)
}

/// Reads `every 5 minutes` and `every hour`.
fn read_period(tokens: &[Token<'_>], at: usize) -> Option<Quantity> {
    let (value, last) = match (read_number(tokens, at + 1), lower(tokens, at + 1)) {
        (Some((read, last)), _) => (read.value, last),
        (None, "second" | "other") if unit(lower(tokens, at + 2)).is_some() => (2.0, at + 1),
        (None, "third") => (3.0, at + 1),
        (None, _) => (1.0, at),
    };
    let (unit, last) = match tokens.get(at + 1).and_then(|token| number(&token.lower)?.unit) {
        Some(unit) => (unit, last),
        None => {
            let (unit, last) = unit_after(tokens, last);
            (unit?, last)
        }
    };
    let span = Some(value * unit.factor).filter(|span| *span > 0.0)?;
    let is_time = unit.dimension == Dimension::Time;
    is_time.then(|| Quantity {
        dimension: Dimension::Rate,
        of: vec![],
        low: 1.0 / span,
        high: 1.0 / span,
        bound: Bound::Exact,
        first: at,
        last,
    })
}

/// Reads `an hour`, `half a year`, `half of` and `a quarter of an hour`.
fn read_part(tokens: &[Token<'_>], at: usize) -> Option<Quantity> {
    let mut next = at;
    let mut part = 1.0;
    if matches!(lower(tokens, next), "a" | "an") {
        next += 1;
    }
    let (has_part, fraction) = match lower(tokens, next) {
        "half" => (true, 0.5),
        "quarter" => (lower(tokens, next + 1) == "of", 0.25),
        "third" => (lower(tokens, next + 1) == "of", 1.0 / 3.0),
        "tenth" => (lower(tokens, next + 1) == "of", 0.1),
        _ => (false, 1.0),
    };
    let quantity = |dimension, value: f64, last| {
        Some(Quantity {
            dimension,
            of: vec![],
            low: value,
            high: value,
            bound: bound_of(tokens, at, last),
            first: at,
            last,
        })
    };
    if has_part {
        part = fraction;
        next += 1;
        let has_of = lower(tokens, next) == "of";
        next += usize::from(has_of);
        let is_article = matches!(lower(tokens, next), "a" | "an");
        next += usize::from(is_article);
        let found = unit(lower(tokens, next)).filter(|unit| !unit.is_symbol);
        if found.is_none() && (has_of || lower(tokens, next) == "the") {
            return quantity(Dimension::Percent, part * 100.0, next - 1);
        }
        if lower(tokens, next) == "dozen" {
            return quantity(Dimension::Count, 6.0, next);
        }
    } else if lower(tokens, next) == "dozen" {
        return quantity(Dimension::Count, 12.0, next);
    }
    if next == at {
        return None;
    }
    let found = unit(lower(tokens, next)).filter(|unit| !unit.is_symbol)?;
    // `a second reader` counts, and does not measure.
    let is_time = found.dimension == Dimension::Time && lower(tokens, next) != "second";
    match is_time {
        true => quantity(Dimension::Time, part * found.factor, next),
        false => None,
    }
}

/// Reads `one in ten` and `two out of three`, with the first number read already.
fn share_of(tokens: &[Token<'_>], last: usize, part: Number) -> Option<Quantity> {
    let of = match (lower(tokens, last + 1), lower(tokens, last + 2)) {
        ("in", _) => last + 2,
        ("out", "of") => last + 3,
        _ => return None,
    };
    let (whole, last) = read_number(tokens, of)?;
    let is_share = part.unit.is_none() && whole.unit.is_none() && part.value < whole.value;
    let share = 100.0 * part.value / whole.value;
    is_share.then(|| Quantity {
        dimension: Dimension::Percent,
        of: vec![],
        low: share,
        high: share,
        bound: Bound::Exact,
        first: last,
        last,
    })
}

/// Returns the unit after a number, and its last word.
fn unit_after(tokens: &[Token<'_>], last: usize) -> (Option<Unit>, usize) {
    let mut next = last + 1;
    if BETWEEN_NUMBER_AND_UNIT.contains(&lower(tokens, next)) {
        next += 1;
    }
    let is_same_clause = tokens.get(next).is_some_and(|token| token.clause == tokens[last].clause);
    let word = lower(tokens, next);
    // `5 a day` is a rate, and `the 3 s` of a plural is none.
    match unit(word).filter(|_| is_same_clause && word != "us") {
        Some(unit) => (Some(unit), next),
        None => (None, last),
    }
}

/// Returns the span of time after `per` or `a`, and the last word: `per minute`.
fn span_of_rate(tokens: &[Token<'_>], at: usize) -> Option<(usize, f64)> {
    let word = lower(tokens, at);
    let next = at + 1;
    if !EACH.contains(&word) {
        return None;
    }
    if word == "every"
        && let Some((read, last)) = read_number(tokens, next)
    {
        let (unit, last) = unit_after(tokens, last);
        let span = unit.filter(|unit| unit.dimension == Dimension::Time)?.factor * read.value;
        return Some((last, span)).filter(|(_, span)| *span > 0.0);
    }
    let span = unit(lower(tokens, next)).filter(|unit| unit.dimension == Dimension::Time)?;
    (!span.is_symbol || word == "per").then_some((next, span.factor))
}

/// Reads `2 pm` and `two in the morning`.
fn time_of_day(tokens: &[Token<'_>], first: usize, last: usize, hour: f64) -> Option<Quantity> {
    let half = match (lower(tokens, last + 1), lower(tokens, last + 2), lower(tokens, last + 3)) {
        ("am" | "a.m", ..) | ("in", "the", "morning") => "am",
        ("pm" | "p.m", ..) | ("in", "the", "afternoon" | "evening") => "pm",
        ("o'clock", ..) => "",
        _ => return None,
    };
    let is_hour = (0.0..=24.0).contains(&hour) && hour.fract() == 0.0;
    let words = if lower(tokens, last + 1) == "in" { 3 } else { 1 };
    let minutes = clock(hour, half);
    is_hour.then(|| Quantity {
        dimension: Dimension::Clock,
        of: vec![],
        low: minutes,
        high: minutes,
        bound: Bound::Exact,
        first,
        last: last + words,
    })
}

/// Returns the name that a version belongs to: `Python` of `Python 3.12`.
fn versioned_name(tokens: &[Token<'_>], first: usize, last: usize) -> Option<String> {
    let name = tokens.get(first.checked_sub(1)?)?;
    let name = match name.lower.as_str() {
        "version" | "release" => first.checked_sub(2).and_then(|at| tokens.get(at)).unwrap_or(name),
        _ => name,
    };
    let is_number = last == first && lower(tokens, first).starts_with(|c: char| c.is_ascii_digit());
    let is_version = lower(tokens, first).starts_with('v');
    let is_named = name.is_name && name.text.chars().all(char::is_alphanumeric)
        || is_product(&name.lower)
        || is_version && name.is_content();
    ((is_number || is_version) && is_named && name.clause == tokens[first].clause)
        .then(|| name.stem.clone())
}

/// Returns whether a number is a year: `since 2021`.
fn is_year(tokens: &[Token<'_>], first: usize, value: f64) -> bool {
    (1950.0..2100.0).contains(&value)
        && value.fract() == 0.0
        && !lower(tokens, first).contains(',')
        && ["in", "since", "until", "by", "before", "after", "of", "from", "to", "the"]
            .contains(&before(tokens, first))
}

/// Returns how the words around a number limit it.
fn bound_of(tokens: &[Token<'_>], first: usize, last: usize) -> Bound {
    let from = first.saturating_sub(BOUND_REACH);
    let words: Vec<&str> = tokens[from..first].iter().map(|token| token.lower.as_str()).collect();
    let ends_with = |phrase: &[&str]| words.ends_with(phrase);
    let is_denied = words.iter().rev().nth(2).is_some_and(|word| matches!(*word, "no" | "not"))
        || words.iter().rev().nth(2) == Some(&"never");
    let compared = [
        (["than", "more"], Bound::AtLeast),
        (["than", "longer"], Bound::AtLeast),
        (["than", "older"], Bound::AtLeast),
        (["than", "later"], Bound::AtLeast),
        (["than", "larger"], Bound::AtLeast),
        (["than", "fewer"], Bound::AtMost),
        (["than", "less"], Bound::AtMost),
        (["than", "younger"], Bound::AtMost),
        (["than", "smaller"], Bound::AtMost),
    ];
    for ([than, how], bound) in compared {
        if ends_with(&[how, than]) {
            return match (is_denied, bound) {
                (true, Bound::AtLeast) => Bound::AtMost,
                (true, _) => Bound::AtLeast,
                (false, bound) => bound,
            };
        }
    }
    let limits = [
        ["at", "most"],
        ["up", "to"],
        ["limited", "to"],
        ["capped", "at"],
        ["limit", "of"],
        ["limit", "is"],
    ];
    if limits.iter().any(|phrase| ends_with(phrase)) {
        return Bound::AtMost;
    }
    if ends_with(&["at", "least"]) {
        return Bound::AtLeast;
    }
    match words.last().copied().unwrap_or_default() {
        "under" | "below" | "within" | "maximum" | "max" | "until" | "<" | "<=" | "≤" => {
            return Bound::AtMost;
        }
        "over" | "above" | "from" | "exceeding" | "exceeds" | "minimum" | "min" | ">" | ">="
        | "≥" => {
            return Bound::AtLeast;
        }
        _ => {}
    }
    match (lower(tokens, last + 1), lower(tokens, last + 2)) {
        ("or" | "and", "more" | "newer" | "later" | "above" | "over" | "up" | "longer")
        | ("at", "least")
        | ("upwards" | "minimum", _) => Bound::AtLeast,
        ("or" | "and", "less" | "fewer" | "older" | "below" | "shorter" | "under")
        | ("at", "most")
        | ("maximum" | "max", _) => Bound::AtMost,
        _ => Bound::Exact,
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn read_all(text: &str) -> Vec<(Dimension, f64, String)> {
        let found = quantities(&tokens(text));
        found.into_iter().map(|it| (it.dimension, it.low, it.of.join(" "))).collect()
    }

    #[test]
    fn amounts_are_read_in_one_unit() {
        assert_eq!(read_all("times out after 30 seconds"), read_all("a timeout of 30000 ms"));
        assert_eq!(read_all("kept for a year"), read_all("kept for twelve months"));
        assert_eq!(read_all("half an hour"), read_all("thirty minutes"));
        assert_eq!(read_all("every five minutes"), read_all("12 times an hour"));
        assert_eq!(read_all("runs nightly"), read_all("runs once a day"));
        assert_eq!(read_all("three fifths of it"), read_all("60 percent"));
        assert_eq!(read_all("a limit of 0.6"), read_all("60 percent"));
        assert_eq!(read_all("10 000 rows"), read_all("10,000 rows"));
        assert_eq!(
            read_all("5 consecutive failures"),
            [(Dimension::Count, 5.0, "consecut failur".into())]
        );
        assert_eq!(read_all("one in ten requests"), read_all("10 % of requests"));
        assert_eq!(read_all("99.9 % per month"), read_all("99.9 percent availability"));
        assert_eq!(read_all("every second week"), read_all("every two weeks"));
        assert_eq!(read_all("at 2 p.m. sharp"), read_all("at 14:00"));
        assert_eq!(read_all("twenty-four items"), [(Dimension::Count, 24.0, "item".into())]);
        assert_eq!(read_all("1.5 million rows"), [(Dimension::Count, 1.5e6, "row".into())]);
        assert_eq!(
            read_all("600 requests per minute"),
            [(Dimension::Rate, 10.0, "request".into())]
        );
        assert_eq!(read_all("We use Python 3.10"), [(Dimension::Version, 3.01, "python".into())]);
        assert_eq!(read_all("since 2021 no one has it, one of them does"), []);
    }

    #[test]
    fn limits_are_recognised() {
        let bound = |text: &str| quantities(&tokens(text))[0].bound;
        for text in [
            "at most 5 users",
            "up to 5",
            "limited to 5",
            "no more than 5",
            "within 5 s",
            "5 MB or less",
        ] {
            assert_eq!(bound(text), Bound::AtMost, "{text}");
        }
        for text in ["at least 5", "no fewer than 5", "more than 5", "Node 20 or newer", "5+"] {
            assert_eq!(bound(text), Bound::AtLeast, "{text}");
        }
        assert_eq!(bound("between 5 and 10 replicas"), Bound::Between);
        assert_eq!(bound("from 5 to 10 replicas"), Bound::Between);
        assert_eq!(bound("after 5 s"), Bound::Exact);
    }
}
