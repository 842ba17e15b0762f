use proptest::prelude::*;

use super::*;

/// Makes an item from the costs of its forms; the points are 8, 4 and 1.
fn item(costs: &[usize]) -> BudgetItem {
    let forms = costs.iter().zip([8, 4, 1]);
    BudgetItem {
        forms: forms.map(|(tokens, points)| ItemForm { tokens: *tokens, points }).collect(),
    }
}

fn items(costs: &[&[usize]]) -> Vec<BudgetItem> {
    costs.iter().map(|costs| item(costs)).collect()
}

fn layer(share: f64, always: &[&[usize]], conditional: &[&[usize]]) -> BudgetLayer {
    BudgetLayer { share, max_tokens: None, always: items(always), conditional: items(conditional) }
}

#[test]
fn always_items_may_exceed_the_share_before_later_layers_get_anything() {
    let layers =
        [layer(0.4, &[&[600], &[395]], &[]), layer(0.3, &[&[100]], &[]), layer(0.3, &[&[20]], &[])];
    let plan = choose(1000, &layers);
    assert_eq!(plan.layers[0].always, [Some(0), Some(0)]);
    assert_eq!((plan.layers[1].tokens, plan.layers[2].tokens), (0, 0));
}

#[test]
fn always_items_of_later_layers_come_before_conditional_ones() {
    let layers = [layer(0.9, &[&[10]], &[&[900]]), layer(0.1, &[&[500, 100]], &[])];
    let plan = choose(1000, &layers);
    assert_eq!((plan.layers[0].tokens, plan.layers[1].tokens), (10, 500));
}

#[test]
fn shares_divide_what_is_left_and_what_is_not_used_flows_on() {
    let many: &[&[usize]] = &[&[50][..]; 40];
    let shared = [layer(0.4, &[], many), layer(0.3, &[], many), layer(0.3, &[], many)];
    let tokens =
        |plan: BudgetPlan| plan.layers.iter().map(|layer| layer.tokens).collect::<Vec<_>>();
    assert_eq!(tokens(choose(1000, &shared)), [400, 300, 300]);
    // The always items count towards the share.
    let with_always = [layer(0.4, &[&[300]], many), layer(0.3, &[], many), layer(0.3, &[], many)];
    assert_eq!(tokens(choose(1000, &with_always)), [400, 300, 300]);
    let unspent = [layer(0.4, &[], &[&[100]]), layer(0.3, &[], many), layer(0.3, &[], many)];
    assert_eq!(tokens(choose(1000, &unspent)), [100, 450, 450]);
    // What the last layer leaves goes to the first items that did not fit.
    let left_at_the_end = [layer(0.4, &[], many), layer(0.6, &[], &[&[50]])];
    assert_eq!(tokens(choose(1000, &left_at_the_end)), [950, 50]);
}

#[test]
fn max_tokens_limits_a_layer() {
    let mut first = layer(0.9, &[&[300, 40], &[80]], &[&[50], &[50]]);
    first.max_tokens = Some(150);
    let plan = choose(10_000, &[first, layer(0.1, &[], &[&[500]])]);
    assert_eq!(plan.layers[0].always, [Some(1), Some(0)]);
    assert_eq!((plan.layers[0].tokens, plan.layers[1].tokens), (120, 500));
}

#[test]
fn the_next_item_is_tried_after_one_that_does_not_fit() {
    let plan = choose(100, &[layer(1.0, &[], &[&[90], &[200], &[10]])]);
    assert_eq!(plan.layers[0].conditional, [Some(0), None, Some(0)]);
    let plan = choose(100, &[layer(1.0, &[], &[&[60], &[80, 30], &[10]])]);
    assert_eq!(plan.layers[0].conditional, [Some(0), Some(1), Some(0)]);
}

#[test]
fn one_more_token_does_not_replace_several_items_by_a_large_one() {
    let layers = [layer(1.0, &[&[900, 100], &[300], &[300]], &[])];
    for budget in [700, 899, 900, 1100] {
        assert_eq!(choose(budget, &layers).layers[0].always, [Some(1), Some(0), Some(0)]);
    }
    assert_eq!(choose(1500, &layers).layers[0].always, [Some(0), Some(0), Some(0)]);
}

#[test]
fn a_budget_that_is_just_enough_takes_everything() {
    let layers = [layer(0.4, &[&[4001, 7]], &[&[3003, 5]]), layer(0.6, &[&[2003]], &[&[1007, 1]])];
    let plan = choose(10_014, &layers);
    assert_eq!(plan.tokens(), 10_014);
    assert!(choose(10_013, &layers).tokens() <= 10_013);
}

#[test]
fn a_long_item_leaves_room_for_the_smallest_forms_of_the_next_ones() {
    let layers = [layer(1.0, &[&[3000, 950, 800, 60], &[100], &[50]], &[])];
    assert_eq!(choose(1000, &layers).layers[0].always, [Some(2), Some(0), Some(0)]);
}

#[test]
fn later_layers_get_nothing_if_an_item_was_shortened_and_little_is_left() {
    let second = layer(0.1, &[&[20]], &[&[10]]);
    let plan = choose(1000, &[layer(0.9, &[&[3000, 950]], &[&[15]]), second.clone()]);
    assert_eq!((plan.layers[0].tokens, plan.layers[1].tokens), (950, 0));
    assert_eq!(plan.layers[0].conditional, [None]);
    // Enough is left.
    let plan = choose(1000, &[layer(0.9, &[&[3000, 300]], &[]), second.clone()]);
    assert_eq!((plan.layers[0].tokens, plan.layers[1].tokens), (300, 30));
    // Nothing was shortened.
    let plan = choose(1000, &[layer(0.9, &[&[950]], &[]), second.clone()]);
    assert_eq!((plan.layers[0].tokens, plan.layers[1].tokens), (950, 30));
    // The limit of the layer, and not the budget, was too small.
    let mut first = layer(0.9, &[&[3000, 950]], &[]);
    first.max_tokens = Some(990);
    let plan = choose(1000, &[first, second]);
    assert_eq!((plan.layers[0].tokens, plan.layers[1].tokens), (950, 30));
}

fn any_item() -> impl Strategy<Value = BudgetItem> {
    (0usize..30_000, 0usize..100, 0usize..100, 1usize..4).prop_map(
        |(full, second, third, count)| {
            let forms = [full, full * second / 100, full * second * third / 10_000];
            item(&forms[..count])
        },
    )
}

fn any_layer() -> impl Strategy<Value = BudgetLayer> {
    let list = || prop::collection::vec(any_item(), 0..6);
    let share = prop_oneof![Just(0.0), 0.0..1.0];
    (share, prop::option::of(0usize..60_000), list(), list()).prop_map(
        |(share, max_tokens, always, conditional)| BudgetLayer {
            share,
            max_tokens,
            always,
            conditional,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_plan_never_exceeds_the_budget_and_gains_with_it(
        layers in prop::collection::vec(any_layer(), 0..5),
        mut budgets in prop::collection::vec(0usize..=200_000, 2..5),
        step in 0usize..40,
    ) {
        budgets.push(budgets[0] + step);
        budgets.sort_unstable();
        let plans: Vec<BudgetPlan> = budgets.iter().map(|budget| choose(*budget, &layers)).collect();
        for (plan, budget) in plans.iter().zip(&budgets) {
            let mut total = 0;
            for (chosen, layer) in plan.layers.iter().zip(&layers) {
                let pairs = layer.always.iter().zip(&chosen.always);
                let pairs = pairs.chain(layer.conditional.iter().zip(&chosen.conditional));
                let tokens: usize = pairs.map(|(item, form)| item.cost(*form)).sum();
                prop_assert_eq!(tokens, chosen.tokens);
                prop_assert!(tokens <= layer.max_tokens.unwrap_or(usize::MAX));
                total += tokens;
            }
            prop_assert!(total <= *budget);
        }
        for pair in plans.windows(2) {
            prop_assert!(pair[0].value <= pair[1].value, "{:?} {:?}", pair[0], pair[1]);
        }
    }
}
