//! `memory clear`: moves the memory document of an agent or a plan to the archive.

use heirloom_store::archive;
use heirloom_store::journal::{self, Rename};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::archive::{Archive, Unit};
use crate::workspace::inherit;
use crate::workspace::memory_file::MemoryFile;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct MemoryClear;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Request {
    /// Plan, by name or number; or another level that has a memory (sprint=sprint-01).
    plan_id: String,
    /// Agent of that plan; without it, the plan's own memory.
    #[serde(default)]
    agent_id: Option<String>,
    /// Confirm that the memory should be cleared.
    #[serde(default)]
    yes: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClearReport {
    /// Agent or plan whose memory it was.
    owner: String,
    /// Path of the memory document.
    source: String,
    /// Path in the archive; missing if there was no memory.
    archived_to: Option<String>,
    /// Number of entries it had.
    entries: usize,
}

impl Operation for MemoryClear {
    type Request = Request;
    type Response = ClearReport;
    const SPEC: Spec = Spec {
        name: "memory_clear",
        usage: "memory clear <planId> <agentId|--plan>",
        group: Group::Memory,
        effect: Effect::Removes,
        about: "Clear the memory of an agent or a plan. Its document moves to the archive; `heir context restore` restores it.",
    };

    fn run(session: &Session, request: Request) -> Result<ClearReport, Error> {
        let root = session.root();
        let lock = journal::lock(root)?;
        let file = MemoryFile::open(session, &request.plan_id, request.agent_id.as_deref())?;
        if file.text.is_none() {
            return Ok(ClearReport {
                owner: file.owner_label(),
                source: file.path,
                archived_to: None,
                entries: 0,
            });
        }
        if !request.yes {
            let entries = present::count(file.content.entries.len(), "entry");
            let message =
                format!("this would clear {entries} from the memory of {}", file.owner_label());
            return Err(Error::unconfirmed(message));
        }
        let (_, hierarchy) = inherit::hierarchy(session.config()?, None)?;
        let unit = Unit::of_document(&hierarchy, &file.path);
        let version = Archive::new(root).next_version(&hierarchy, &unit);
        let archived_path = archive::location(&file.path, version);
        lock.rename(root, &[Rename { from: file.path.clone(), to: archived_path.clone() }])?;
        Ok(ClearReport {
            owner: file.owner_label(),
            entries: file.content.entries.len(),
            source: file.path,
            archived_to: Some(archived_path),
        })
    }
}

impl Answer for ClearReport {
    fn view(&self) -> View {
        let mut view = View::new();
        match &self.archived_to {
            None => view.line([span(Role::Dim, format!("{} had no memory", self.owner))]),
            Some(archived_path) => view.line([
                span(Role::Good, "cleared "),
                span(Role::Source, &self.source),
                format!(" → {archived_path}").into(),
            ]),
        };
        view
    }
}
