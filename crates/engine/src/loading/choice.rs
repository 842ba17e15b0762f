//! Chooses the forms of documents that fit into a token budget.

use heirloom_core::budget::{self, BudgetItem, BudgetLayer, ItemForm, LayerPlan, PlanValue};
use heirloom_core::document::DocumentForm;
use heirloom_store::tokens::TokenCounter;
use schemars::JsonSchema;
use serde::Serialize;

use super::candidates::{Candidate, CandidateLayer, LoadReason};

/// What was chosen of a context.
#[derive(Debug)]
pub(crate) struct ChosenContext {
    /// The levels, in the order in which they were served.
    pub(crate) layers: Vec<ChosenLayer>,
    /// The value of all that was chosen.
    pub(crate) value: PlanValue,
}

/// A level with what was chosen of it.
#[derive(Debug)]
pub(crate) struct ChosenLayer {
    /// The name of the level.
    pub(crate) level: String,
    /// The tokens of all that was chosen.
    pub(crate) tokens: usize,
    /// The documents, the most important first.
    pub(crate) entries: Vec<ChosenEntry>,
    /// The documents that did not fit.
    pub(crate) left_out: Vec<LeftOutFile>,
}

/// A document in the form that was chosen.
#[derive(Debug)]
pub(crate) struct ChosenEntry {
    /// The document.
    pub(crate) document: Candidate,
    /// How much of it is shown.
    pub(crate) form: DocumentForm,
    /// What is shown of it.
    pub(crate) content: String,
    /// The tokens of what is shown.
    pub(crate) tokens: usize,
    /// The tokens of the full form.
    pub(crate) full_tokens: usize,
}

/// A document that did not fit into the budget in any form.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct LeftOutFile {
    /// Level of the document.
    pub(crate) layer: String,
    /// Path of the file.
    pub(crate) path: String,
    /// Tokens of the whole document.
    pub(crate) tokens: usize,
    /// Tokens of its smallest form.
    pub(crate) smallest: usize,
}

/// The costs of the forms of a document. Forms that are not smaller than the one before are left out.
struct Costs {
    item: BudgetItem,
    /// The index of each form among those of the document.
    forms: Vec<usize>,
}

impl Costs {
    fn full(&self) -> usize {
        self.item.forms.first().map_or(0, |form| form.tokens)
    }

    fn smallest(&self) -> usize {
        self.item.forms.last().map_or(0, |form| form.tokens)
    }
}

/// Chooses what fits into a budget. `render` adds to a form what is printed with it and counts, such as a heading.
pub(crate) fn choose(
    budget: usize,
    layers: Vec<CandidateLayer>,
    shares: &[f64],
    counter: &mut TokenCounter<'_>,
    render: impl Fn(&CandidateLayer, &Candidate, &str) -> String,
) -> ChosenContext {
    let mut cost_of = |layer: &CandidateLayer, form_count: usize| {
        let cost = |document: &Candidate| {
            costs(document, form_count, |text| counter.count(&render(layer, document, text)))
        };
        layer.documents.iter().map(cost).collect::<Vec<Costs>>()
    };
    let mut costs: Vec<Vec<Costs>> = layers.iter().map(|layer| cost_of(layer, 1)).collect();
    // The smaller forms are counted only if they are needed.
    if !fits_whole(budget, &layers, &costs) {
        costs = layers.iter().map(|layer| cost_of(layer, usize::MAX)).collect();
    }
    let offered: Vec<BudgetLayer> = layers
        .iter()
        .zip(&costs)
        .zip(shares)
        .map(|((layer, costs), share)| {
            let always = always_count(layer);
            let items = |costs: &[Costs]| costs.iter().map(|costs| costs.item.clone()).collect();
            BudgetLayer {
                share: *share,
                max_tokens: layer.max_tokens,
                always: items(&costs[..always]),
                conditional: items(&costs[always..]),
            }
        })
        .collect();
    let plan = budget::choose(budget, &offered);
    let chosen = layers.into_iter().zip(costs).zip(plan.layers);
    let layers = chosen.map(|((layer, costs), plan)| apply(layer, &costs, plan));
    ChosenContext { layers: layers.collect(), value: plan.value }
}

/// Returns whether all documents fit in their full form.
fn fits_whole(budget: usize, layers: &[CandidateLayer], costs: &[Vec<Costs>]) -> bool {
    let tokens = |costs: &Vec<Costs>| costs.iter().map(Costs::full).sum::<usize>();
    let fits_layer = |(layer, costs): (&CandidateLayer, &Vec<Costs>)| {
        layer.max_tokens.is_none_or(|most| tokens(costs) <= most)
    };
    costs.iter().map(tokens).sum::<usize>() <= budget && layers.iter().zip(costs).all(fits_layer)
}

fn always_count(layer: &CandidateLayer) -> usize {
    layer.documents.iter().take_while(|document| document.reason == LoadReason::Always).count()
}

fn costs(document: &Candidate, form_count: usize, mut count: impl FnMut(&str) -> usize) -> Costs {
    let mut costs = Costs { item: BudgetItem::default(), forms: vec![] };
    for (at, (form, text)) in document.forms.iter().enumerate().take(form_count) {
        let tokens = count(text);
        if at == 0 || tokens < costs.smallest() {
            costs.forms.push(at);
            let share = tokens as f64 / costs.full().max(1) as f64;
            costs.item.forms.push(ItemForm { tokens, points: form.points(share) });
        }
    }
    costs
}

fn apply(layer: CandidateLayer, costs: &[Costs], plan: LayerPlan) -> ChosenLayer {
    let mut entries = Vec::new();
    let mut left_out = Vec::new();
    let forms = plan.always.into_iter().chain(plan.conditional);
    for ((document, cost), index) in layer.documents.into_iter().zip(costs).zip(forms) {
        let full_tokens = cost.full();
        match index {
            Some(index) => {
                let (form, content) = document.forms[cost.forms[index]].clone();
                let tokens = cost.item.forms[index].tokens;
                entries.push(ChosenEntry { document, form, content, tokens, full_tokens });
            }
            None => left_out.push(LeftOutFile {
                layer: layer.level.clone(),
                path: document.path,
                tokens: full_tokens,
                smallest: cost.smallest(),
            }),
        }
    }
    ChosenLayer { level: layer.level, tokens: plan.tokens, entries, left_out }
}
