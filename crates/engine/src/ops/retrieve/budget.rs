//! Fits what was retrieved into a token budget. No entry is cut: one that does not fit is shortened to its title, or left
//! out and counted.

use std::cmp::Reverse;
use std::io;

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

/// The attempts to find a choice that fits, and then to use the room that it leaves.
const MAX_ATTEMPTS: usize = 6;
const MAX_CHOICES: usize = 2;

/// A text with more bytes for each token of the limit exceeds it; its tokens need not be counted.
const MAX_BYTES_PER_TOKEN: usize = 16;

/// An answer has at most so many times as many bytes in JSON as in YAML, which has no quotes but indents.
const MAX_JSON_BYTES: usize = 2;

/// The costs of a list. Entries beyond those that could fill the budget are not offered, and are left out.
#[derive(Debug, Clone)]
struct ListCosts {
    spec: ListSpec,
    /// How many entries are not offered.
    not_offered: usize,
    /// The tokens of the whole list, estimated from the entries that were counted.
    tokens: usize,
    /// The positions of the offered entries, the most important first.
    order: Vec<usize>,
    /// Their costs, in this order.
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
    if may_be_written_in(answer, limit * MAX_JSON_BYTES)
        && yaml::write_document(&answer.value()).len() <= limit
    {
        return Ok(());
    }
    fit(session, answer, limit + count_problems(answer))?;
    if answer.left_out.is_empty() {
        answer.tokens = None;
    }
    Ok(())
}

/// Counts the tokens of the problems. Counting takes some milliseconds, and most answers have none.
fn count_problems(answer: &Retrieval) -> usize {
    match answer.problems.is_empty() {
        true => 0,
        false => tokens::count(&yaml::write_document(&json!({ "problems": answer.problems }))),
    }
}

/// Shortens and leaves out entries so that the answer as YAML has at most `limit` tokens.
pub(super) fn fit(session: &Session, answer: &mut Retrieval, limit: usize) -> Result<(), Error> {
    let mut counter = TokenCounter::open(session.root());
    answer.tokens = Some(limit);
    let max_bytes = limit.saturating_mul(MAX_BYTES_PER_TOKEN * MAX_JSON_BYTES);
    let may_fit = may_be_written_in(answer, max_bytes);
    let written = may_fit.then(|| yaml::write_document(&answer.value()));
    let counted = written.map(|written| (counter.count(&written), written));
    let total = match counted.filter(|(total, _)| *total <= limit) {
        Some((total, written)) => {
            answer.written = with_total(written, limit, total);
            total
        }
        None => choose_what_fits(&mut counter, answer, limit)?,
    };
    answer.tokens = Some(total);
    counter.save();
    Ok(())
}

/// Replaces the limit, which stands for the tokens of an answer while they are counted, in the answer as YAML; `None` if
/// it does not come last.
fn with_total(mut written: String, limit: usize, total: usize) -> Option<String> {
    let end = written.strip_suffix(&format!("\ntokens: {limit}\n"))?.len();
    written.truncate(end);
    written.push_str(&format!("\ntokens: {total}\n"));
    Some(written)
}

/// Shortens and leaves out entries, and returns the tokens of the answer.
fn choose_what_fits(
    counter: &mut TokenCounter<'_>,
    answer: &mut Retrieval,
    limit: usize,
) -> Result<usize, Error> {
    let mut costs = CostVisitor { counter, limit, lists: vec![] };
    answer.visit_lists(&mut costs);
    let lists = costs.lists;
    let whole = answer.clone();
    let listed: usize = lists.iter().map(|list| list.tokens).sum();
    // Leaving out everything costs the most besides the entries.
    choose(answer, &lists, 0, limit);
    let mut total = count(counter, answer);
    if total > limit {
        let message = format!("a budget of {limit} tokens holds no entry");
        return Err(Error::bad_input(message).hint(format!("give more than {total}")));
    }
    let sufficient = ((listed + total) / BUDGET_STEP + 1) * BUDGET_STEP;
    let mut room = limit - total;
    let mut choices = 0;
    for _ in 0..MAX_ATTEMPTS {
        let mut chosen = whole.clone();
        choose(&mut chosen, &lists, room, sufficient);
        let tokens = count(counter, &chosen);
        if tokens > limit {
            if choices > 0 {
                break;
            }
            room = room.saturating_sub(tokens - limit);
            continue;
        }
        // What is listed as left out gets shorter, so there may be room for more.
        (total, room, choices) = (tokens, room + (limit - tokens).max(1), choices + 1);
        *answer = chosen;
        if choices == MAX_CHOICES {
            break;
        }
    }
    Ok(total)
}

/// Returns whether an answer has at most `limit` bytes as JSON, without writing more of it than that.
fn may_be_written_in(answer: &Retrieval, limit: usize) -> bool {
    struct Limited(usize);
    impl io::Write for Limited {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    serde_json::to_writer(Limited(limit), answer).is_ok()
}

fn count(counter: &mut TokenCounter<'_>, answer: &Retrieval) -> usize {
    counter.count(&yaml::write_document(&answer.value()))
}

/// Chooses entries for a number of tokens, and says what is left out and how to get it. A budget of `sufficient` tokens
/// would hold everything.
fn choose(answer: &mut Retrieval, lists: &[ListCosts], room: usize, sufficient: usize) {
    let layer = |list: &ListCosts| BudgetLayer {
        share: list.spec.share,
        conditional: list.items.clone(),
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

/// Counts the tokens of the entries that are offered.
struct CostVisitor<'c, 'r> {
    counter: &'c mut TokenCounter<'r>,
    limit: usize,
    lists: Vec<ListCosts>,
}

impl ListVisitor for CostVisitor<'_, '_> {
    fn visit<E: Shorten>(&mut self, spec: ListSpec, entries: &mut Vec<E>) {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_cached_key(|position| Reverse(entries[*position].rank()));
        let counter = &mut *self.counter;
        let mut items: Vec<BudgetItem> = Vec::new();
        // The choice takes time for each entry, and would not reach those behind what fills the budget.
        let mut room = self.limit;
        for position in &order {
            if room == 0 {
                break;
            }
            let entry = &entries[*position];
            let mut form = |entry: &E, points| {
                let tokens = counter.count(&yaml::write_document(&json!({ spec.name: [entry] })));
                ItemForm { tokens, points }
            };
            let whole = form(entry, WHOLE_POINTS);
            let shortened = entry.shorten().map(|entry| form(&entry, SHORTENED_POINTS));
            let forms: Vec<ItemForm> = std::iter::once(whole).chain(shortened).collect();
            let smallest = forms.last().map_or(0, |form| form.tokens);
            // An entry that does not fit leaves its place to others.
            if smallest <= self.limit {
                room = room.saturating_sub(smallest);
            }
            items.push(BudgetItem { forms });
        }
        let counted: usize = items.iter().map(|item| item.forms[0].tokens).sum();
        let tokens = counted * order.len() / items.len().max(1);
        let not_offered = order.len() - items.len();
        let order = keep_offered(entries, &order[..items.len()]);
        self.lists.push(ListCosts { spec, not_offered, tokens, order, items });
    }
}

/// Removes the entries that are not offered, and returns the new positions of the others in the given order.
fn keep_offered<E>(entries: &mut Vec<E>, offered: &[usize]) -> Vec<usize> {
    let mut is_offered = vec![false; entries.len()];
    offered.iter().for_each(|position| is_offered[*position] = true);
    let mut kept = 0;
    let mut new_positions = Vec::with_capacity(entries.len());
    for is_offered in &is_offered {
        new_positions.push(kept);
        kept += usize::from(*is_offered);
    }
    let mut is_offered = is_offered.into_iter();
    entries.retain(|_| is_offered.next().unwrap_or_default());
    offered.iter().map(|position| new_positions[*position]).collect()
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
        left.entries = list.not_offered;
        let mut kept_tokens = 0;
        let offered = list.order.iter().zip(&list.items);
        for ((position, item), chosen) in offered.zip(&plan.conditional) {
            forms[*position] = *chosen;
            match chosen {
                None => left.entries += 1,
                Some(0) => {}
                Some(_) => left.shortened += 1,
            }
            let form = chosen.and_then(|form| item.forms.get(form));
            kept_tokens += form.map_or(0, |form| form.tokens);
        }
        left.tokens = list.tokens.saturating_sub(kept_tokens);
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
