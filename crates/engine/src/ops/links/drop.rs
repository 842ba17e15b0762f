//! `links drop`: drops proposed relations, which are not made again.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::{ShownLink, show_links};
use crate::link_discovery::{LinkDecision, StoredLinks};
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct LinksDrop;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Ids of proposals, or ends of ids.
    ids: Vec<String>,
    /// Take back that they were dropped: they are pending again.
    #[serde(default)]
    undo: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DroppedLinks {
    /// What was done: dropped, or pending again.
    done: &'static str,
    /// The proposals.
    proposals: Vec<ShownLink>,
}

impl Operation for LinksDrop {
    type Request = Request;
    type Response = DroppedLinks;
    const SPEC: Spec = Spec {
        name: "links_drop",
        usage: "links drop <ids>...",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Drop proposed relations. They are not proposed again on this machine.",
    };

    const ALIASES: &[(&str, &str)] = &[("id", "ids")];

    fn run(session: &Session, request: Request) -> Result<DroppedLinks, Error> {
        let (proposals, _) = StoredLinks::update(session, |stored| {
            if request.undo {
                return stored.take_back(&request.ids);
            }
            let found = stored.find_each(&request.ids)?;
            for pending in &found {
                stored.decide(&pending.id, |link| LinkDecision::Dropped(Box::new(link)));
            }
            Ok(found)
        })?;
        let texts = HashMap::new();
        Ok(DroppedLinks {
            done: if request.undo { "pending again" } else { "dropped" },
            proposals: proposals.iter().map(|pending| ShownLink::of(pending, &texts)).collect(),
        })
    }
}

impl Answer for DroppedLinks {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Good, self.done)]);
        show_links(&mut view, &self.proposals);
        view
    }
}
