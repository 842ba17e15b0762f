//! `index status`, and what `index rebuild` answers: how the index stands.

use heirloom_core::Problem;
use heirloom_core::embedding::Embedder;
use heirloom_index::{Filter, State};
use heirloom_store::config::EmbedderKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::indexing::{self, Lag, LexicalOnly, OpenIndex, Patience};
use crate::view::present::{self, count};
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct IndexStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

/// How the index stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Status {
    /// Whether it was as the files are, was brought up to date, or was made anew.
    state: &'static str,
    /// Where it lies; deleting it loses nothing.
    folder: String,
    /// Memories that are known to be so.
    active: usize,
    /// Memories that were replaced or put away.
    retired: usize,
    /// Files that were read.
    files: usize,
    /// Pieces that it consists of.
    segments: usize,
    /// Bytes that it takes on disk.
    bytes: u64,
    /// Which embedder made its vectors.
    embedder: String,
    /// What could not be read, or not be kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

impl Status {
    pub(crate) fn of(
        state: &'static str,
        session: &Session,
        index: &OpenIndex,
        embedder: &dyn Embedder,
    ) -> Result<Self, Error> {
        let snapshot = index.snapshot();
        let folder = if embedder.dimensions() == 0 {
            indexing::LEXICAL_FOLDER
        } else {
            indexing::INDEX_FOLDER
        };
        let counts = snapshot.counts_of(&Filter::default());
        let number = |state: State| counts.get(&state).copied().unwrap_or_default();
        Ok(Status {
            state,
            folder: folder.to_owned(),
            active: number(State::Active),
            retired: number(State::Superseded) + number(State::Archived),
            files: snapshot.sources()?.len(),
            segments: snapshot.segments(),
            bytes: indexing::bytes(session, folder),
            embedder: embedder.name().to_owned(),
            problems: index.all_problems()?,
        })
    }

    fn with_embedder(session: &Session) -> Result<Self, Error> {
        Self::bring_up_to_date(session, &*indexing::embedder(session, Patience::Short)?)
    }

    fn bring_up_to_date(session: &Session, embedder: &dyn Embedder) -> Result<Self, Error> {
        let state = match indexing::lag(session, embedder)? {
            Lag::Nothing => "up to date",
            Lag::Something => "brought up to date",
            Lag::Everything => "made anew",
        };
        let index = indexing::open_up_to_date(session, embedder)?;
        Status::of(state, session, &index, embedder)
    }

    /// How the index of words stands, where the embedder that is set cannot be had.
    fn by_words(session: &Session, error: &Error) -> Result<Self, Error> {
        let mut status = Self::bring_up_to_date(session, &LexicalOnly)?;
        status.problems.push(indexing::lexical_only_problem(error));
        Ok(status)
    }
}

impl Operation for IndexStatus {
    type Request = Request;
    type Response = Status;
    const SPEC: Spec = Spec {
        name: "index_status",
        usage: "index status",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show how the index of memory stands; it is brought up to date first, as before every question.",
    };

    fn run(session: &Session, _: Request) -> Result<Status, Error> {
        match Status::with_embedder(session) {
            // Our own is inside the program, and never fails.
            Err(error) if session.config()?.embedder.kind != EmbedderKind::Static => {
                Status::by_words(session, &error)
            }
            status => status,
        }
    }
}

impl Answer for Status {
    fn view(&self) -> View {
        let mut view = View::new();
        view.line([span(Role::Good, self.state), "  ".into(), span(Role::Source, &self.folder)]);
        view.say(format!(
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
