//! `notes`: lists notes.

use heirloom_core::fold::Standing;
use heirloom_core::record::RecordKind;
use heirloom_index::Filter;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::memory::{MemoryItem, PointInTime, SelectedRecords};
use crate::ops::answers::Hits;
use crate::{Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct NoteList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Include notes that are done or promoted.
    #[serde(default)]
    all: bool,
}

impl Operation for NoteList {
    type Request = Request;
    type Response = Hits;
    const SPEC: Spec = Spec {
        name: "notes",
        usage: "note list",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show pending notes, newest first.",
    };

    fn run(session: &Session, request: Request) -> Result<Hits, Error> {
        let known = SelectedRecords::read(
            session,
            Filter::records_of_kind(RecordKind::Note.as_str()),
            PointInTime::default(),
        )?;
        let is_pending = |item: &MemoryItem| item.standing == Standing::Active && !item.resolved;
        let mut notes: Vec<MemoryItem> = known
            .items(&[RecordKind::Note])
            .into_iter()
            .filter(|item| request.all || is_pending(item))
            .collect();
        notes.reverse();
        Hits::list_first(session, notes, usize::MAX, known.problems.clone())
    }
}
