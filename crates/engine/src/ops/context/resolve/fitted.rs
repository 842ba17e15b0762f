//! Fits a resolved context into a token budget: pins, values, decisions, then the text of the documents.

use std::collections::HashSet;

use heirloom_core::budget::{self, BudgetItem, BudgetLayer, ItemForm};
use heirloom_core::cascade;
use heirloom_store::tokens::TokenCounter;

use super::{DecisionInForce, ResolvedContext};
use crate::loading::{ChosenLayer, ContentKind, candidate_layers, choose, role_shares};
use crate::memory::MemoryItem;
use crate::workspace::inherit::{self, Inheritance};
use crate::{Error, Session};

/// Values use at most this part of the budget, so that the text gets something too.
const MAX_VALUES_PART: usize = 2;

/// Decisions use at most this part of the budget.
const MAX_DECISIONS_PART: usize = 4;

/// A budget of which a part is used.
pub(super) struct UsedBudget<'r> {
    budget: usize,
    left: usize,
    counter: TokenCounter<'r>,
}

impl<'r> UsedBudget<'r> {
    pub(super) fn new(session: &'r Session, budget: usize) -> Self {
        UsedBudget { budget, left: budget, counter: TokenCounter::open(session.root()) }
    }

    /// Returns which lines fit into a part of the budget, the first ones first.
    fn take_lines(&mut self, part: usize, lines: &[String]) -> Vec<bool> {
        let mut item = |line: &String| {
            let tokens = self.counter.count(&format!("{line}\n"));
            BudgetItem { forms: vec![ItemForm { tokens, points: 1 }] }
        };
        let always: Vec<BudgetItem> = lines.iter().map(&mut item).collect();
        let limit = self.left.min(self.budget / part);
        let plan = budget::choose(limit, &[BudgetLayer { always, ..BudgetLayer::default() }]);
        self.left -= plan.tokens();
        let chosen = plan.layers.into_iter().flat_map(|layer| layer.always);
        chosen.map(|form| form.is_some()).collect()
    }

    /// Chooses what of the text of the documents fits into the rest.
    pub(super) fn take_text(
        mut self,
        session: &Session,
        inherited: &Inheritance,
        role: Option<&str>,
    ) -> Result<FittedText, Error> {
        let config = session.config()?;
        let (_, hierarchy) = inherit::hierarchy(config, Some(&inherited.hierarchy))?;
        let agent = inherited.selectors.get("agent").map(String::as_str);
        let shares = role_shares(config, &hierarchy, inherited, role, agent)?.shares;
        let layers = candidate_layers(inherited, &hierarchy, ContentKind::Prose);
        let chosen =
            choose(self.left, layers, &shares, &mut self.counter, |_, _, text| text.to_owned());
        self.counter.save();
        let layers = chosen.layers;
        let text_tokens: usize = layers.iter().map(|layer| layer.tokens).sum();
        Ok(FittedText { tokens: self.budget - self.left + text_tokens, layers })
    }
}

/// The text that fits into a budget.
pub(super) struct FittedText {
    /// What was chosen of each level.
    pub(super) layers: Vec<ChosenLayer>,
    /// The tokens of everything that was chosen.
    pub(super) tokens: usize,
}

impl ResolvedContext {
    /// Leaves out pins, values and decisions that do not fit, and lists them.
    pub(super) fn limit_lines(&mut self, used: &mut UsedBudget<'_>) {
        let pins: Vec<String> = self.pins.iter().map(pin_line).collect();
        let kept = used.take_lines(1, &pins);
        let mut left_out = retain(&mut self.pins, &kept, |pin| pin.short_id().to_owned());
        left_out.extend(self.limit_values(used));
        let decisions: Vec<String> = self.decisions.iter().map(decision_line).collect();
        let kept = used.take_lines(MAX_DECISIONS_PART, &decisions);
        left_out.extend(retain(&mut self.decisions, &kept, |decision| decision.id.clone()));
        self.left_out_lines = Some(left_out);
    }

    /// Leaves out values that do not fit. Those of the most specific level come first.
    fn limit_values(&mut self, used: &mut UsedBudget<'_>) -> Vec<String> {
        let priority_of = |source: &str| {
            let layer = self.layers.iter().position(|layer| layer.source == source);
            layer.unwrap_or_default()
        };
        let mut rows: Vec<(usize, String, String)> = self
            .provenance
            .iter()
            .map(|(key, history)| {
                let winner = history.last().map_or("", |winner| &winner.source);
                (priority_of(winner), key.clone(), self.value_table.row(key, history).join(" "))
            })
            .collect();
        rows.sort_by_key(|(priority, _, _)| std::cmp::Reverse(*priority));
        let lines: Vec<String> = rows.iter().map(|(_, _, line)| line.clone()).collect();
        let kept = used.take_lines(MAX_VALUES_PART, &lines);
        let rows = rows.into_iter().zip(kept);
        let removed: Vec<String> =
            rows.filter(|(_, is_kept)| !is_kept).map(|((_, key, _), _)| key).collect();
        let set: HashSet<&str> = removed.iter().map(String::as_str).collect();
        self.provenance.retain(|key, _| !set.contains(key.as_str()));
        cascade::remove_keys(&mut self.values, |key| set.contains(key));
        removed
    }
}

/// Keeps the items that are marked, and returns the names of the others.
fn retain<T>(items: &mut Vec<T>, kept: &[bool], name: impl Fn(&T) -> String) -> Vec<String> {
    let mut flags = kept.iter();
    let mut removed = Vec::new();
    items.retain(|item| {
        let is_kept = flags.next() == Some(&true);
        if !is_kept {
            removed.push(name(item));
        }
        is_kept
    });
    removed
}

fn pin_line(pin: &MemoryItem) -> String {
    format!("{} {} {}", pin.short_id(), pin.text, pin.source)
}

fn decision_line(decision: &DecisionInForce) -> String {
    let date = decision.date.as_deref().unwrap_or_default();
    format!("{} {} {date} {}", decision.id, decision.title, decision.source)
}
