//! Searches the best of the choices for all limits up to a given one.

use super::BudgetItem;

/// Between two powers of two the grid has at most 2 to the power of this many limits, so that less than 0.2 % of a
/// limit is lost by rounding.
const GRID_BITS: u32 = 9;

/// For each item of a list the index of its form; `None` if it is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FormChoices {
    pub(super) forms: Vec<Option<usize>>,
}

impl FormChoices {
    /// Returns the tokens of the chosen forms.
    pub(super) fn tokens(&self, items: &[&BudgetItem]) -> usize {
        items.iter().zip(&self.forms).map(|(item, form)| item.cost(*form)).sum()
    }

    /// Returns the value of the chosen forms.
    pub(super) fn value(&self, items: &[&BudgetItem]) -> u64 {
        let chosen = items.iter().zip(&self.forms).zip(weights(items.len()));
        let value = |((item, form), weight): ((&&BudgetItem, &Option<usize>), u64)| {
            let form = form.and_then(|form| item.forms.get(form));
            form.map_or(0, |form| form.points * weight)
        };
        chosen.map(value).sum()
    }
}

/// Returns the weights of the positions of a list: they fall from twice the number of items to one more than that number.
fn weights(items: usize) -> impl Iterator<Item = u64> {
    let heaviest = 2 * items as u64;
    (0..items as u64).map(move |position| heaviest - position)
}

/// Returns the best choice of all limits of the grid from `lowest` to `limit`. `lowest` is used by other items and is
/// included in every limit. Of equal choices, that of the lowest limit is taken: a larger limit of equal value gives the
/// same choice.
pub(super) fn best_choice(
    items: &[&BudgetItem],
    limit: usize,
    lowest: usize,
    choose: impl Fn(usize) -> FormChoices,
) -> FormChoices {
    let mut best = FormChoices { forms: vec![None; items.len()] };
    let mut best_value = 0;
    let full: usize = items.iter().map(|item| item.cost(Some(0))).sum();
    if items.is_empty() {
        return best;
    }
    // A limit beyond the full forms changes nothing, unless limits of layers or shares do.
    if limit - lowest >= full {
        let chosen = choose(limit);
        if chosen.tokens(items) == full {
            return chosen;
        }
    }
    let bound = ValueBound::new(items);
    let mut next = Some(round_down(limit));
    while let Some(tried) = next.filter(|tried| *tried >= lowest) {
        if bound.of(tried - lowest) < best_value as f64 {
            break;
        }
        let chosen = choose(tried);
        let value = chosen.value(items);
        if value >= best_value {
            (best, best_value) = (chosen, value);
        }
        next = tried.checked_sub(1).map(round_down);
    }
    best
}

/// The value that no choice for a limit exceeds: that of the best choice if a part of an improvement could be had for the
/// same part of its cost. It ends the search early, because the bound falls with the limit.
struct ValueBound {
    /// The sums of the costs and of the values of the improvements, the one with the most value for its cost first.
    sums: Vec<(f64, f64)>,
}

impl ValueBound {
    fn new(items: &[&BudgetItem]) -> Self {
        let mut steps = Vec::new();
        for (item, weight) in items.iter().zip(weights(items.len())) {
            add_improvements(item, weight, &mut steps);
        }
        // What costs nothing comes first.
        let value_for_cost = |step: &(f64, f64)| step.1 / step.0;
        steps.retain(|step| step.1 > 0.0);
        steps.sort_unstable_by(|a, b| value_for_cost(b).total_cmp(&value_for_cost(a)));
        let mut sum = (0.0, 0.0);
        let sums = steps.into_iter().map(|(cost, value)| {
            sum = (sum.0 + cost, sum.1 + value);
            sum
        });
        ValueBound { sums: sums.collect() }
    }

    /// Returns the bound for a limit. One is added for what is lost by rounding.
    fn of(&self, limit: usize) -> f64 {
        let limit = limit as f64;
        let fitting = self.sums.partition_point(|(cost, _)| *cost <= limit);
        let (cost, value) = fitting.checked_sub(1).map_or((0.0, 0.0), |last| self.sums[last]);
        let part = self.sums.get(fitting).map_or(0.0, |(next_cost, next_value)| {
            (next_value - value) * (limit - cost) / (next_cost - cost)
        });
        value + part + 1.0
    }
}

/// Adds the cost and the value of each improvement of an item from nothing to its full form. Forms that are worth less than
/// what lies between two others are passed over, so that each improvement has less value for its cost than the one before.
fn add_improvements(item: &BudgetItem, weight: u64, steps: &mut Vec<(f64, f64)>) {
    let mut corners: Vec<(f64, f64)> = vec![(0.0, 0.0)];
    for form in item.forms.iter().rev() {
        let point = (form.tokens as f64, (form.points * weight) as f64);
        while let [.., before, last] = corners[..]
            && (last.1 - before.1) * (point.0 - last.0) <= (point.1 - last.1) * (last.0 - before.0)
        {
            corners.pop();
        }
        corners.push(point);
    }
    let pairs = corners.windows(2);
    steps.extend(pairs.map(|pair| (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1)));
}

/// Returns the largest limit of the grid that is at most `limit`.
fn round_down(limit: usize) -> usize {
    let step = 1 << limit.checked_ilog2().unwrap_or(0).saturating_sub(GRID_BITS);
    limit - limit % step
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{ItemForm, take};
    use super::*;

    fn item() -> impl Strategy<Value = BudgetItem> {
        prop::collection::vec((0usize..60, 1u64..900), 1..4).prop_map(|forms| {
            let mut total = ItemForm { tokens: 0, points: 0 };
            let mut forms: Vec<ItemForm> = forms
                .into_iter()
                .map(|(tokens, points)| {
                    total.tokens += tokens;
                    total.points += points;
                    total
                })
                .collect();
            forms.reverse();
            BudgetItem { forms }
        })
    }

    proptest! {
        #[test]
        fn the_bound_changes_no_choice(items in prop::collection::vec(item(), 1..25), limit in 0usize..1500) {
            let items: Vec<&BudgetItem> = items.iter().collect();
            let bound = ValueBound::new(&items);
            let mut best = FormChoices { forms: vec![None; items.len()] };
            let mut best_value = 0;
            for tried in (0..=limit).rev().filter(|tried| round_down(*tried) == *tried) {
                let chosen = take(&items, tried);
                let value = chosen.value(&items);
                prop_assert!(value as f64 <= bound.of(tried), "{value} for {tried}");
                if value >= best_value {
                    (best, best_value) = (chosen, value);
                }
            }
            prop_assert_eq!(best_choice(&items, limit, 0, |limit| take(&items, limit)), best);
        }
    }
}
