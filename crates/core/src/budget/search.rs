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
        let heaviest = 2 * items.len() as u64;
        let weights = (0..heaviest).map(|position| heaviest - position);
        let chosen = items.iter().zip(&self.forms).zip(weights);
        let value = |((item, form), weight): ((&&BudgetItem, &Option<usize>), u64)| {
            let form = form.and_then(|form| item.forms.get(form));
            form.map_or(0, |form| form.points * weight)
        };
        chosen.map(value).sum()
    }
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
    let mut next = Some(round_down(limit));
    while let Some(tried) = next.filter(|tried| *tried >= lowest) {
        let chosen = choose(tried);
        let value = chosen.value(items);
        if value >= best_value {
            (best, best_value) = (chosen, value);
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
