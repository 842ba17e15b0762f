use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;

fn value_of(candidates: &[Candidate], chosen: &[Option<usize>]) -> f64 {
    let forms = candidates.iter().zip(chosen);
    forms.filter_map(|(candidate, form)| Some(candidate.forms[(*form)?].value)).sum()
}

fn cost_of(candidates: &[Candidate], chosen: &[Option<usize>]) -> usize {
    let forms = candidates.iter().zip(chosen);
    forms.filter_map(|(candidate, form)| Some(candidate.forms[(*form)?].cost)).sum()
}

/// Returns the largest possible value, by dynamic programming over all costs. The budget is a multiple of 8, so that all
/// shares are whole numbers.
fn optimum(candidates: &[Candidate], budget: usize) -> f64 {
    assert_eq!(budget % 8, 0);
    let reserved = SelectionProblem::new(candidates, &SHARES).budget(budget).reserved;
    let reserved = reserved.into_iter().map(|tokens| tokens as usize);
    // The best value of the tiers so far, by what they are charged.
    let mut total = vec![0.0; budget + 1];
    for (tier, reserved) in reserved.enumerate() {
        // The best value of this tier, by what it spends at most.
        let mut best = vec![0.0; budget + 1];
        for candidate in candidates.iter().filter(|candidate| candidate.tier == tier) {
            for spent in (0..=budget).rev() {
                let with = candidate.forms.iter().filter(|form| form.cost <= spent);
                let with = with.map(|form| best[spent - form.cost] + form.value);
                best[spent] = with.fold(best[spent], f64::max);
            }
        }
        total = (0..=budget)
            .map(|charge| {
                let own = (reserved..=charge).map(|own| total[charge - own] + best[own]);
                own.fold(f64::NEG_INFINITY, f64::max)
            })
            .collect();
    }
    total[budget]
}

/// Makes candidates as they occur: of several tiers, with up to four forms that cost more the more they are worth.
fn candidates(sizes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Candidate>> {
    let form = (0.1_f64..1.0, 1_usize..60);
    let candidate = (0_usize..4, prop::collection::vec(form, 1..5), 0.1_f64..1.0);
    let candidate = candidate.prop_map(|(tier, mut forms, worth)| {
        forms.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut costs: Vec<usize> = forms.iter().map(|form| form.1).collect();
        costs.sort_unstable();
        let forms = forms.iter().zip(costs);
        let forms = forms.map(|((value, _), cost)| Form { value: value * worth, cost });
        Candidate { tier, forms: forms.collect() }
    });
    prop::collection::vec(candidate, sizes)
}

const SHARES: [Share; 4] =
    [Share::Part(0.25), Share::Part(0.375), Share::Part(0.25), Share::Part(0.125)];

const HALVES: [Share; 2] = [Share::Part(0.5), Share::Part(0.5)];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_budget_is_never_exceeded_and_more_of_it_never_gives_less(
        candidates in candidates(0..40),
        budget in 0_usize..2_000,
        more in 0_usize..200,
        first in any::<bool>(),
    ) {
        let shares = [if first { Share::First } else { SHARES[0] }, SHARES[1], SHARES[2], SHARES[3]];
        let chosen = select(&candidates, &shares, budget);
        prop_assert!(cost_of(&candidates, &chosen) <= budget);
        let with_more = select(&candidates, &shares, budget + more);
        let values = [&chosen, &with_more].map(|chosen| value_of(&candidates, chosen));
        prop_assert!(values[1] >= values[0] - MIN_GAIN, "{values:?}");
    }

    #[test]
    fn the_bound_holds_for_every_smaller_budget(
        candidates in candidates(0..12),
        budget in 0_usize..40,
        less in 0_usize..12,
    ) {
        let problem = SelectionProblem::new(&candidates, &SHARES);
        let best = optimum(&candidates, 8 * budget.saturating_sub(less));
        prop_assert!(problem.upper_bound(8 * budget) >= best - 1e-6);
    }

    #[test]
    fn the_cheapest_sacrifice_is_the_one_that_a_scan_of_all_finds(
        candidates in candidates(1..30),
        budget in 50_usize..600,
        more in 0_usize..60,
        except in 0_usize..30,
    ) {
        let problem = SelectionProblem::new(&candidates, &SHARES);
        let budget = problem.budget(budget);
        let solution = problem.take_in_order(&budget, &problem.upgrades);
        let tier = candidates[except % candidates.len()].tier;
        let mut spent = solution.spent.clone();
        spent[tier] += more;
        let mut scanned: Option<(f64, usize, Option<usize>)> = None;
        for other in (0..candidates.len()).filter(|other| *other != except) {
            let Some(chosen) = solution.chosen[other] else { continue };
            let Candidate { tier, forms } = &candidates[other];
            for form in (0..forms.len()).map(Some).chain([None]) {
                let cheaper = problem.form(other, form);
                let loss = forms[chosen].value - cheaper.value;
                let mut less = spent.clone();
                less[*tier] = less[*tier] + cheaper.cost - forms[chosen].cost;
                let fits = !budget.is_exceeded_by(budget.charge(&less));
                let is_less = scanned.is_none_or(|(least, ..)| loss < least);
                if cheaper.cost < forms[chosen].cost && fits && is_less {
                    scanned = Some((loss, other, form));
                }
            }
        }
        let found = Sacrifices::of(&problem, &solution).cheapest(&budget, &spent, except);
        let found = found.map(|found| (found.loss, found.candidate, found.form));
        prop_assert_eq!(found, scanned);
    }

    #[test]
    fn a_tier_gets_its_share_as_long_as_it_has_candidates(
        candidates in candidates(10..40),
        budget in 100_usize..1_000,
    ) {
        let chosen = select(&candidates, &SHARES, budget);
        let problem = SelectionProblem::new(&candidates, &SHARES);
        let spent = |tier: usize| -> usize {
            let of_tier = candidates.iter().zip(&chosen).filter(|(one, _)| one.tier == tier);
            of_tier.filter_map(|(candidate, form)| Some(candidate.forms[(*form)?].cost)).sum()
        };
        let spent: Vec<usize> = (0..SHARES.len()).map(spent).collect();
        let budget = problem.budget(budget);
        prop_assert!(!budget.is_exceeded_by(budget.charge(&spent)));
    }
}

#[test]
fn the_value_is_within_two_percent_of_the_optimum_on_average() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for (sizes, budgets) in [(1..8, 20_usize..200), (8..25, 100..600), (25..60, 200..1_000)] {
        let mut ratios = Vec::new();
        for _ in 0..100 {
            let instance = (candidates(sizes.clone()), budgets.clone());
            let (candidates, budget) = instance.new_tree(&mut runner).unwrap().current();
            let budget = budget - budget % 8;
            let best = optimum(&candidates, budget);
            let chosen = select(&candidates, &SHARES, budget);
            let ratio = if best > 0.0 { value_of(&candidates, &chosen) / best } else { 1.0 };
            assert!(ratio <= 1.0 + 1e-9, "the exact solver found less: {ratio}");
            ratios.push(ratio);
        }
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        assert!(mean >= 0.98, "{sizes:?} candidates: {mean}");
    }
}

#[test]
fn unspent_shares_go_to_other_tiers() {
    let candidate = |tier, value, cost| Candidate { tier, forms: vec![Form { value, cost }] };
    let candidates = [candidate(0, 1.0, 10), candidate(1, 0.5, 40), candidate(1, 0.4, 40)];
    assert_eq!(select(&candidates, &HALVES, 90), [Some(0), Some(0), Some(0)]);
    // The first tier keeps its share although the second would use it better.
    let candidates = [candidate(0, 0.1, 40), candidate(1, 1.0, 80)];
    assert_eq!(select(&candidates, &HALVES, 80), [Some(0), None]);
}

#[test]
fn a_tier_that_comes_first_takes_what_it_needs() {
    let candidate = |tier, value, cost| Candidate { tier, forms: vec![Form { value, cost }] };
    let candidates = [candidate(0, 0.1, 60), candidate(1, 1.0, 40), candidate(1, 1.0, 20)];
    let shares = [Share::First, Share::Part(1.0)];
    assert_eq!(select(&candidates, &shares, 80), [Some(0), None, Some(0)]);
    assert_eq!(select(&candidates, &shares, 120), [Some(0); 3]);
}

#[test]
fn a_smaller_form_is_chosen_before_a_candidate_is_left_out() {
    let forms = vec![Form { value: 1.0, cost: 100 }, Form { value: 0.6, cost: 20 }];
    let candidates = [Candidate { tier: 0, forms }];
    assert_eq!(select(&candidates, &[Share::Part(1.0)], 120), [Some(0)]);
    assert_eq!(select(&candidates, &[Share::Part(1.0)], 99), [Some(1)]);
    assert_eq!(select(&candidates, &[Share::Part(1.0)], 19), [None]);
    assert_eq!(select(&[], &[Share::Part(1.0)], 19), []);
}
