//! `memory clear`: starts the memory of an agent or a plan anew.

use heirloom_store::archive;
use heirloom_store::journal::{self, Rename};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::archive::{Archive, Unit};
use crate::workspace::inherit;
use crate::workspace::memory_file::MemoryFile;
use crate::{Answer, Effect, Error, ErrorKind, Group, Operation, Session, Spec};

pub(crate) struct MemoryClear;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number.
    plan_id: String,
    /// Agent of that plan; without one, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// Do it without asking.
    #[serde(default)]
    yes: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Cleared {
    /// Whose memory it was.
    owner: String,
    /// Its file.
    source: String,
    /// Where the copy is; none if there was no memory.
    archived_to: Option<String>,
    /// How many entries it had.
    entries: usize,
}

impl Operation for MemoryClear {
    type Request = Request;
    type Response = Cleared;
    const SPEC: Spec = Spec {
        name: "memory_clear",
        usage: "memory clear <planId> <agentId|--plan>",
        group: Group::Memory,
        effect: Effect::TakesAway,
        about: "Start the memory of an agent or a plan anew. The old one is kept in the archive, from which `heir context restore` brings it back.",
    };

    fn run(session: &Session, request: Request) -> Result<Cleared, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let book = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        if book.text.is_none() {
            return Ok(Cleared {
                owner: book.whose(),
                source: book.path,
                archived_to: None,
                entries: 0,
            });
        }
        if !request.yes {
            let entries = present::count(book.notebook.entries.len(), "entry");
            let message =
                format!("clearing the memory of {} takes {entries} out of it", book.whose());
            return Err(Error::new(ErrorKind::Unconfirmed, message)
                .hint("it is done only with `yes` (--yes)"));
        }
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let unit = Unit::around(&hierarchy, &book.path);
        let version = Archive::new(root).next_version(&hierarchy, &unit);
        let copy = archive::location(&book.path, version);
        lock.rename(root, &[Rename { from: book.path.clone(), to: copy.clone() }])?;
        Ok(Cleared {
            owner: book.whose(),
            entries: book.notebook.entries.len(),
            source: book.path,
            archived_to: Some(copy),
        })
    }
}

impl Answer for Cleared {
    fn view(&self) -> View {
        let mut view = View::new();
        match &self.archived_to {
            None => view.line([span(Role::Dim, format!("{} had no memory", self.owner))]),
            Some(copy) => view.line([
                span(Role::Good, "cleared "),
                span(Role::Source, &self.source),
                format!(" → {copy}").into(),
            ]),
        };
        view
    }
}
