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
const MAX_RULES: usize = 2;

/// Returns the rules that hold for every change and name something, if the work changes code.
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
    let change = signals.change();
    let general = rules.filter(move |rule| concerns_every_change(rule, change));
    let general = general.filter(|rule| names_something(rule));
    general.map(|rule| {
        let reason = format!("rule of the {}", placed.level);
        Entry::of_text(Tier::Background, RULE_VALUE, &reason, "rule", &document.path, &rule)
    })
}

/// Returns whether a rule names a command, a file or a standard: "Run `make lint`", "Use Conventional Commits". What names
/// nothing ("Keep commits small") says what every developer knows.
fn names_something(rule: &str) -> bool {
    let is_plain = |c: char| c.is_lowercase() || matches!(c, '-' | '\'' | '’');
    let is_name = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains('`') || bare.chars().count() > 1 && !bare.chars().all(is_plain)
    };
    let mut begins_sentence = true;
    rule.split_whitespace().any(|word| {
        let is_first = std::mem::replace(&mut begins_sentence, word.ends_with(['.', '!', ':']));
        is_name(&word) && (!is_first || word.contains('`'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_name_something_are_told_from_general_advice() {
        for rule in [
            "Run `make lint`.",
            "Use Conventional Commits",
            "Format with `golangci-lint` before review.",
        ] {
            assert!(names_something(rule), "{rule}");
        }
        for rule in [
            "Keep commits small. Test often.",
            "Don't commit what isn’t tested.",
            "Keep comments up-to-date, as I do",
            "",
        ] {
            assert!(!names_something(rule), "{rule}");
        }
    }
}
