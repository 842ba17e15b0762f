//! Chooses which items of several layers fit into a token budget, and in which form.
//!
//! An item has one or more *forms*: the full text first, then smaller ones, each with its cost in tokens. Layers are
//! given in the order in which they are served. The choice has two phases:
//!
//! 1. The *always* items of each layer, layer by layer. They may use all that is left, whatever the share of the layer
//!    is; only its `max_tokens` limits them. If an item had to be shortened and nearly no room is left, later layers get
//!    nothing: a few tokens of them are worth less than what was cut off.
//! 2. The *conditional* items. A layer may use its share of what the layers before it left, less what its always items
//!    took. What it does not use flows on to the next layer. What is left after the last layer is offered to the items
//!    that got no form or a smaller one, in the same order.
//!
//! Within a list the items are taken in order, each in the first of its forms that fits; an item that does not fit is
//! followed by the next one. Or, if that is worth more, all of them are taken in their smallest form first, and then
//! improved in order.
//!
//! Such a greedy choice is not monotone: with a few tokens more it may take one large item in place of several small
//! ones. So the result for a limit is the best, by [value](PlanValue), of the greedy results for all limits up to it. Only the
//! limits of a fixed grid are tried, to bound the time. Since the candidates for a smaller limit are candidates for a
//! larger one, the value never falls when the budget grows.

mod search;

#[cfg(test)]
mod tests;

use search::{FormChoices, best_choice};

/// Later layers get nothing if an item was shortened and at most this part of the budget, and at most so many tokens, are
/// left.
const MAX_UNUSED_PART: usize = 8;
const MAX_UNUSED_TOKENS: usize = 500;

/// A layer with the items that it offers, most important first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BudgetLayer {
    /// The share of the budget. Shares count in proportion to those of the other layers.
    pub share: f64,
    /// The most that the layer may use.
    pub max_tokens: Option<usize>,
    /// The items that may exceed the share.
    pub always: Vec<BudgetItem>,
    /// The items that share what is left.
    pub conditional: Vec<BudgetItem>,
}

/// An item with its forms, the full form first. Each form costs less than the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BudgetItem {
    /// The forms.
    pub forms: Vec<ItemForm>,
}

/// A form of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemForm {
    /// The cost in tokens.
    pub tokens: usize,
    /// What the form is worth compared to other forms; a larger form is worth more.
    pub points: u64,
}

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BudgetPlan {
    /// What was chosen of each layer, in the order of the layers.
    pub layers: Vec<LayerPlan>,
    /// The value of all that was chosen.
    pub value: PlanValue,
}

/// What was chosen of a layer: for each item the index of its form, or `None` if it is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LayerPlan {
    /// The forms of the always items.
    pub always: Vec<Option<usize>>,
    /// The forms of the conditional items.
    pub conditional: Vec<Option<usize>>,
    /// The tokens of all chosen forms.
    pub tokens: usize,
}

/// The value of a plan: a number for the always items of each layer, in order, and one for all conditional items. Values
/// are compared from left to right, so an always item counts more than everything after its layer.
///
/// A number is the sum over its items of the points of the chosen form times a weight that falls with the position of
/// the item from twice the number of items to half of that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct PlanValue(pub Vec<u64>);

impl BudgetPlan {
    /// Returns the tokens of all chosen forms.
    pub fn tokens(&self) -> usize {
        self.layers.iter().map(|layer| layer.tokens).sum()
    }
}

/// Chooses the forms of the items so that their tokens are at most `budget`.
pub fn choose(budget: usize, layers: &[BudgetLayer]) -> BudgetPlan {
    let mut value = Vec::with_capacity(layers.len() + 1);
    let mut left = budget;
    let mut is_used_up = false;
    let mut always = Vec::with_capacity(layers.len());
    for layer in layers {
        let limit = left.min(layer.max_tokens.unwrap_or(usize::MAX));
        let offered = if is_used_up { &[] } else { layer.always.as_slice() };
        let items: Vec<&BudgetItem> = offered.iter().collect();
        let mut chosen = best_choice(&items, limit, 0, |limit| take(&items, limit));
        let tokens = chosen.tokens(&items);
        is_used_up |= limit == left && has_shortened(&chosen) && is_small(left - tokens, budget);
        left -= tokens;
        value.push(chosen.value(&items));
        chosen.forms.resize(layer.always.len(), None);
        always.push(AlwaysItems { chosen, tokens });
    }
    let offered = if is_used_up { &[] } else { layers };
    let items: Vec<&BudgetItem> = offered.iter().flat_map(|layer| &layer.conditional).collect();
    let reserved = budget - left;
    let conditional =
        best_choice(&items, budget, reserved, |limit| share_out(offered, &always, &items, limit));
    value.push(conditional.value(&items));
    let mut forms = conditional.forms.into_iter().chain(std::iter::repeat(None));
    let layers = layers.iter().zip(always).map(|(layer, always)| {
        let conditional: Vec<Option<usize>> =
            forms.by_ref().take(layer.conditional.len()).collect();
        let costs = layer.conditional.iter().zip(&conditional).map(|(item, form)| item.cost(*form));
        let tokens = always.tokens + costs.sum::<usize>();
        LayerPlan { always: always.chosen.forms, conditional, tokens }
    });
    BudgetPlan { layers: layers.collect(), value: PlanValue(value) }
}

fn has_shortened(chosen: &FormChoices) -> bool {
    chosen.forms.iter().flatten().any(|form| *form > 0)
}

/// Returns whether tokens that are left are too few to be worth using.
fn is_small(left: usize, budget: usize) -> bool {
    left <= (budget / MAX_UNUSED_PART).min(MAX_UNUSED_TOKENS)
}

/// What was chosen of the always items of a layer.
struct AlwaysItems {
    chosen: FormChoices,
    tokens: usize,
}

impl BudgetItem {
    /// Returns the cost of a form; an item that is left out costs nothing.
    fn cost(&self, form: Option<usize>) -> usize {
        form.and_then(|form| self.forms.get(form)).map_or(0, |form| form.tokens)
    }

    /// Returns the first form that costs at most `limit`.
    fn first_fit(&self, limit: usize) -> Option<usize> {
        self.forms.iter().position(|form| form.tokens <= limit)
    }
}

/// Takes items in order, or all in their smallest form first, whichever is worth more.
fn take(items: &[&BudgetItem], limit: usize) -> FormChoices {
    let in_order = take_in_order(items, limit);
    // Nothing can be gained if nothing was shortened or left out.
    if in_order.forms.iter().all(|form| *form == Some(0)) {
        return in_order;
    }
    let smallest_first = take_smallest_first(items, limit);
    match smallest_first.value(items) > in_order.value(items) {
        true => smallest_first,
        false => in_order,
    }
}

/// Takes each item in its smallest form if that fits into what is left, and then improves them in order.
fn take_smallest_first(items: &[&BudgetItem], limit: usize) -> FormChoices {
    let mut left = limit;
    let mut forms: Vec<Option<usize>> = vec![None; items.len()];
    for (item, form) in items.iter().zip(&mut forms) {
        let smallest = item.forms.len().checked_sub(1);
        *form = smallest.filter(|form| item.cost(Some(*form)) <= left);
        left -= item.cost(*form);
    }
    if left == 0 {
        return FormChoices { forms };
    }
    for (item, form) in items.iter().zip(&mut forms) {
        let cost = item.cost(*form);
        if let Some(better) = item.first_fit(left + cost) {
            left = left + cost - item.cost(Some(better));
            *form = Some(better);
        }
    }
    FormChoices { forms }
}

/// Takes each item in the first form that fits into what is left.
fn take_in_order(items: &[&BudgetItem], limit: usize) -> FormChoices {
    let mut left = limit;
    let take = |item: &&BudgetItem| {
        let form = item.first_fit(left);
        left -= item.cost(form);
        form
    };
    FormChoices { forms: items.iter().map(take).collect() }
}

/// Takes the conditional items of all layers, each layer within its share of `limit`, which includes the always items.
fn share_out(
    layers: &[BudgetLayer],
    always: &[AlwaysItems],
    items: &[&BudgetItem],
    limit: usize,
) -> FormChoices {
    let mut forms = Vec::with_capacity(items.len());
    // What the conditional items may still use, and the tokens of each layer.
    let mut left = limit.saturating_sub(always.iter().map(|layer| layer.tokens).sum());
    let mut layer_tokens: Vec<usize> = always.iter().map(|layer| layer.tokens).collect();
    let mut pool = limit;
    let mut shares: f64 = layers.iter().map(|layer| layer.share).sum();
    let mut rest = items;
    for (at, layer) in layers.iter().enumerate() {
        let (offered, others) = rest.split_at(layer.conditional.len());
        rest = others;
        let part = if shares > 0.0 { (layer.share / shares).clamp(0.0, 1.0) } else { 0.0 };
        // The product is at most `pool`, so it fits into the integer.
        let target = (pool as f64 * part) as usize;
        let allowed = target.min(layer.max_tokens.unwrap_or(usize::MAX));
        let within = allowed.saturating_sub(layer_tokens[at]).min(left);
        let taken = take(offered, within);
        let tokens = taken.tokens(offered);
        left -= tokens;
        layer_tokens[at] += tokens;
        pool = pool.saturating_sub(layer_tokens[at]);
        shares -= layer.share;
        forms.extend(taken.forms);
    }
    upgrade(layers, &mut forms, &mut layer_tokens, left);
    FormChoices { forms }
}

/// Gives items that got no form, or a smaller one, a better form from what is left.
fn upgrade(
    layers: &[BudgetLayer],
    forms: &mut [Option<usize>],
    layer_tokens: &mut [usize],
    mut left: usize,
) {
    let mut forms = forms.iter_mut();
    for (layer, tokens) in layers.iter().zip(layer_tokens) {
        for (item, form) in layer.conditional.iter().zip(forms.by_ref()) {
            let cost = item.cost(*form);
            let room = layer.max_tokens.map_or(left, |most| left.min(most.saturating_sub(*tokens)));
            let Some(better) = item.first_fit(cost + room) else { continue };
            if form.is_none_or(|form| better < form) {
                let better_cost = item.cost(Some(better));
                left = left + cost - better_cost;
                *tokens = *tokens + better_cost - cost;
                *form = Some(better);
            }
        }
    }
}
