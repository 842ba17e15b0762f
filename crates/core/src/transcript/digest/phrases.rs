//! Phrases that mark decisions, findings, open items and requests in sentences and headings.
//!
//! The digest prefers the structure of the transcript: the message that a reply answers, the numbers of options, the
//! failure of a tool call. Phrases classify what has no structure.

mod decisions;
mod findings;
mod open_work;
mod replies;

pub(in crate::transcript) use decisions::{is_agent_decision, is_user_decision};
pub(super) use decisions::{is_decision_heading, is_proposal, is_step};
pub(super) use findings::{asks_why, is_hypothesis, is_refutation};
pub(in crate::transcript) use findings::{is_cause, is_fix};
pub(super) use open_work::{is_completion, is_deferral, is_failure, is_open_heading, is_open_item};
pub(in crate::transcript) use replies::is_assent;
pub(super) use replies::{
    changes_subject, is_ban, is_change_of_choice, is_joke, is_refusal, is_request, is_task_offer,
    names_alternative,
};

/// Longer headings are sentences and classify nothing.
const MAX_HEADING_CHARS: usize = 80;

/// Returns whether a sentence begins with one of these labels: `Decision: use the outbox.`
fn has_label(sentence: &str, labels: &[&str]) -> bool {
    let label = sentence.split_once(':').map(|(label, _)| label.trim().to_lowercase());
    label.is_some_and(|label| labels.contains(&label.as_str()))
}

fn is_short(heading: &str) -> bool {
    heading.chars().nth(MAX_HEADING_CHARS).is_none()
}
