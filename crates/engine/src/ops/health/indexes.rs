//! The state of the search index and of the index of transcripts, as they are.

use heirloom_index::{Filter, SlotState};
use heirloom_store::config::EmbedderKind;
use schemars::JsonSchema;
use serde::Serialize;

use super::line::{HealthLine, LineState, count};
use crate::cold;
use crate::indexing::{self, IndexState};
use crate::ops::cold::status::ColdReport;
use crate::{Error, Session};

/// The state of the indexes.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct IndexHealth {
    /// Search index: up to date, outdated, missing, or not checked if another embedder than the builtin one is configured.
    search: &'static str,
    /// Number of active memories in it.
    active: usize,
    /// Size of it on disk in bytes.
    bytes: u64,
    /// Index of transcripts.
    transcripts: ColdReport,
}

impl IndexHealth {
    /// Looks at the indexes without changing them.
    pub(super) fn read(session: &Session) -> Result<Self, Error> {
        let open = cold::open_as_it_is(session)?;
        let transcripts = ColdReport::new(&open);
        open.keep(session);
        let bytes = indexing::index_size_bytes(session, indexing::INDEX_FOLDER);
        // Opening another embedder may take a model or a network.
        if session.config()?.embedder.kind != EmbedderKind::Static {
            return Ok(IndexHealth { search: "not checked", active: 0, bytes, transcripts });
        }
        let (state, snapshot) = indexing::peek_index(session, heirloom_embed::builtin())?;
        let counts = snapshot.map(|it| it.count_by_state(&Filter::default())).unwrap_or_default();
        Ok(IndexHealth {
            search: match state {
                IndexState::UpToDate => "up to date",
                IndexState::Outdated => "outdated",
                IndexState::Missing => "missing",
            },
            active: counts.get(&SlotState::Active).copied().unwrap_or_default(),
            bytes,
            transcripts,
        })
    }

    /// Describes the indexes.
    pub(super) fn lines(&self) -> Vec<HealthLine> {
        vec![self.search_line(), self.transcript_line()]
    }

    fn search_line(&self) -> HealthLine {
        let megabytes = self.bytes as f64 / 1e6;
        let size = format!("{} in {megabytes:.1} MB", count(self.active, "active memory"));
        let line = |state, text: String| HealthLine::new("search index", state, text);
        match self.search {
            "up to date" => line(LineState::Good, format!("up to date: {size}")),
            "outdated" => {
                line(LineState::Neutral, format!("{size}, brought up to date by the next search"))
            }
            "missing" => line(LineState::Neutral, "made by the first search".to_owned())
                .mend("index_rebuild"),
            _ => line(LineState::Neutral, format!("{megabytes:.1} MB")).mend("index_status"),
        }
    }

    fn transcript_line(&self) -> HealthLine {
        let ColdReport { transcripts, messages, bytes, not_indexed, .. } = &self.transcripts;
        let total: usize = transcripts.values().sum();
        let line = |state, text: String| HealthLine::new("transcripts", state, text);
        let indexed = format!(
            "{} of {} in {:.1} MB",
            count(*messages, "message"),
            count(total, "transcript"),
            *bytes as f64 / 1e6
        );
        match (not_indexed.transcripts, total) {
            (0, 0) => line(LineState::Neutral, "none found".to_owned()),
            (0, _) => line(LineState::Good, indexed),
            (behind, _) => {
                let text = format!("{indexed}; {} not indexed yet", count(behind, "transcript"));
                line(LineState::Attention, text).mend("cold_index")
            }
        }
    }
}
