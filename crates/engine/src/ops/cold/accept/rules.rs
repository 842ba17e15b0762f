//! Adds accepted instructions and preferences to the rules that every conversation loads.

use std::collections::BTreeMap;

use heirloom_core::fold::Standing;
use heirloom_core::hot::{Fill, Size, SourceFile, budget, generated, statement};
use heirloom_core::record::{EventAction, short_id};
use heirloom_core::transcript::extraction::ProposalKind;
use heirloom_core::{Hint, path};
use heirloom_store::tokens;

use super::written::{RuleStatement, Written, edited_text, refused, replaced_records, superseded};
use crate::hot::read_rules;
use crate::memory::{MemoryQuery, WriteTransaction};
use crate::ops::cold::proposals::{Decision, PendingProposal, Replaced, StoredProposals};
use crate::{Error, Session};

/// Returns the rule and the heading to which statements of a kind go. `hot init` makes them.
const fn place_of(kind: ProposalKind) -> (&'static str, &'static str) {
    match kind {
        ProposalKind::Preference => ("user-profile.md", "Preferences"),
        _ => ("global-conventions.md", "Patterns"),
    }
}

/// Adds proposals to the rules. An earlier statement that a proposal changes is replaced in the rules, and archived in
/// memory.
pub(super) fn add(
    session: &Session,
    transaction: &mut WriteTransaction<'_>,
    stored: &StoredProposals,
    proposals: &[PendingProposal],
    texts: &BTreeMap<String, String>,
    written: &mut Written,
) -> Result<(), Error> {
    if proposals.is_empty() {
        return Ok(());
    }
    let mut rules = read_rules(session)?;
    let replaced = replaced_records(stored, proposals.iter());
    let known = MemoryQuery::new().referents(replaced).read(session)?;
    let mut added: Vec<(usize, String)> = vec![];
    for proposal in proposals {
        let text = edited_text(proposal, texts)?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        transaction.reject_secret(&text).map_err(|error| refused(proposal, error))?;
        let replaced = proposal.replaces.as_ref();
        if let Some(Replaced { id, .. }) = replaced {
            let earlier = superseded(transaction, &known, stored, &written.accepted, id)?;
            let is_active = earlier.first().is_some_and(|first| {
                known.memory.standing(&known.memory.canonical(first)) == Standing::Active
            });
            if is_active {
                let reason = format!("replaced by a rule: {text}");
                transaction.write_event(&known, EventAction::Archive, earlier, vec![], &reason)?;
            }
        }
        let earlier = replaced.map(|replaced| earlier_text(stored, written, replaced));
        written.accept(proposal, text.clone(), None);
        if let Some((file, line)) = rules.find_statement(&text) {
            let id = short_id(&proposal.id);
            written.notes.push(format!("{id} is in {}:{line} already", file.path));
            continue;
        }
        let (name, heading) = place_of(proposal.kind);
        let says_earlier = |file: &SourceFile| {
            earlier.as_ref().is_some_and(|earlier| statement::find(&file.text, earlier).is_some())
        };
        let is_named = |file: &SourceFile| path::file_name(&file.path) == name;
        let at = rules.files.iter().position(says_earlier);
        let at = at.or_else(|| rules.files.iter().position(is_named)).ok_or_else(|| {
            let hint = Hint::text("make it with ").operation("hot_init");
            Error::bad_input(format!("there is no rule {}/{name}", rules.folder)).hint(hint)
        })?;
        let file = &mut rules.files[at];
        let replaced = earlier.and_then(|earlier| statement::replace(&file.text, &earlier, &text));
        let after = replaced.unwrap_or_else(|| statement::add(&file.text, heading, &text));
        check(file, &after).map_err(|error| refused(proposal, error))?;
        transaction.edit(&file.path, Some(&file.text), after.clone());
        file.text = after;
        added.push((at, text));
    }
    // Later statements move the lines of earlier ones.
    written.rules.extend(added.into_iter().filter_map(|(at, text)| {
        let file = &rules.files[at];
        let line = statement::find(&file.text, &text)?;
        Some(RuleStatement { path: file.path.clone(), line, text })
    }));
    Ok(())
}

/// Returns what an earlier statement says in the rules, if it was accepted as one: its text may have been edited.
fn earlier_text(stored: &StoredProposals, written: &Written, replaced: &Replaced) -> String {
    let accepted = written.accepted.iter().find(|accepted| accepted.id == replaced.id);
    match (accepted, stored.decided.get(&replaced.id)) {
        (Some(accepted), _) => accepted.text.clone(),
        (None, Some(Decision::Accepted { text, .. })) => text.clone(),
        (None, _) => replaced.text.clone(),
    }
}

/// Refuses a text that a rule must not have: it exceeds the budget that the rule states, or would be left out as a copy.
fn check(file: &SourceFile, after: &str) -> Result<(), Error> {
    if generated::has_mark(after) {
        let message = "the text contains a mark of generated files";
        return Err(Error::bad_input(message).hint("change the text"));
    }
    let Some(budget) = budget::stated_budget(&file.path, after)? else { return Ok(()) };
    let tokens = if budget.tokens.is_some() { tokens::count(after) } else { 0 };
    let size = Size { lines: budget::count_lines(after), tokens };
    if budget.fill(size, 1.0) != Fill::Over {
        return Ok(());
    }
    let part = |used: usize, limit: Option<usize>, unit: &str| {
        limit.filter(|limit| used > *limit).map(|limit| format!("{used} of {limit} {unit}"))
    };
    let parts =
        [part(size.lines, budget.lines, "lines"), part(size.tokens, budget.tokens, "tokens")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let hint = Hint::text("make room with ").operation("hot_demote");
    let hint = hint.then(", or accept it as a fact with ").field_set_to("to", "facts");
    let message = format!("{} would exceed its budget: {}", file.path, parts.join(", "));
    Err(Error::bad_input(message).hint(hint))
}
