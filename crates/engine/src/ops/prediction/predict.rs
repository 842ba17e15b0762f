//! `predict`: predicts which memories and commits a piece of work will need.

use heirloom_core::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::request_parts::default_limit;
use crate::prediction::{PredictedMemory, Prediction, branch_words, predict};
use crate::signals::WorkSignals;
use crate::view::{Role, View, present, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ContextPredict;

/// The largest limit.
const MAX_LIMIT: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Files that you work on.
    #[serde(default)]
    files: Vec<String>,
    /// File that was opened.
    #[serde(default)]
    #[schemars(extend("x-no-flag" = true))]
    file_opened: Option<String>,
    /// Branch that you work on.
    #[serde(default)]
    branch: Option<String>,
    /// Error messages that you saw.
    #[serde(default)]
    errors: Vec<String>,
    /// People that you work with.
    #[serde(default)]
    with: Vec<String>,
    /// Ignore the remembered signals and the checked-out branch.
    #[serde(default)]
    no_signals: bool,
    /// Maximum number of memories.
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: usize,
    /// Show what each commit adds, and the files that it changed.
    #[serde(default)]
    explain: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PredictedContext {
    /// The memories and commits, the best first.
    predicted_memories: Vec<PredictedMemory>,
    /// The greatest confidence among them, 0 to 1.
    confidence: f64,
    /// Files that do not exist, and why no commits are predicted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Files or lines that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    #[serde(skip)]
    is_explained: bool,
}

impl Operation for ContextPredict {
    type Request = Request;
    type Response = PredictedContext;
    const SPEC: Spec = Spec {
        name: "context_predict",
        usage: "predict",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Predict which memories and commits work on a file will need: what changed together with it, which commits wrote the lines, what names it; also for a branch, an error or a collaborator, and what is usually done at this time. Remembered signals count.",
    };
    const PATHS: &[&str] = &["/context/predict"];

    fn run(session: &Session, request: Request) -> Result<PredictedContext, Error> {
        let Request { mut files, file_opened, branch, errors, with, .. } = request;
        let (limit, explain) = (request.limit, request.explain);
        if !(1..=MAX_LIMIT).contains(&limit) {
            let message = format!("the limit is {limit}, and must be between 1 and {MAX_LIMIT}");
            return Err(Error::bad_input(message));
        }
        files.extend(file_opened);
        let mut signals = WorkSignals { files, branch, errors, people: with, ..Default::default() };
        signals.drop_blank();
        let is_stated = !signals.is_empty();
        if !request.no_signals {
            signals = signals.with_remembered(session);
        }
        let prediction = predict(session, &signals, limit)?;
        // A branch such as `main` says nothing, unless it was asked about. The time may.
        if prediction.memories.is_empty() && !is_stated && is_nothing_known(&signals) {
            return Err(Error::bad_input(
                "nothing is known about the work, and nothing is usual now",
            )
            .hint("state a file, a branch, an error message or a person"));
        }
        Ok(PredictedContext::new(prediction, explain))
    }
}

/// Returns whether signals say nothing about the work.
fn is_nothing_known(signals: &WorkSignals) -> bool {
    let branch = signals.branch.as_deref().unwrap_or_default();
    let without_branch = WorkSignals { branch: None, ..signals.clone() };
    let says_nothing =
        branch_words(branch).is_empty() && !branch.contains(|c: char| c.is_numeric());
    says_nothing && without_branch.is_empty()
}

impl PredictedContext {
    fn new(prediction: Prediction, is_explained: bool) -> Self {
        let Prediction { mut memories, warnings, problems } = prediction;
        if !is_explained {
            memories.iter_mut().for_each(|memory| memory.gain = None);
        }
        PredictedContext {
            confidence: memories.iter().map(|memory| memory.confidence).fold(0.0, f64::max),
            predicted_memories: memories,
            warnings,
            problems,
            is_explained,
        }
    }
}

/// The column of a memory's details.
const DETAILS_INDENT: usize = 6;

impl Answer for PredictedContext {
    fn view(&self) -> View {
        let mut view = View::new();
        if self.predicted_memories.is_empty() {
            view.line([span(Role::Dim, "nothing is predicted")]);
        }
        for memory in &self.predicted_memories {
            show_memory(&mut view, memory, self.is_explained);
        }
        for warning in &self.warnings {
            view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}

fn show_memory(view: &mut View, memory: &PredictedMemory, is_explained: bool) {
    let confidence = span(Role::Good, format!("{:.2}  ", memory.confidence));
    view.wrapped_line(DETAILS_INDENT, [confidence, memory.title.clone().into()]);
    let indent = " ".repeat(DETAILS_INDENT);
    let mut details = vec![memory.kind.clone()];
    details.extend(memory.date.clone());
    details.extend(Some(memory.author.clone()).filter(|author| !author.is_empty()));
    let line = [
        span(Role::Dim, format!("{indent}{} · ", details.join(" · "))),
        span(Role::Source, memory.short_id()),
    ];
    view.wrapped_line(DETAILS_INDENT, line);
    view.wrapped_line(DETAILS_INDENT, [span(Role::Dim, format!("{indent}{}", memory.reason))]);
    if is_explained {
        let gain = memory.gain.map(|gain| format!("adds {gain:.3}")).into_iter();
        let files =
            (!memory.files.is_empty()).then(|| format!("changed {}", memory.files.join(", ")));
        for text in gain.chain(files) {
            view.wrapped_line(DETAILS_INDENT, [span(Role::Dim, format!("{indent}{text}"))]);
        }
    }
}
