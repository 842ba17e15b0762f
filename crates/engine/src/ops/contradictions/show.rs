//! `contradictions show`: shows a contradiction with both memories.

use heirloom_core::Hint;
use heirloom_core::fold::ContradictionState;
use heirloom_core::record::short_id;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find::{find, read};
use super::shown::{ShownContradiction, show_contradictions};
use crate::memory::{MemoryItem, show_items};
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContradictionsShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id, or end of the id, of the contradiction.
    id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContradictionDetails {
    /// The contradiction.
    #[serde(flatten)]
    contradiction: ShownContradiction,
    /// Both memories with all that is known about them.
    memories: Vec<MemoryItem>,
}

impl Operation for ContradictionsShow {
    type Request = Request;
    type Response = ContradictionDetails;
    const SPEC: Spec = Spec {
        name: "contradictions_show",
        usage: "contradictions show <id>",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show a contradiction with both memories and its resolution.",
    };

    fn run(session: &Session, request: Request) -> Result<ContradictionDetails, Error> {
        let known = read(session)?;
        let found = find(session, &known, &request.id)?;
        let memories = found.memories.iter().filter_map(|memory| known.item(memory));
        Ok(ContradictionDetails {
            contradiction: ShownContradiction::of(&known, &found),
            memories: memories.map(|item| item.on(session.today())).collect(),
        })
    }
}

impl Answer for ContradictionDetails {
    fn view(&self) -> View {
        let mut view = View::new();
        show_contradictions(&mut view, std::slice::from_ref(&self.contradiction));
        view.blank();
        show_items(&mut view, &self.memories);
        if self.contradiction.state == ContradictionState::Open {
            let id = short_id(&self.contradiction.id);
            let hint = Hint::text("resolve it with ")
                .call("contradictions_resolve", [("id", id), ("resolution", "…")]);
            view.blank();
            view.line([span(Role::Dim, hint)]);
        }
        view
    }
}
