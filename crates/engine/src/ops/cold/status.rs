//! `cold status`: reports what is indexed of the transcripts.

use std::collections::BTreeMap;

use heirloom_core::{Hint, Problem};
use heirloom_index::cold::ColdSnapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cold::{self, Backlog, OpenCold};
use crate::view::present::{self, count};
use crate::view::{Role, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ColdStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

/// The index of transcripts.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ColdReport {
    /// Folder of the index; it can be deleted at any time.
    folder: &'static str,
    /// Number of indexed transcripts of each agent.
    pub(crate) transcripts: BTreeMap<String, usize>,
    /// Number of indexed messages.
    pub(crate) messages: usize,
    /// Number of passages that they have.
    passages: usize,
    /// Number of segments.
    segments: usize,
    /// Size of the index in bytes.
    pub(crate) bytes: u64,
    /// What is not indexed yet.
    pub(crate) not_indexed: Backlog,
    /// Transcripts and lines that could not be read, at most ten of each transcript.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

impl ColdReport {
    /// Describes an open index.
    pub(crate) fn new(open: &OpenCold) -> Self {
        let mut transcripts = BTreeMap::new();
        for transcript in open.transcripts() {
            *transcripts.entry(transcript.agent.clone()).or_default() += 1;
        }
        let snapshot = open.snapshot();
        let number = |count: fn(&ColdSnapshot) -> usize| snapshot.map_or(0, count);
        ColdReport {
            folder: cold::FOLDER,
            transcripts,
            messages: number(ColdSnapshot::message_count),
            passages: number(ColdSnapshot::chunk_count),
            segments: number(ColdSnapshot::segment_count),
            bytes: snapshot.map_or(0, ColdSnapshot::size_bytes),
            not_indexed: open.backlog,
            problems: open.problems(),
        }
    }

    /// Shows the index.
    pub(crate) fn show(&self, view: &mut View) {
        let total = self.transcripts.values().sum();
        view.plain_line(format!(
            "{} of {}, in {} of {:.1} MB",
            count(self.messages, "message"),
            count(total, "transcript"),
            count(self.segments, "segment"),
            self.bytes as f64 / 1e6
        ));
        let rows = self.transcripts.iter();
        let rows = rows.map(|(agent, number)| {
            vec![span(Role::Key, agent), count(*number, "transcript").into()]
        });
        view.table(&[], rows.collect());
        show_backlog(view, &self.not_indexed);
        present::problems(view, &self.problems);
    }
}

/// Says what is not indexed yet, if something is not.
pub(super) fn show_backlog(view: &mut View, backlog: &Backlog) {
    if backlog.transcripts > 0 {
        let message = format!(
            "{:.1} MB of {} not indexed yet: run ",
            backlog.bytes as f64 / 1e6,
            count(backlog.transcripts, "transcript")
        );
        view.line([span(Role::Warning, Hint::text(message).operation("cold_index"))]);
    }
    if backlog.removed > 0 {
        let message = format!("{} no longer there", count(backlog.removed, "indexed transcript"));
        view.line([span(Role::Dim, message)]);
    }
}

impl Operation for ColdStatus {
    type Request = Request;
    type Response = ColdReport;
    const SPEC: Spec = Spec {
        name: "cold_status",
        usage: "cold status",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Show which transcripts are indexed, and what is not indexed yet.",
    };

    fn run(session: &Session, _: Request) -> Result<ColdReport, Error> {
        let open = cold::open_as_it_is(session)?;
        let report = ColdReport::new(&open);
        open.keep(session);
        Ok(report)
    }
}

impl Answer for ColdReport {
    fn view(&self) -> View {
        let mut view = View::new();
        self.show(&mut view);
        view
    }
}
