//! `contradictions list`: lists contradictions between memories.

use heirloom_core::contradiction::Certainty;
use heirloom_core::fold::ContradictionState;
use heirloom_core::{Hint, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find::read;
use super::shown::{ShownContradiction, show_contradictions};
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContradictionsList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Include resolved and closed ones.
    #[serde(default)]
    all: bool,
    /// Only certain ones.
    #[serde(default)]
    certain: bool,
    /// Maximum number.
    #[serde(default = "default_limit")]
    limit: usize,
}

fn default_limit() -> usize {
    50
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContradictionList {
    /// Contradictions, the certain and the most likely ones first.
    contradictions: Vec<ShownContradiction>,
    /// Number of open ones.
    open: usize,
    /// Number of open ones that are certain.
    certain: usize,
    /// Number of resolved and closed ones.
    settled: usize,
    /// Files or lines that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

impl Operation for ContradictionsList {
    type Request = Request;
    type Response = ContradictionList;
    const SPEC: Spec = Spec {
        name: "contradictions_list",
        usage: "contradictions list",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "List memories that contradict each other, with the reason.",
    };

    fn run(session: &Session, request: Request) -> Result<ContradictionList, Error> {
        let known = read(session)?;
        let found = known.found_contradictions(session.today());
        let mut all: Vec<ShownContradiction> =
            found.iter().map(|it| ShownContradiction::of(&known, it)).collect();
        let is_open = |it: &ShownContradiction| it.state == ContradictionState::Open;
        let is_certain = |it: &ShownContradiction| it.certainty == Certainty::Certain;
        let open = all.iter().filter(|it| is_open(it)).count();
        let certain = all.iter().filter(|it| is_open(it) && is_certain(it)).count();
        let settled = all.len() - open;
        all.retain(|it| (request.all || is_open(it)) && (!request.certain || is_certain(it)));
        all.sort_by(|x, y| {
            let states = x.state.cmp(&y.state);
            let certainties = y.certainty.cmp(&x.certainty);
            let scores = y.score.total_cmp(&x.score);
            states.then(certainties).then(scores).then_with(|| x.id.cmp(&y.id))
        });
        all.truncate(request.limit);
        Ok(ContradictionList {
            contradictions: all,
            open,
            certain,
            settled,
            problems: known.problems.clone(),
        })
    }
}

impl Answer for ContradictionList {
    fn view(&self) -> View {
        let mut view = View::new();
        show_contradictions(&mut view, &self.contradictions);
        if !self.contradictions.is_empty() {
            view.blank();
        }
        let mut summary = vec![match self.open {
            0 => "no open contradictions".to_owned(),
            open => {
                format!("{}, {} certain", present::count(open, "open contradiction"), self.certain)
            }
        }];
        if self.settled > 0 {
            summary.push(format!("{} resolved or closed", self.settled));
        }
        view.line([span(Role::Dim, summary.join(" · "))]);
        let hint = match self.open {
            0 => Hint::text("compare all memories with ").operation("contradictions_scan"),
            _ => Hint::text("resolve with ").operation("contradictions_resolve"),
        };
        view.line([span(Role::Dim, hint)]);
        present::problems(&mut view, &self.problems);
        view
    }
}
