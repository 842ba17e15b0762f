//! `cold proposals`: proposes memories from the transcripts of conversations.

use heirloom_core::transcript::extraction::ProposalKind;
use heirloom_core::{Hint, Problem, day};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proposals::{
    Collected, PendingProposal, Selection, ShownProposal, StoredProposals, collect, parse_day,
    settle_known, show_proposals, sources,
};
use crate::ops::request_parts::InputFile;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ColdExtract;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Paths of transcripts in the workspace, or of session files of Claude Code and Codex for it. Default: all of its
    /// session files, and those in agent-transcripts/.
    #[serde(default)]
    files: Vec<String>,
    /// Transcripts to read instead, each with a name.
    #[serde(default)]
    #[schemars(extend("x-no-flag" = true))]
    texts: Vec<InputFile>,
    /// Only what was said since this day (2026-02-22).
    #[serde(default)]
    since: Option<String>,
    /// Only these kinds.
    #[serde(default)]
    kinds: Vec<ProposalKind>,
    /// Only proposals that are at least as likely worth remembering, from 0 to 1.
    #[serde(default)]
    min_confidence: Option<f64>,
    /// Show only what is pending, without reading transcripts.
    #[serde(default)]
    pending: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Proposals {
    /// The proposals without a decision.
    proposals: Vec<ShownProposal>,
    /// Number of further pending proposals that the request does not ask for.
    others: usize,
    /// Number of transcripts that were read now.
    read: usize,
    /// Number of transcripts that have not changed since they were read.
    unchanged: usize,
    /// Number of statements that were left out because of what looks like a secret.
    secrets: usize,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
}

impl Operation for ColdExtract {
    type Request = Request;
    type Response = Proposals;
    const SPEC: Spec = Spec {
        name: "cold_extract",
        usage: "cold proposals [files]...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Propose memories from transcripts: standing instructions, preferences, facts, decisions, lessons and episodes, each with its source line. Nothing is stored until it is accepted; what was accepted or dropped is not proposed again.",
    };

    const ALIASES: &[(&str, &str)] = &[("kind", "kinds"), ("file", "files")];

    fn run(session: &Session, request: Request) -> Result<Proposals, Error> {
        let since = parse_day(request.since.as_deref())?;
        let selection = Selection { files: &request.files, texts: &request.texts, since };
        let mut problems = vec![];
        let is_selective = !request.files.is_empty() || !request.texts.is_empty();
        let mut names: Vec<String> = vec![];
        let ((collected, proposals), damage) = StoredProposals::update(session, |stored| {
            let sources = sources(session, &selection, &mut problems);
            names.extend(sources.iter().map(|source| source.name.clone()));
            let collected = match request.pending {
                true => Collected::default(),
                false => collect(session, &sources, stored)?,
            };
            settle_known(session, stored)?;
            Ok((collected, stored.pending.clone()))
        })?;
        let all = proposals.len();
        let is_wanted = |proposal: &&PendingProposal| {
            let day = proposal.at.map(day::of_timestamp);
            (request.kinds.is_empty() || request.kinds.contains(&proposal.kind))
                && request.min_confidence.is_none_or(|min| proposal.confidence >= min)
                && since.is_none_or(|since| day.is_some_and(|day| day >= since))
                && (!is_selective || names.contains(&proposal.path))
        };
        let wanted = proposals.iter().filter(is_wanted);
        let proposals: Vec<ShownProposal> = wanted.map(ShownProposal::of).collect();
        problems.extend(collected.problems);
        problems.extend(damage);
        Ok(Proposals {
            others: all - proposals.len(),
            proposals,
            read: collected.read,
            unchanged: collected.unchanged,
            secrets: collected.secrets,
            problems,
        })
    }
}

impl Answer for Proposals {
    fn view(&self) -> View {
        let mut view = View::new();
        show_proposals(&mut view, &self.proposals);
        if !self.proposals.is_empty() {
            view.blank();
        }
        let read = present::count(self.read, "transcript");
        let mut summary = match self.proposals.is_empty() {
            true => vec!["no proposals".to_owned()],
            false => vec![present::count(self.proposals.len(), "proposal")],
        };
        summary.push(match self.unchanged {
            0 => format!("{read} read"),
            unchanged => format!("{read} read, {unchanged} unchanged"),
        });
        if self.others > 0 {
            summary.push(format!("{} more pending", self.others));
        }
        if self.secrets > 0 {
            let left_out = present::count(self.secrets, "statement");
            summary.push(format!("{left_out} left out because of what looks like a secret"));
        }
        view.line([span(Role::Dim, summary.join(" · "))]);
        if !self.proposals.is_empty() {
            let hint = Hint::text("accept with ").operation("cold_accept");
            let hint = hint.then(", drop with ").operation("cold_drop");
            view.line([span(Role::Dim, hint)]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
