//! Chooses which candidates go into a context, and in which form.
//!
//! The problem: every candidate belongs to a tier and has several forms, each with a value and a cost in tokens. At most
//! one form of a candidate is chosen. A tier's share of the budget is reserved for it as far as its candidates can use it:
//! a tier is charged what it spends, but at least `min(share × budget, cost of all its candidates)`, and the charges of
//! all tiers together must not exceed the budget. A tier that comes first has all of the budget as its share, and the
//! others have shares of the rest. The total value is to be as large as possible. This is a
//! multiple-choice knapsack with reservations.
//!
//! The algorithm:
//! 1. Of each candidate's forms, those that no mixture of others beats form a chain of upgrades with falling gain per
//!    token. All upgrades are taken in the order of gain per token, as far as they fit.
//! 2. What is left of the budget is filled with any form that fits, and a form is exchanged for another candidate's as
//!    long as that raises the total value.
//! 3. Steps 1 and 2 alone may return less for a larger budget, since one large candidate may take the place of several
//!    small ones. So the answer for a budget is the best one among those for all smaller budgets of a fixed grid. The
//!    search goes downward and ends as soon as the bound of the continuous problem, in which upgrades may be taken in
//!    part, shows that no smaller budget can do better. Hence with more budget the total value never falls.

mod sacrifice;

use sacrifice::{Sacrifice, Sacrifices};

/// A form in which a candidate may appear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Form {
    /// What it is worth; positive.
    pub value: f64,
    /// What it costs, in tokens.
    pub cost: usize,
}

/// Something that may go into a context, in one of several forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The tier that it belongs to.
    pub tier: usize,
    /// Its forms, in any order.
    pub forms: Vec<Form>,
}

/// The smallest difference of values that counts.
const MIN_GAIN: f64 = 1e-9;

/// The error of sums of shares, in tokens.
const ROUNDING_ERROR: f64 = 1e-6;

/// How many candidates are considered for an exchange in each round.
const MAX_EXCHANGED: usize = 48;

/// How many exchanges are made at most.
const MAX_EXCHANGES: usize = 64;

/// Up to how many candidates several orders are tried.
const MAX_REORDERED: usize = 40;

/// The exponents of the cost in the orders that are tried besides gain per token, whose exponent is 1.
const COST_EXPONENTS: [f64; 3] = [0.7, 0.4, 0.0];

/// The number of budgets of the grid between a power of two and the next.
const GRID_STEPS: usize = 256;

/// What is reserved for a tier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// As much as its candidates need.
    First,
    /// A part of what the tiers that come first leave. All parts add up to at most 1.
    Part(f64),
}

/// Returns the chosen form of each candidate; `shares` are those of the tiers.
pub fn select(candidates: &[Candidate], shares: &[Share], budget: usize) -> Vec<Option<usize>> {
    let problem = SelectionProblem::new(candidates, shares);
    let mut best = Solution::empty(candidates.len(), shares.len());
    for smaller in budgets_downward(budget) {
        if problem.upper_bound(smaller) <= best.value + MIN_GAIN {
            break;
        }
        let solution = problem.solve(smaller);
        if solution.value > best.value + MIN_GAIN {
            best = solution;
        }
    }
    best.chosen
}

/// Returns the budgets of the grid up to a budget, the largest first.
fn budgets_downward(budget: usize) -> impl Iterator<Item = usize> {
    let step = |budget: usize| match budget.checked_ilog2() {
        Some(power) => (1_usize << power).div_ceil(GRID_STEPS).max(1),
        None => 1,
    };
    let on_grid = move |budget: usize| budget - budget % step(budget);
    let next = move |budget: &usize| (*budget > 0).then(|| on_grid(budget - 1));
    std::iter::successors(Some(on_grid(budget)), next)
}

/// A step from one form of a candidate to the next more expensive one.
#[derive(Debug, Clone, Copy)]
struct Upgrade {
    candidate: usize,
    /// The form before; `None` if the candidate was left out.
    from: Option<usize>,
    to: usize,
    gain: f64,
    cost: usize,
}

impl Upgrade {
    fn gain_per_token(&self) -> f64 {
        self.gain / self.cost.max(1) as f64
    }
}

/// A candidate and its new form, or none.
type Change = (usize, Option<usize>);

/// A choice of forms.
#[derive(Debug, Clone)]
struct Solution {
    chosen: Vec<Option<usize>>,
    /// The tokens that each tier spends.
    spent: Vec<usize>,
    value: f64,
}

impl Solution {
    fn empty(candidates: usize, tiers: usize) -> Self {
        Solution { chosen: vec![None; candidates], spent: vec![0; tiers], value: 0.0 }
    }
}

/// The candidates with what does not depend on the budget.
struct SelectionProblem<'c> {
    candidates: &'c [Candidate],
    shares: &'c [Share],
    /// The upgrades of all candidates, in falling order of gain per token.
    upgrades: Vec<Upgrade>,
    /// What all candidates of each tier cost in their most valuable forms.
    full_costs: Vec<usize>,
    /// The value of each candidate's most valuable form.
    max_values: Vec<f64>,
}

/// A budget with the part of it that is reserved for each tier.
struct Budget {
    total: f64,
    /// Not rounded: of a larger budget every choice is possible that a smaller one allows.
    reserved: Vec<f64>,
}

impl Budget {
    /// Returns what all tiers are charged.
    fn charge(&self, spent: &[usize]) -> f64 {
        let charges = spent.iter().zip(&self.reserved);
        charges.map(|(spent, reserved)| reserved.max(*spent as f64)).sum()
    }

    fn is_exceeded_by(&self, charge: f64) -> bool {
        charge > self.total + ROUNDING_ERROR
    }

    /// Returns how much more a tier can spend.
    fn room(&self, spent: &[usize], tier: usize) -> usize {
        let unused = (self.reserved[tier] - spent[tier] as f64).max(0.0);
        let unreserved = (self.total - self.charge(spent)).max(0.0);
        (unused + unreserved + ROUNDING_ERROR) as usize
    }
}

impl<'c> SelectionProblem<'c> {
    fn new(candidates: &'c [Candidate], shares: &'c [Share]) -> Self {
        let mut full_costs = vec![0; shares.len()];
        let mut upgrades = Vec::new();
        for (index, candidate) in candidates.iter().enumerate() {
            let best = candidate
                .forms
                .iter()
                .max_by(|a, b| a.value.total_cmp(&b.value).then_with(|| b.cost.cmp(&a.cost)));
            full_costs[candidate.tier] += best.map_or(0, |form| form.cost);
            add_upgrades(index, &candidate.forms, &mut upgrades);
        }
        upgrades.sort_by(|a: &Upgrade, b: &Upgrade| {
            let by_gain = b.gain_per_token().total_cmp(&a.gain_per_token());
            by_gain.then_with(|| a.candidate.cmp(&b.candidate)).then_with(|| a.to.cmp(&b.to))
        });
        let max_value = |candidate: &Candidate| {
            candidate.forms.iter().map(|form| form.value).fold(0.0, f64::max)
        };
        let max_values = candidates.iter().map(max_value).collect();
        SelectionProblem { candidates, shares, upgrades, full_costs, max_values }
    }

    fn budget(&self, total: usize) -> Budget {
        let total = total as f64;
        let tiers = || self.shares.iter().zip(&self.full_costs);
        let first = tiers().filter(|(share, _)| **share == Share::First);
        let first: f64 = first.map(|(_, full)| *full as f64).sum();
        let rest = (total - first).max(0.0);
        // Several tiers that come first divide a budget that is too small for them in proportion to what they need.
        let first_part = if first > total { total / first } else { 1.0 };
        let reserved = tiers().map(|(share, full)| match share {
            Share::First => *full as f64 * first_part,
            Share::Part(part) => (part * rest).min(*full as f64),
        });
        Budget { total, reserved: reserved.collect() }
    }

    /// Returns a value that no choice within this or a smaller budget exceeds: that of the best choice if upgrades could be
    /// taken in part.
    fn upper_bound(&self, total: usize) -> f64 {
        let Budget { total, mut reserved } = self.budget(total);
        let mut unreserved = total - reserved.iter().sum::<f64>();
        let mut value = 0.0;
        for upgrade in &self.upgrades {
            let tier = self.candidates[upgrade.candidate].tier;
            let cost = upgrade.cost as f64;
            let from_reserve = cost.min(reserved[tier]);
            let from_rest = (cost - from_reserve).min(unreserved);
            reserved[tier] -= from_reserve;
            unreserved -= from_rest;
            let part = if upgrade.cost == 0 { 1.0 } else { (from_reserve + from_rest) / cost };
            value += upgrade.gain * part;
        }
        value
    }

    /// Returns a good choice within a budget: the best one over several orders of the upgrades. Few large candidates leave
    /// gaps that depend on the order; many small ones do not, and one order is enough.
    fn solve(&self, total: usize) -> Solution {
        let budget = self.budget(total);
        let mut best = self.improve(&budget, self.take_in_order(&budget, &self.upgrades));
        if self.candidates.len() <= MAX_REORDERED {
            let mut upgrades = self.upgrades.clone();
            for cost_exponent in COST_EXPONENTS {
                let worth = |one: &Upgrade| one.gain / (one.cost.max(1) as f64).powf(cost_exponent);
                upgrades.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
                let other = self.improve(&budget, self.take_in_order(&budget, &upgrades));
                best = if other.value > best.value + MIN_GAIN { other } else { best };
            }
        }
        best
    }

    /// Takes upgrades as far as they fit.
    fn take_in_order(&self, budget: &Budget, upgrades: &[Upgrade]) -> Solution {
        let mut solution = Solution::empty(self.candidates.len(), self.shares.len());
        for upgrade in upgrades {
            let tier = self.candidates[upgrade.candidate].tier;
            let follows = solution.chosen[upgrade.candidate] == upgrade.from;
            if follows && upgrade.cost <= budget.room(&solution.spent, tier) {
                self.choose(&mut solution, upgrade.candidate, Some(upgrade.to));
            }
        }
        solution
    }

    /// Fills what is left of the budget, and exchanges forms as long as that raises the value.
    fn improve(&self, budget: &Budget, mut solution: Solution) -> Solution {
        self.fill(budget, &mut solution);
        for _ in 0..MAX_EXCHANGES {
            let is_small = self.candidates.len() <= MAX_REORDERED;
            let is_better = self.exchange(budget, &mut solution)
                || is_small && self.replace_one(budget, &mut solution)
                || is_small && self.displace_several(budget, &mut solution);
            if !is_better {
                break;
            }
            self.fill(budget, &mut solution);
        }
        solution
    }

    /// Leaves out one candidate and fills the room with others, if that raises the value. Returns whether it does.
    fn replace_one(&self, budget: &Budget, solution: &mut Solution) -> bool {
        for candidate in (0..self.candidates.len()).filter(|at| solution.chosen[*at].is_some()) {
            let mut other = solution.clone();
            self.choose(&mut other, candidate, None);
            let order = self.by_possible_gain(&other);
            let others: Vec<usize> =
                order.into_iter().filter(|other| *other != candidate).collect();
            self.fill_in_order(budget, &mut other, &others);
            self.fill(budget, &mut other);
            if other.value > solution.value + MIN_GAIN {
                *solution = other;
                return true;
            }
        }
        false
    }

    /// Chooses a form that does not fit, and leaves out others until it does, if that raises the value. Returns whether it
    /// does.
    fn displace_several(&self, budget: &Budget, solution: &mut Solution) -> bool {
        for candidate in self.by_possible_gain(solution) {
            for form in 0..self.candidates[candidate].forms.len() {
                let mut other = solution.clone();
                self.choose(&mut other, candidate, Some(form));
                while budget.is_exceeded_by(budget.charge(&other.spent))
                    && other.value > solution.value
                {
                    let Some(left_out) = self.least_loss_per_token(budget, &other, candidate)
                    else {
                        break;
                    };
                    self.choose(&mut other, left_out, None);
                }
                if budget.is_exceeded_by(budget.charge(&other.spent)) {
                    continue;
                }
                self.fill(budget, &mut other);
                if other.value > solution.value + MIN_GAIN {
                    *solution = other;
                    return true;
                }
            }
        }
        false
    }

    /// Returns the candidate whose removal frees budget at the least loss of value per token.
    fn least_loss_per_token(
        &self,
        budget: &Budget,
        solution: &Solution,
        except: usize,
    ) -> Option<usize> {
        let charge = budget.charge(&solution.spent);
        let loss = |candidate: usize| {
            let Form { value, cost } = self.form(candidate, solution.chosen[candidate]);
            let mut spent = solution.spent.clone();
            spent[self.candidates[candidate].tier] -= cost;
            let freed = charge - budget.charge(&spent);
            (freed > ROUNDING_ERROR).then(|| value / freed)
        };
        let chosen = (0..self.candidates.len()).filter(|at| solution.chosen[*at].is_some());
        let others = chosen.filter(|candidate| *candidate != except);
        let losses = others.filter_map(|candidate| Some((loss(candidate)?, candidate)));
        losses.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, candidate)| candidate)
    }

    /// Returns the value and the cost of a form.
    fn form(&self, candidate: usize, form: Option<usize>) -> Form {
        form.map_or(Form { value: 0.0, cost: 0 }, |form| self.candidates[candidate].forms[form])
    }

    fn choose(&self, solution: &mut Solution, candidate: usize, form: Option<usize>) {
        let tier = self.candidates[candidate].tier;
        let (old, new) =
            (self.form(candidate, solution.chosen[candidate]), self.form(candidate, form));
        solution.spent[tier] = solution.spent[tier] + new.cost - old.cost;
        solution.value += new.value - old.value;
        solution.chosen[candidate] = form;
    }

    /// Upgrades candidates to the most valuable form that fits, those with the largest possible gain first.
    fn fill(&self, budget: &Budget, solution: &mut Solution) {
        let order = self.by_possible_gain(solution);
        self.fill_in_order(budget, solution, &order);
    }

    fn fill_in_order(&self, budget: &Budget, solution: &mut Solution, order: &[usize]) {
        for &candidate in order {
            let room = budget.room(&solution.spent, self.candidates[candidate].tier);
            let current = self.form(candidate, solution.chosen[candidate]);
            let forms = self.candidates[candidate].forms.iter().enumerate();
            let fitting = forms.filter(|(_, form)| form.cost <= current.cost + room);
            let best = fitting.max_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
            if let Some((form, _)) = best.filter(|(_, form)| form.value > current.value + MIN_GAIN)
            {
                self.choose(solution, candidate, Some(form));
            }
        }
    }

    /// Returns the candidates that are not in their most valuable form, those with the largest possible gain first.
    fn by_possible_gain(&self, solution: &Solution) -> Vec<usize> {
        let gain = |candidate: usize| {
            self.max_values[candidate] - self.form(candidate, solution.chosen[candidate]).value
        };
        let all = (0..self.candidates.len()).map(|candidate| (gain(candidate), candidate));
        let mut gaining: Vec<(f64, usize)> = all.filter(|(gain, _)| *gain > MIN_GAIN).collect();
        gaining.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        gaining.into_iter().map(|(_, candidate)| candidate).collect()
    }

    /// Makes the exchange that gains the most: one candidate gets a better form, and another one a cheaper form or none.
    /// Returns whether there is one.
    fn exchange(&self, budget: &Budget, solution: &mut Solution) -> bool {
        let mut best: Option<(f64, [Change; 2])> = None;
        let sacrifices = Sacrifices::of(self, solution);
        for candidate in self.by_possible_gain(solution).into_iter().take(MAX_EXCHANGED) {
            let tier = self.candidates[candidate].tier;
            let current = self.form(candidate, solution.chosen[candidate]);
            for (form, upgraded) in self.candidates[candidate].forms.iter().enumerate() {
                let gain = upgraded.value - current.value;
                let so_far = best.as_ref().map_or(MIN_GAIN, |(gain, _)| *gain);
                if gain <= so_far {
                    continue;
                }
                let mut spent = solution.spent.clone();
                spent[tier] = spent[tier] + upgraded.cost - current.cost;
                let sacrifice = sacrifices.cheapest(budget, &spent, candidate);
                if let Some(Sacrifice { loss, candidate: other, form: cheaper, .. }) = sacrifice
                    && gain - loss > so_far
                {
                    best = Some((gain - loss, [(candidate, Some(form)), (other, cheaper)]));
                }
            }
        }
        let Some((_, changes)) = best else { return false };
        for (candidate, form) in changes {
            self.choose(solution, candidate, form);
        }
        true
    }
}

/// Adds the upgrades of a candidate: the upper convex hull of its forms, from nothing to the most valuable.
fn add_upgrades(candidate: usize, forms: &[Form], upgrades: &mut Vec<Upgrade>) {
    let mut from: Option<usize> = None;
    let mut current = Form { value: 0.0, cost: 0 };
    loop {
        let steps = forms
            .iter()
            .enumerate()
            .filter(|(_, form)| form.value > current.value + MIN_GAIN && form.cost >= current.cost);
        let steps = steps.map(|(to, form)| Upgrade {
            candidate,
            from,
            to,
            gain: form.value - current.value,
            cost: form.cost - current.cost,
        });
        // Of equally steep steps the longest is taken.
        let steepest = steps.max_by(|a, b| {
            a.gain_per_token()
                .total_cmp(&b.gain_per_token())
                .then_with(|| a.gain.total_cmp(&b.gain))
        });
        let Some(upgrade) = steepest else { return };
        upgrades.push(upgrade);
        from = Some(upgrade.to);
        current = forms[upgrade.to];
    }
}

#[cfg(test)]
mod tests;
