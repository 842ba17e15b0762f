//! Cheaper forms of chosen candidates, which make room for others.

use super::{Budget, SelectionProblem, Solution};

/// A chosen candidate that gets a cheaper form, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sacrifice {
    pub(super) candidate: usize,
    /// The cheaper form; `None` if the candidate is left out.
    pub(super) form: Option<usize>,
    /// The value that is lost.
    pub(super) loss: f64,
    /// The tokens that are freed.
    freed: usize,
}

impl Sacrifice {
    /// Returns whether it loses less than another one. Of equals, the first form of the first candidate does.
    fn is_better_than(&self, other: &Self) -> bool {
        let order = |one: &Self| (one.candidate, one.form.unwrap_or(usize::MAX));
        self.loss < other.loss || self.loss == other.loss && order(self) < order(other)
    }
}

/// The two sacrifices that lose least, of different candidates.
#[derive(Debug, Clone, Copy, Default)]
struct BestTwo([Option<Sacrifice>; 2]);

impl BestTwo {
    fn add(&mut self, added: Sacrifice) {
        let [first, second] = &mut self.0;
        let is_better = |other: &Option<Sacrifice>| {
            other.as_ref().is_none_or(|other| added.is_better_than(other))
        };
        let is_of_first = first.is_some_and(|first| first.candidate == added.candidate);
        if is_better(first) {
            *second = if is_of_first { *second } else { *first };
            *first = Some(added);
        } else if !is_of_first && is_better(second) {
            *second = Some(added);
        }
    }

    /// Returns the best one of another candidate.
    fn except(&self, candidate: usize) -> Option<Sacrifice> {
        self.0.into_iter().flatten().find(|sacrifice| sacrifice.candidate != candidate)
    }
}

/// All sacrifices of a solution.
pub(super) struct Sacrifices {
    /// For each tier the numbers of tokens that sacrifices free, in falling order, with the best of those that free at
    /// least as many.
    by_tier: Vec<Vec<(usize, BestTwo)>>,
}

impl Sacrifices {
    /// Returns the sacrifices of a solution.
    pub(super) fn of(problem: &SelectionProblem<'_>, solution: &Solution) -> Self {
        let mut by_tier: Vec<Vec<Sacrifice>> = vec![vec![]; problem.shares.len()];
        for (candidate, chosen) in solution.chosen.iter().enumerate() {
            if chosen.is_none() {
                continue;
            }
            let current = problem.form(candidate, *chosen);
            let forms = &problem.candidates[candidate].forms;
            for form in (0..forms.len()).map(Some).chain([None]) {
                let cheaper = problem.form(candidate, form);
                if cheaper.cost < current.cost {
                    let (loss, freed) =
                        (current.value - cheaper.value, current.cost - cheaper.cost);
                    by_tier[problem.candidates[candidate].tier].push(Sacrifice {
                        candidate,
                        form,
                        loss,
                        freed,
                    });
                }
            }
        }
        Sacrifices { by_tier: by_tier.into_iter().map(best_by_freed).collect() }
    }

    /// Returns the sacrifice of another candidate that brings what is spent back into the budget at the least loss.
    pub(super) fn cheapest(
        &self,
        budget: &Budget,
        spent: &[usize],
        except: usize,
    ) -> Option<Sacrifice> {
        let charge = budget.charge(spent);
        let mut best: Option<Sacrifice> = None;
        for ((spent, reserved), sacrifices) in spent.iter().zip(&budget.reserved).zip(&self.by_tier)
        {
            let before = reserved.max(*spent as f64);
            let is_enough = |(freed, _): &(usize, BestTwo)| {
                let after = reserved.max(spent.saturating_sub(*freed) as f64);
                !budget.is_exceeded_by(charge - before + after)
            };
            let enough = sacrifices.partition_point(is_enough);
            let found = enough.checked_sub(1).and_then(|last| sacrifices[last].1.except(except));
            best = match (best, found) {
                (Some(best), Some(found)) if !found.is_better_than(&best) => Some(best),
                (best, found) => found.or(best),
            };
        }
        best
    }
}

/// Returns the numbers of tokens that sacrifices free, in falling order, with the best of those that free at least as
/// many.
fn best_by_freed(mut sacrifices: Vec<Sacrifice>) -> Vec<(usize, BestTwo)> {
    sacrifices.sort_unstable_by_key(|sacrifice| std::cmp::Reverse(sacrifice.freed));
    let mut best = BestTwo::default();
    let mut by_freed: Vec<(usize, BestTwo)> = Vec::new();
    for sacrifice in sacrifices {
        best.add(sacrifice);
        match by_freed.last_mut() {
            Some((freed, last)) if *freed == sacrifice.freed => *last = best,
            _ => by_freed.push((sacrifice.freed, best)),
        }
    }
    by_freed
}
