//! `cold index`: indexes transcripts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::status::ColdReport;
use crate::cold::{self, Update};
use crate::view::present::count;
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ColdIndexUpdate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Index everything again, not only what is new.
    #[serde(default)]
    rebuild: bool,
}

/// What was indexed, and what the index holds now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ColdUpdate {
    /// Number of transcripts that were read.
    read: usize,
    /// Number of messages that were added.
    added: usize,
    /// Number of bytes that were read.
    bytes_read: u64,
    /// Number of transcripts that were taken out, because they do not exist any more.
    removed: usize,
    /// The index now.
    index: ColdReport,
}

impl Operation for ColdIndexUpdate {
    type Request = Request;
    type Response = ColdUpdate;
    const SPEC: Spec = Spec {
        name: "cold_index",
        usage: "cold index",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Index what is new in the transcripts of this workspace's sessions. It can be interrupted, and continues where it was.",
    };

    fn run(session: &Session, request: Request) -> Result<ColdUpdate, Error> {
        if request.rebuild {
            cold::discard(session)?;
        }
        let Update { transcripts, messages, bytes, removed } = cold::update(session)?;
        let open = cold::open_as_it_is(session)?;
        let index = ColdReport::new(&open);
        open.keep(session);
        Ok(ColdUpdate { read: transcripts, added: messages, bytes_read: bytes, removed, index })
    }
}

impl Answer for ColdUpdate {
    fn view(&self) -> View {
        let mut view = View::new();
        let changes = match (self.read, self.removed) {
            (0, 0) => "nothing is new".to_owned(),
            (_, 0) => {
                format!("{} from {}", count(self.added, "message"), count(self.read, "transcript"))
            }
            (_, removed) => format!(
                "{} from {}; {} taken out",
                count(self.added, "message"),
                count(self.read, "transcript"),
                count(removed, "transcript")
            ),
        };
        view.line([span(Role::Good, changes)]);
        self.index.show(&mut view);
        view
    }
}
