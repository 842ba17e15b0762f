//! Searches the best of the choices for all limits up to a given one.

use super::BudgetItem;

/// Between two powers of two the grid has at most 2 to the power of this many limits, so that less than 0.2 % of a
/// limit is lost by rounding.
const GRID_BITS: u32 = 9;

/// The points of an item by the index of its form; further forms have the points of the last one.
const FORM_POINTS: [u64; 3] = [4, 2, 1];

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
    pub(super) fn value(&self) -> u64 {
        let heaviest = 2 * self.forms.len() as u64;
        let points = |form: &Option<usize>| {
            form.map_or(0, |form| FORM_POINTS[form.min(FORM_POINTS.len() - 1)])
        };
        let weights = (0..heaviest).map(|position| heaviest - position);
        self.forms.iter().zip(weights).map(|(form, weight)| points(form) * weight).sum()
    }

    /// Returns whether it has a greater value than another choice. Of two with equal values, the one with the better
    /// form at the first difference counts as greater, so that a value belongs to one choice only.
    fn is_better_than(&self, other: &FormChoices) -> bool {
        let rank = |form: &Option<usize>| std::cmp::Reverse(form.unwrap_or(usize::MAX));
        let by_form = || self.forms.iter().map(rank).cmp(other.forms.iter().map(rank));
        self.value().cmp(&other.value()).then_with(by_form).is_gt()
    }
}

/// Returns the best choice of all limits of the grid from `lowest` to `limit`. `lowest` is used by other items and is
/// included in every limit.
pub(super) fn best_choice(
    items: &[&BudgetItem],
    limit: usize,
    lowest: usize,
    choose: impl Fn(usize) -> FormChoices,
) -> FormChoices {
    let mut best = FormChoices { forms: vec![None; items.len()] };
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
    let mut next = Some(round_down(limit));
    while let Some(tried) = next.filter(|tried| *tried >= lowest) {
        let chosen = choose(tried);
        if chosen.is_better_than(&best) {
            best = chosen;
        }
        next = tried.checked_sub(1).map(round_down);
    }
    best
}

/// Returns the largest limit of the grid that is at most `limit`.
fn round_down(limit: usize) -> usize {
    let step = 1 << limit.checked_ilog2().unwrap_or(0).saturating_sub(GRID_BITS);
    limit - limit % step
}
