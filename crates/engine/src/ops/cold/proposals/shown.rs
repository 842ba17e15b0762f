//! Proposals as requests show them.

use heirloom_core::day;
use heirloom_core::record::short_id;
use heirloom_core::transcript::extraction::ProposalKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::stored::{PendingProposal, Replaced};
use crate::view::{Role, View, present, span};

/// The column of the further lines of a proposal.
const INDENT: usize = 10;

/// A proposed memory.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::ops::cold) struct ShownProposal {
    /// Id; requests accept its end.
    pub(in crate::ops::cold) id: String,
    /// What it is.
    pub(in crate::ops::cold) kind: ProposalKind,
    /// Sentences of the transcript; the summary of an episode.
    pub(in crate::ops::cold) text: String,
    /// How likely it is worth remembering, from 0 to 1.
    confidence: f64,
    /// Why it is proposed.
    reason: String,
    /// Speaker: user or agent.
    by: String,
    /// The day on which it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Path and line of the message.
    source: String,
    /// The earlier statement that it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<ReplacedStatement>,
}

/// An earlier statement.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ReplacedStatement {
    /// Id of its proposal.
    id: String,
    /// What it said.
    text: String,
    /// Path and line of its message.
    source: String,
}

impl ShownProposal {
    /// Describes a pending proposal.
    pub(in crate::ops::cold) fn of(proposal: &PendingProposal) -> Self {
        let replaced =
            |Replaced { id, text, source }: Replaced| ReplacedStatement { id, text, source };
        ShownProposal {
            id: proposal.id.clone(),
            kind: proposal.kind,
            text: proposal.text.clone(),
            confidence: proposal.confidence,
            reason: proposal.reason.clone(),
            by: proposal.by.clone(),
            date: proposal.at.map(|at| day::of_timestamp(at).to_string()),
            source: proposal.source(),
            replaces: proposal.replaces.clone().map(replaced),
        }
    }
}

/// Shows proposals, grouped by kind.
pub(in crate::ops::cold) fn show_proposals(view: &mut View, proposals: &[ShownProposal]) {
    for kind in ProposalKind::ALL {
        let of_kind: Vec<&ShownProposal> =
            proposals.iter().filter(|proposal| proposal.kind == kind).collect();
        if of_kind.is_empty() {
            continue;
        }
        view.title(present::count(of_kind.len(), kind.as_str()));
        for proposal in of_kind {
            show_proposal(view, proposal);
        }
    }
}

fn show_proposal(view: &mut View, proposal: &ShownProposal) {
    // The summary of an episode is in the answer to programs.
    let text = match proposal.kind {
        ProposalKind::Episode => proposal.text.lines().next().unwrap_or_default().to_owned(),
        _ => proposal.text.replace('\n', " "),
    };
    view.wrapped_line(INDENT, [span(Role::Key, short_id(&proposal.id)), "  ".into(), text.into()]);
    let mut details = vec![proposal.by.clone()];
    details.extend(proposal.date.clone());
    details.push(format!("{:.2}", proposal.confidence));
    details.push(proposal.reason.clone());
    let indent = " ".repeat(INDENT);
    view.wrapped_line(
        INDENT,
        [
            span(Role::Dim, format!("{indent}{} · ", details.join(" · "))),
            span(Role::Source, &proposal.source),
        ],
    );
    if let Some(replaced) = &proposal.replaces {
        let line = format!("{indent}instead of: {} ({})", replaced.text, replaced.source);
        view.wrapped_line(INDENT, [span(Role::Warning, line)]);
    }
}
