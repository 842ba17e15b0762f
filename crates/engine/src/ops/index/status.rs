//! `index status`: reports the state of the search index, as `index rebuild` does.

use heirloom_core::Problem;
use heirloom_core::embedding::Embedder;
use heirloom_index::{Filter, SlotState};
use heirloom_store::config::EmbedderKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::indexing::{self, EmbedderTimeout, IndexState, LexicalOnly, OpenIndex};
use crate::view::present::{self, count};
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct IndexStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

/// State and size of the search index.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IndexReport {
    /// Whether it was up to date, was updated or was rebuilt.
    state: &'static str,
    /// Folder of the index; it can be deleted at any time.
    folder: String,
    /// Number of active memories.
    active: usize,
    /// Number of superseded and archived memories.
    retired: usize,
    /// Number of indexed files.
    files: usize,
    /// Number of segments.
    segments: usize,
    /// Size on disk in bytes.
    bytes: u64,
    /// Embedder of the vectors.
    embedder: String,
    /// Files or lines that could not be read, and index problems.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

impl IndexReport {
    /// Describes an open index.
    pub(crate) fn new(
        state: &'static str,
        session: &Session,
        index: &OpenIndex,
        embedder: &dyn Embedder,
    ) -> Result<Self, Error> {
        let snapshot = index.snapshot();
        let folder = if embedder.dimensions() == 0 {
            indexing::LEXICAL_INDEX_FOLDER
        } else {
            indexing::INDEX_FOLDER
        };
        let counts = snapshot.count_by_state(&Filter::default());
        let count_of = |state: SlotState| counts.get(&state).copied().unwrap_or_default();
        Ok(IndexReport {
            state,
            folder: folder.to_owned(),
            active: count_of(SlotState::Active),
            retired: count_of(SlotState::Superseded) + count_of(SlotState::Archived),
            files: snapshot.sources()?.len(),
            segments: snapshot.segment_count(),
            bytes: indexing::index_size_bytes(session, folder),
            embedder: embedder.name().to_owned(),
            problems: index.all_problems()?,
        })
    }

    fn with_embedder(session: &Session) -> Result<Self, Error> {
        Self::update(session, &*indexing::open_embedder(session, EmbedderTimeout::Short)?)
    }

    fn update(session: &Session, embedder: &dyn Embedder) -> Result<Self, Error> {
        let state = match indexing::index_state(session, embedder)? {
            IndexState::UpToDate => "up to date",
            IndexState::Outdated => "updated",
            IndexState::Missing => "rebuilt",
        };
        let index = indexing::open_up_to_date(session, embedder)?;
        IndexReport::new(state, session, &index, embedder)
    }

    /// Describes the lexical index, which is used while the configured embedder is not available.
    fn lexical_only(session: &Session, error: &Error) -> Result<Self, Error> {
        let mut status = Self::update(session, &LexicalOnly)?;
        status.problems.push(indexing::lexical_only_problem(error));
        Ok(status)
    }
}

impl Operation for IndexStatus {
    type Request = Request;
    type Response = IndexReport;
    const SPEC: Spec = Spec {
        name: "index_status",
        usage: "index status",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show the state of the search index. It is updated first, as before every query.",
    };

    fn run(session: &Session, _: Request) -> Result<IndexReport, Error> {
        match IndexReport::with_embedder(session) {
            // The static embedder is part of the program and is always available, so its errors are real.
            Err(error) if session.config()?.embedder.kind != EmbedderKind::Static => {
                IndexReport::lexical_only(session, &error)
            }
            status => status,
        }
    }
}

impl Answer for IndexReport {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Good, self.state), "  ".into(), span(Role::Source, &self.folder)]);
        view.plain_line(format!(
            "{} active, {} retired, of {}",
            count(self.active, "memory"),
            self.retired,
            count(self.files, "file")
        ));
        view.line([span(
            Role::Dim,
            format!(
                "{}, {:.1} MB, vectors by {}",
                count(self.segments, "segment"),
                self.bytes as f64 / 1e6,
                self.embedder
            ),
        )]);
        present::problems(&mut view, &self.problems);
        view
    }
}
