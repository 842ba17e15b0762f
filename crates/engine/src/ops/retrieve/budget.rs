//! Fits what was retrieved into a token budget. No entry is cut: one that does not fit is shortened to its title, or left
//! out and counted.

use std::cmp::Reverse;

use heirloom_core::budget::{self, BudgetItem, BudgetLayer, ItemForm, LayerPlan};
use heirloom_core::{Hint, yaml};
use heirloom_store::tokens::{self, TokenCounter};
use serde_json::json;

use super::answer::{LeftOutEntries, Retrieval};
use super::entries::Shorten;
use super::lists::{ListSpec, ListVisitor};
use crate::{Error, Session};

/// What a whole entry and a shortened one are worth.
const WHOLE_POINTS: u64 = 800;
const SHORTENED_POINTS: u64 = 300;

/// A budget that is proposed is a multiple of this.
const BUDGET_STEP: usize = 100;

/// The entries of a list that are offered would fill the room this many times in their smallest forms. The choice takes time
/// for each entry, and would hardly reach the others.
const OFFERED_PER_ROOM: usize = 2;

/// The attempts to find out how much room there is for entries.
const MAX_ATTEMPTS: usize = 6;

/// The costs of a list.
#[derive(Debug, Clone)]
struct ListCosts {
    spec: ListSpec,
    /// The positions of the entries, the most important first.
    order: Vec<usize>,
    /// The costs of the entries in this order.
    items: Vec<BudgetItem>,
}

/// Limits the tokens of an answer whose request states no budget. An answer that fits stays as it is. Problems come on top
/// of the limit, because damaged files must not make the request fail.
pub(super) fn fit_by_default(
    session: &Session,
    answer: &mut Retrieval,
    limit: usize,
) -> Result<(), Error> {
    // A token has at least one byte, so the tokens of most answers need not be counted.
    if yaml::write_document(&answer.value()).len() <= limit {
        return Ok(());
    }
    let problems = yaml::write_document(&json!({ "problems": answer.problems }));
    fit(session, answer, limit + tokens::count(&problems))?;
    if answer.left_out.is_empty() {
        answer.tokens = None;
    }
    Ok(())
}

/// Shortens and leaves out entries so that the answer as YAML has at most `limit` tokens.
pub(super) fn fit(session: &Session, answer: &mut Retrieval, limit: usize) -> Result<(), Error> {
    let mut counter = TokenCounter::open(session.root());
    answer.tokens = Some(limit);
    let mut total = count(&mut counter, answer);
    if total > limit {
        let mut costs = CostVisitor { counter: &mut counter, lists: vec![] };
        answer.visit_lists(&mut costs);
        let lists = costs.lists;
        let whole = answer.clone();
        let sufficient = (total / BUDGET_STEP + 1) * BUDGET_STEP;
        // Leaving out everything costs the most besides the entries.
        choose(answer, &lists, 0, sufficient);
        total = count(&mut counter, answer);
        if total > limit {
            counter.save();
            let message = format!("a budget of {limit} tokens holds no entry");
            return Err(Error::bad_input(message).hint(format!("give more than {total}")));
        }
        let mut room = limit - total;
        let mut is_chosen = false;
        for _ in 0..MAX_ATTEMPTS {
            let mut chosen = whole.clone();
            choose(&mut chosen, &lists, room, sufficient);
            let tokens = count(&mut counter, &chosen);
            if tokens > limit {
                if is_chosen {
                    break;
                }
                room = room.saturating_sub(tokens - limit);
                continue;
            }
            // What is listed as left out gets shorter, so there may be room for more.
            (total, room, is_chosen) = (tokens, room + (limit - tokens).max(1), true);
            *answer = chosen;
        }
    }
    answer.tokens = Some(total);
    counter.save();
    Ok(())
}

fn count(counter: &mut TokenCounter<'_>, answer: &Retrieval) -> usize {
    counter.count(&yaml::write_document(&answer.value()))
}

/// Chooses entries for a number of tokens, and says what is left out and how to get it. A budget of `sufficient` tokens
/// would hold everything.
fn choose(answer: &mut Retrieval, lists: &[ListCosts], room: usize, sufficient: usize) {
    let layer = |list: &ListCosts| BudgetLayer {
        share: list.spec.share,
        conditional: offered_items(&list.items, room),
        ..BudgetLayer::default()
    };
    let plan = budget::choose(room, &lists.iter().map(layer).collect::<Vec<_>>());
    let mut visitor = ChoiceVisitor { lists, plan: &plan.layers, next: 0, left_out: vec![] };
    answer.visit_lists(&mut visitor);
    answer.left_out = visitor.left_out;
    let scope = answer.scope.clone();
    for left in &mut answer.left_out {
        let list = lists.iter().find(|list| list.spec.name == left.list);
        left.get = match list.and_then(|list| list.spec.operation) {
            Some(operation) => {
                let arguments = scope.iter().map(|scope| ("scope", scope));
                Hint::default().call(operation, arguments)
            }
            None => Hint::text("the same with ").field("budget").then(format!(" {sufficient}")),
        };
    }
}

/// Returns the entries that may be chosen for a number of tokens: the first ones.
fn offered_items(items: &[BudgetItem], room: usize) -> Vec<BudgetItem> {
    let mut left = OFFERED_PER_ROOM * room;
    let offered = items.iter().take_while(|item| {
        let is_offered = left > 0;
        let smallest = item.forms.last().map_or(0, |form| form.tokens);
        // An entry that does not fit leaves its place to others.
        if smallest <= room {
            left = left.saturating_sub(smallest);
        }
        is_offered
    });
    offered.cloned().collect()
}

/// Counts the tokens of all entries.
struct CostVisitor<'c, 'r> {
    counter: &'c mut TokenCounter<'r>,
    lists: Vec<ListCosts>,
}

impl ListVisitor for CostVisitor<'_, '_> {
    fn visit<E: Shorten>(&mut self, spec: ListSpec, entries: &mut Vec<E>) {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_cached_key(|position| Reverse(entries[*position].rank()));
        let items = order.iter().map(|position| {
            let entry = &entries[*position];
            let mut form = |entry: &E, points| {
                let tokens =
                    self.counter.count(&yaml::write_document(&json!({ spec.name: [entry] })));
                ItemForm { tokens, points }
            };
            let whole = form(entry, WHOLE_POINTS);
            let shortened = entry.shorten().map(|entry| form(&entry, SHORTENED_POINTS));
            let forms = std::iter::once(whole).chain(shortened);
            BudgetItem { forms: forms.collect() }
        });
        let items = items.collect();
        self.lists.push(ListCosts { spec, order, items });
    }
}

/// Keeps the entries that were chosen.
struct ChoiceVisitor<'c> {
    lists: &'c [ListCosts],
    plan: &'c [LayerPlan],
    next: usize,
    left_out: Vec<LeftOutEntries>,
}

impl ListVisitor for ChoiceVisitor<'_> {
    fn visit<E: Shorten>(&mut self, spec: ListSpec, entries: &mut Vec<E>) {
        let position = self.next;
        self.next += 1;
        let (Some(list), Some(plan)) = (self.lists.get(position), self.plan.get(position)) else {
            return;
        };
        let mut forms: Vec<Option<usize>> = vec![None; entries.len()];
        let mut left = LeftOutEntries::new(spec.name);
        // Entries that were not offered are left out.
        let chosen = plan.conditional.iter().copied().chain(std::iter::repeat(None));
        for ((position, item), chosen) in list.order.iter().zip(&list.items).zip(chosen) {
            forms[*position] = chosen;
            let cost = |form: usize| item.forms.get(form).map_or(0, |form| form.tokens);
            match chosen {
                None => left.entries += 1,
                Some(0) => continue,
                Some(_) => left.shortened += 1,
            }
            left.tokens += cost(0) - chosen.map_or(0, cost).min(cost(0));
        }
        let kept = std::mem::take(entries).into_iter().zip(forms);
        entries.extend(kept.filter_map(|(entry, form)| match form? {
            0 => Some(entry),
            _ => entry.shorten(),
        }));
        if left.entries + left.shortened > 0 {
            self.left_out.push(left);
        }
    }
}
