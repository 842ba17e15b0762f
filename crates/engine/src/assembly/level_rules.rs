//! Rules in the documents of the levels, such as `AGENTS.md`, that hold for every change.

use heirloom_core::assembly::Tier;
use heirloom_core::instruction::instructions_in_section;
use heirloom_store::layout::HierarchyDocument;

use super::entry::Entry;
use super::process::concerns_every_change;
use super::signals::Signals;
use crate::workspace::inherit::Inheritance;

/// The value of a rule, which is that of a convention among the facts.
const RULE_VALUE: f64 = 0.3;

/// Maximum number of rules.
const MAX_RULES: usize = 6;

/// Returns the rules that hold for every change, if the work changes code.
pub(super) fn rules(inherited: &Inheritance, signals: &Signals) -> Vec<Entry> {
    if !signals.is_change() {
        return vec![];
    }
    let documents = inherited.placed.iter();
    let rules = documents.flat_map(|placed| rules_of(placed, signals));
    rules.take(MAX_RULES).collect()
}

fn rules_of<'d>(
    placed: &'d HierarchyDocument,
    signals: &'d Signals,
) -> impl Iterator<Item = Entry> + use<'d> {
    let document = &placed.document;
    let rules = document.sections().into_iter().flat_map(|section| {
        let heading = section.heading.map_or("", |heading| heading.text.as_str());
        let text = format!("{heading}: {}", section.lines.join("\n"));
        instructions_in_section(&document.path, &text)
    });
    let general = rules.filter(|rule| concerns_every_change(rule, signals.activity));
    general.map(|rule| {
        let reason = format!("rule of the {}", placed.level);
        Entry::of_text(Tier::Background, RULE_VALUE, &reason, "rule", &document.path, &rule)
    })
}
