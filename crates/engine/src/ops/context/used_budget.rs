//! Fits lines and the text of documents into a token budget, one after the other.

use heirloom_core::budget::{self, BudgetItem, BudgetLayer, ItemForm};
use heirloom_store::tokens::TokenCounter;

use crate::loading::{ChosenLayer, ContentKind, candidate_layers, choose, role_shares};
use crate::workspace::inherit::{self, Inheritance};
use crate::{Error, Session};

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

    /// Returns which lines fit into the budget divided by `part`, the first ones first.
    pub(super) fn take_lines(&mut self, part: usize, lines: &[String]) -> Vec<bool> {
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
