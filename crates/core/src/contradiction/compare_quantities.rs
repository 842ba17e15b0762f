//! Compares the amounts of two statements.

use super::alignment::{Alignment, SYNONYM_MIN_COSINE};
use super::number::Bound;
use super::quantity::Quantity;
use super::statement::Statement;
use super::unit::Dimension;
use crate::consolidation::WordNearness;

/// How many words around an amount say what it is about.
const CONTEXT_WORDS: usize = 4;

/// By how much spans of time may differ that are stated in months or years in one place and in days in the other.
const CALENDAR_TOLERANCE: f64 = 0.02;

/// Spans from which on a month and 30 days are the same, in seconds.
const CALENDAR_MIN_SECONDS: f64 = 27.0 * 86_400.0;

/// How two amounts relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    /// They say the same.
    Equal,
    /// One allows for the other.
    Compatible,
    /// They exclude each other.
    Exclusive,
}

/// Two amounts of which only one can hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ExclusiveAmounts {
    /// The number of the amount in each statement.
    pub(super) a: usize,
    pub(super) b: usize,
    /// The share of the words around them that stand for each other.
    pub(super) context: f32,
}

/// How the amounts of two statements relate.
#[derive(Debug, Default)]
pub(super) struct QuantityComparison {
    /// How many say the same.
    pub(super) equal: usize,
    /// How many differ and can hold together.
    pub(super) compatible: usize,
    /// The greatest share of the words around two of these that stand for each other.
    pub(super) compatible_context: f32,
    /// The same of two equal ones.
    pub(super) equal_context: f32,
    /// Those that exclude each other, the one with most in common around it first.
    pub(super) exclusive: Vec<ExclusiveAmounts>,
    /// How many of each statement have none of the same dimension in the other.
    pub(super) unmatched_a: usize,
    pub(super) unmatched_b: usize,
}

/// Compares the amounts of two statements. Each one is compared with the first that it equals, or else with the one of its
/// dimension that has most in common around it.
pub(super) fn compare_quantities(
    a: &Statement<'_>,
    b: &Statement<'_>,
    alignment: &Alignment,
    nearness: WordNearness<'_>,
) -> QuantityComparison {
    let mut pairs: Vec<(Relation, ExclusiveAmounts)> = Vec::new();
    for (at_a, one) in a.quantities.iter().enumerate() {
        for (at_b, other) in b.quantities.iter().enumerate() {
            if let Some(relation) = relation(one, other, nearness) {
                let context = common_context(a, one, b, other, alignment);
                pairs.push((relation, ExclusiveAmounts { a: at_a, b: at_b, context }));
            }
        }
    }
    // Equal amounts belong together; what is left is paired by what is around it.
    pairs.sort_by(|(one_relation, one), (other_relation, other)| {
        let is_equal = |relation: Relation| relation == Relation::Equal;
        is_equal(*other_relation)
            .cmp(&is_equal(*one_relation))
            .then(other.context.total_cmp(&one.context))
            .then((one.a, one.b).cmp(&(other.a, other.b)))
    });
    let mut is_used_a = vec![false; a.quantities.len()];
    let mut is_used_b = vec![false; b.quantities.len()];
    let mut comparison = QuantityComparison::default();
    for (relation, pair) in pairs {
        if is_used_a[pair.a] || is_used_b[pair.b] {
            continue;
        }
        (is_used_a[pair.a], is_used_b[pair.b]) = (true, true);
        match relation {
            Relation::Equal => {
                comparison.equal += 1;
                comparison.equal_context = comparison.equal_context.max(pair.context);
            }
            Relation::Compatible => {
                comparison.compatible += 1;
                comparison.compatible_context = comparison.compatible_context.max(pair.context);
            }
            Relation::Exclusive => comparison.exclusive.push(pair),
        }
    }
    comparison.unmatched_a = is_used_a.iter().filter(|is_used| !**is_used).count();
    comparison.unmatched_b = is_used_b.iter().filter(|is_used| !**is_used).count();
    comparison
}

/// Returns how two amounts relate; `None` if they measure different things.
fn relation(a: &Quantity, b: &Quantity, nearness: WordNearness<'_>) -> Option<Relation> {
    if a.dimension != b.dimension || !is_of_same(a, b, nearness) {
        return None;
    }
    let is_close = |x: f64, y: f64| {
        let scale = x.abs().max(y.abs());
        let is_calendar = a.dimension == Dimension::Time && scale >= CALENDAR_MIN_SECONDS
            || a.dimension == Dimension::Rate && scale <= 1.0 / CALENDAR_MIN_SECONDS;
        let tolerance = if is_calendar { CALENDAR_TOLERANCE } else { 1e-9 };
        (x - y).abs() <= tolerance * scale
    };
    if is_close(a.low, b.low) && is_close(a.high, b.high) {
        return Some(Relation::Equal);
    }
    let [(low_a, high_a), (low_b, high_b)] = [a, b].map(|amount| match amount.bound {
        Bound::Exact | Bound::Between => (amount.low, amount.high),
        Bound::AtMost => (f64::NEG_INFINITY, amount.high),
        Bound::AtLeast => (amount.low, f64::INFINITY),
    });
    let is_disjoint = high_a < low_b || high_b < low_a;
    // Two upper limits of one thing cannot both be its limit.
    let are_limits = a.bound == b.bound && matches!(a.bound, Bound::AtMost | Bound::AtLeast);
    Some(match is_disjoint || are_limits {
        true => Relation::Exclusive,
        false => Relation::Compatible,
    })
}

/// Returns whether two amounts count the same things, or are versions of the same name.
fn is_of_same(a: &Quantity, b: &Quantity, nearness: WordNearness<'_>) -> bool {
    let is_named = a.dimension == Dimension::Version;
    if a.of == b.of || !is_named && (a.of.is_empty() || b.of.is_empty()) {
        return true;
    }
    let is_near =
        |one: &String, other: &String| one == other || nearness(one, other) >= SYNONYM_MIN_COSINE;
    a.of.iter().any(|one| b.of.iter().any(|other| is_near(one, other)))
}

/// Returns the share of the words around two amounts that stand for each other.
fn common_context(
    a: &Statement<'_>,
    one: &Quantity,
    b: &Statement<'_>,
    other: &Quantity,
    alignment: &Alignment,
) -> f32 {
    let around = |statement: &Statement<'_>, amount: &Quantity| -> Vec<usize> {
        let before = statement.content.iter().rev().filter(|at| **at < amount.first);
        let after = statement.content.iter().filter(|at| **at > amount.last);
        before.take(CONTEXT_WORDS).chain(after.take(CONTEXT_WORDS)).copied().collect()
    };
    let (around_a, around_b) = (around(a, one), around(b, other));
    let common = around_a
        .iter()
        .filter_map(|at| alignment.of_a(*at))
        .filter(|pair| around_b.contains(&pair.b))
        .map(|pair| pair.cosine)
        .sum::<f32>();
    let all = around_a.len().min(around_b.len());
    if all == 0 { 0.0 } else { (common / all as f32).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(a: &str, b: &str) -> (usize, usize, usize) {
        let nearness = |_: &str, _: &str| 0.0;
        let (a, b) = (Statement::new(a), Statement::new(b));
        let alignment = Alignment::new(&a, &b, &nearness);
        let comparison = compare_quantities(&a, &b, &alignment, &nearness);
        (comparison.equal, comparison.compatible, comparison.exclusive.len())
    }

    #[test]
    fn amounts_are_compared_in_one_unit_and_as_limits() {
        for (a, b, expected) in [
            ("Requests time out after 30 s", "Requests time out after 30000 ms", (1, 0, 0)),
            ("Requests time out after 30 s", "Requests time out after 60 s", (0, 0, 1)),
            ("Requests time out after 30 s", "Requests have 3 retries", (0, 0, 0)),
            ("At most 20 users", "A plan with 15 users", (0, 1, 0)),
            ("At most 20 users", "A plan with 35 users", (0, 0, 1)),
            ("At most 20 users", "Up to 50 users", (0, 0, 1)),
            ("At least 20 users", "At most 50 users", (0, 1, 0)),
            ("Kept for 12 months", "Kept for one year", (1, 0, 0)),
            ("Kept for 90 days", "Kept for three months", (1, 0, 0)),
            ("We use Python 3.9", "We use Python 3.12", (0, 0, 1)),
            ("We use Python 3.9", "We use Node 20", (0, 0, 0)),
            ("We use Python 3.9 or newer", "We use Python 3.12", (0, 1, 0)),
            ("Backed up nightly", "Backed up every hour", (0, 0, 1)),
        ] {
            assert_eq!(compare(a, b), expected, "{a} / {b}");
        }
    }
}
