//! Chooses which entries go into a context, and in which form.
//!
//! There are two rounds, so that the beginning of a context stays the same from call to call and the prompt cache of a
//! provider stays warm. The first round chooses among the entries that depend on nothing but the task. The second one
//! divides what is left of the budget among what changes, namely new memories and the answers about files and errors,
//! and what the first round left out. Without entries that change, the first round has the whole budget.

use std::cmp::Reverse;

use heirloom_core::assembly::{Activity, Candidate, Form, Share, select};
use heirloom_store::tokens;
use schemars::JsonSchema;
use serde::Deserialize;

use super::duplicates::{merge_same, remove_duplicates};
use super::entry::{Entry, EntryForm, Section};

/// The part of the budget that the first round leaves for what changes.
const CHANGING_PART: f64 = 0.25;

/// Values are compared as multiples of 1 / `VALUE_PRECISION`.
const VALUE_PRECISION: f64 = 1e6;

/// The order of the lines of a context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LineOrder {
    /// What changes least from call to call comes first, so that the prompt cache of a provider stays warm.
    #[default]
    Stable,
    /// What concerns the errors and the files comes first, and the most valuable lines of each section.
    Value,
}

/// A chosen entry.
#[derive(Debug)]
pub(super) struct ChosenEntry {
    pub(super) entry: Entry,
    /// The position of the chosen form.
    form: usize,
    /// The round in which it was chosen.
    round: u8,
}

/// Which entries go into a context, and which do not.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// The chosen entries, in the order of the context.
    pub(super) chosen: Vec<ChosenEntry>,
    /// The others, each with the reason.
    pub(super) left_out: Vec<(Entry, String)>,
    /// The context: the chosen lines under the headings of their sections.
    pub(super) context: String,
    /// The tokens of the context.
    pub(super) tokens: usize,
}

impl ChosenEntry {
    /// Returns the chosen form.
    pub(super) fn form(&self) -> &EntryForm {
        &self.entry.forms[self.form]
    }

    fn position(&self) -> impl Ord + use<> {
        (self.entry.section, self.round, self.entry.position())
    }

    fn position_by_value(&self) -> impl Ord + use<> {
        let value = (self.entry.value * VALUE_PRECISION) as i64;
        let section = self.entry.section;
        (
            matches!(section, Section::Near | Section::Pointers),
            Reverse(section),
            Reverse(value),
            self.entry.position(),
        )
    }
}

impl Choice {
    /// Chooses among entries.
    pub(super) fn new(
        entries: Vec<Entry>,
        activity: Activity,
        budget: usize,
        order: LineOrder,
    ) -> Self {
        let mut choice = match order {
            LineOrder::Stable => Self::in_two_rounds(entries, activity, budget),
            LineOrder::Value => {
                let mut choice = Choice::default();
                let rest = choice.choose_round(entries, activity, budget);
                choice.leave_out(rest);
                choice.chosen.sort_by_cached_key(ChosenEntry::position_by_value);
                choice
            }
        };
        choice.shrink(budget);
        choice
    }

    /// Chooses first among what stays the same from call to call, then among the rest.
    fn in_two_rounds(entries: Vec<Entry>, activity: Activity, budget: usize) -> Self {
        let mut choice = Choice::default();
        let (changing, stable): (Vec<Entry>, Vec<Entry>) =
            entries.into_iter().partition(|entry| entry.section.changes());
        let kept_back = if changing.is_empty() { 0.0 } else { CHANGING_PART * budget as f64 };
        let first_budget = budget - kept_back.ceil() as usize;
        let rest = choice.choose_round(stable, activity, first_budget);
        if changing.is_empty() {
            choice.leave_out(rest);
        } else {
            choice.write();
            let second = changing.into_iter().chain(rest).collect();
            let rest = choice.choose_round(second, activity, budget.saturating_sub(choice.tokens));
            choice.leave_out(rest);
        }
        choice.chosen.sort_by_cached_key(ChosenEntry::position);
        choice
    }

    /// Chooses among further entries and returns those that do not fit.
    fn choose_round(
        &mut self,
        entries: Vec<Entry>,
        activity: Activity,
        budget: usize,
    ) -> Vec<Entry> {
        let round = u8::from(!self.chosen.is_empty());
        let mut entries = merge_same(entries);
        let shown: Vec<&Entry> = self.chosen.iter().map(|chosen| &chosen.entry).collect();
        let duplicates = remove_duplicates(&mut entries, &shown);
        let same = |(entry, other): (Entry, String)| (entry, format!("{other} says the same"));
        self.left_out.extend(duplicates.into_iter().map(same));
        let forms =
            select_forms(&entries, activity, budget.saturating_sub(heading_tokens(&entries)));
        let mut rest = Vec::new();
        for (entry, form) in entries.into_iter().zip(forms) {
            match form {
                Some(form) => self.chosen.push(ChosenEntry { entry, form, round }),
                None => rest.push(entry),
            }
        }
        rest
    }

    fn leave_out(&mut self, entries: Vec<Entry>) {
        let because = || "it did not fit into the budget".to_owned();
        self.left_out.extend(entries.into_iter().map(|entry| (entry, because())));
    }

    /// Leaves out the least valuable lines while the context exceeds the budget: the tokens of lines that are counted one
    /// by one may add up to fewer than those of the whole.
    fn shrink(&mut self, budget: usize) {
        self.write();
        while self.tokens > budget {
            let value = |chosen: &ChosenEntry| chosen.entry.weighted_value();
            let each = self.chosen.iter().enumerate();
            let least = each.min_by(|(_, a), (_, b)| value(a).total_cmp(&value(b)));
            let Some((least, _)) = least else { break };
            let removed = self.chosen.remove(least);
            self.leave_out(vec![removed.entry]);
            self.write();
        }
    }

    /// Writes the context of the entries chosen so far and counts its tokens.
    fn write(&mut self) {
        let mut context = String::new();
        let mut tokens = 0;
        let mut section = None;
        for chosen in &self.chosen {
            if section != Some(chosen.entry.section) {
                let heading = chosen.entry.section.heading();
                context.push_str(heading);
                tokens += tokens::count(heading);
                section = Some(chosen.entry.section);
            }
            context.push_str(&chosen.form().line);
            tokens += chosen.form().tokens;
        }
        // Where a line begins with a slash or a space, a token may reach across the line break before it.
        let joins = |line: &str| line.starts_with(|c: char| c == '/' || c.is_whitespace());
        let is_sum = !self.chosen.iter().any(|chosen| joins(&chosen.form().line));
        self.tokens = if is_sum { tokens } else { tokens::count(&context) };
        debug_assert_eq!(self.tokens, tokens::count(&context), "{context}");
        self.context = context;
    }
}

/// Returns the tokens of the headings of all sections that entries belong to.
fn heading_tokens(entries: &[Entry]) -> usize {
    Section::ALL
        .into_iter()
        .filter(|section| entries.iter().any(|entry| entry.section == *section))
        .map(|section| tokens::count(section.heading()))
        .sum()
}

/// Returns the chosen form of each entry.
fn select_forms(entries: &[Entry], activity: Activity, budget: usize) -> Vec<Option<usize>> {
    let candidates: Vec<Candidate> = entries
        .iter()
        .map(|entry| Candidate {
            tier: if entry.is_first { 0 } else { entry.tier.index() + 1 },
            forms: entry
                .forms
                .iter()
                .map(|form| Form { value: entry.weighted_value() * form.share, cost: form.tokens })
                .collect(),
        })
        .collect();
    let [critical, relevant, background, index] = activity.shares().map(Share::Part);
    select(&candidates, &[Share::First, critical, relevant, background, index], budget)
}
