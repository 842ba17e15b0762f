//! `links list`: proposes relations between memories.

use heirloom_core::record::Relation;
use heirloom_core::{Hint, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::{ShownLink, show_links};
use crate::link_discovery::update;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct LinksList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Only these relations.
    #[serde(default)]
    relations: Vec<Relation>,
    /// Only proposals that are at least as likely right, from 0 to 1.
    #[serde(default)]
    min_confidence: Option<f64>,
    /// Look at all memories again, not only at those that changed.
    #[serde(default)]
    again: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProposedLinks {
    /// The proposals without a decision.
    proposals: Vec<ShownLink>,
    /// Number of further pending proposals that the request does not ask for.
    others: usize,
    /// Number of proposals that are new.
    new: usize,
    /// Number of memories that were looked at now.
    examined: usize,
    /// Number of memories that have not changed since they were looked at.
    unchanged: usize,
    /// Number of memories that are left for the next time, since enough proposals are pending.
    left: usize,
    /// What was damaged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

impl Operation for LinksList {
    type Request = Request;
    type Response = ProposedLinks;
    const SPEC: Spec = Spec {
        name: "links_list",
        usage: "links list",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Propose relations between memories and decision records, each with the sentence, commit or session that speaks for it. Nothing is related until it is accepted; what was accepted or dropped is not proposed again. Only memories that changed are looked at.",
    };

    const ALIASES: &[(&str, &str)] = &[("relation", "relations")];

    fn run(session: &Session, request: Request) -> Result<ProposedLinks, Error> {
        if let Some(min) = request.min_confidence.filter(|min| !(0.0..=1.0).contains(min)) {
            return Err(Error::bad_input(format!("{min} is no confidence"))
                .hint("set a number from 0 to 1"));
        }
        let found = update(session, request.again)?;
        let is_wanted = |link: &ShownLink, relation: Relation| {
            (request.relations.is_empty() || request.relations.contains(&relation))
                && request.min_confidence.is_none_or(|min| link.confidence >= min)
        };
        let all = found.stored.pending.len();
        let proposals: Vec<ShownLink> = found
            .stored
            .pending
            .iter()
            .map(|pending| (ShownLink::of(pending, &found.texts), pending.link.relation))
            .filter(|(link, relation)| is_wanted(link, *relation))
            .map(|(link, _)| link)
            .collect();
        Ok(ProposedLinks {
            others: all - proposals.len(),
            proposals,
            new: found.new.len(),
            examined: found.examined,
            unchanged: found.unchanged,
            left: found.stored.left,
            problems: found.problem.into_iter().collect(),
        })
    }
}

impl Answer for ProposedLinks {
    fn view(&self) -> View {
        let mut view = View::new();
        show_links(&mut view, &self.proposals);
        if !self.proposals.is_empty() {
            view.blank();
        }
        let mut summary = match self.proposals.len() {
            0 => vec!["no proposals".to_owned()],
            proposals => vec![present::count(proposals, "proposal")],
        };
        let examined = format!("{} looked at", present::count(self.examined, "memory"));
        summary.push(match self.unchanged {
            0 => examined,
            unchanged => format!("{examined}, {unchanged} unchanged"),
        });
        if self.others > 0 {
            summary.push(format!("{} more pending", self.others));
        }
        view.line([span(Role::Dim, summary.join(" · "))]);
        if self.left > 0 {
            let left = present::count(self.left, "memory");
            let line = format!("{left} left for the next time, when fewer proposals are pending");
            view.line([span(Role::Warning, line)]);
        }
        if !self.proposals.is_empty() {
            let hint = Hint::text("accept with ").operation("links_accept");
            let hint = hint.then(", drop with ").operation("links_drop");
            view.line([span(Role::Dim, hint)]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
