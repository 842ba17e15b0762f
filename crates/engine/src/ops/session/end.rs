//! `session end`: ends a work session and stores an episode of it.

use heirloom_core::Hint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memory::OpenSession;
use crate::ops::answers::StoredRecord;
use crate::view::{Role, View, present, span};
use crate::work_session::{self, Conversation, Ending, JudgedMemory};
use crate::workspace::input_checks::check_title;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct SessionEnd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Id of the session, or the end of the id; optional if only one of yours is open.
    #[serde(default)]
    id: Option<String>,
    /// Title of the episode.
    #[serde(default)]
    title: Option<String>,
    /// Outcome of the session.
    #[serde(default)]
    outcome: Option<String>,
    /// Number of turns; default: counted in the transcript, else by calls.
    #[serde(default)]
    turns: Option<u64>,
    /// Number of tool calls; default: counted in the transcript, else those that were made here.
    #[serde(default)]
    tool_calls: Option<u64>,
    /// Transcript of the session: of Claude Code or Codex, JSON Lines, or text; or the path of one. Default: the
    /// session file of Claude Code or Codex that was written during the session.
    #[serde(default)]
    #[schemars(extend("contentMediaType" = "text/plain"))]
    transcript: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EndedWork {
    #[serde(flatten)]
    stored: StoredRecord,
    /// Memories that contexts of the session contained, and whether the agent used them by the conversation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    injected: Vec<JudgedMemory>,
    /// Number of those that the agent used.
    #[serde(skip_serializing_if = "is_zero")]
    cited: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Answer for EndedWork {
    fn view(&self) -> View {
        let mut view = self.stored.view();
        if self.injected.is_empty() {
            return view;
        }
        let were = if self.injected.len() == 1 { "was" } else { "were" };
        let count = present::count(self.injected.len(), "memory");
        let line = format!("   {count} {were} injected, {} cited", self.cited);
        view.line([span(Role::Dim, line)]);
        for memory in &self.injected {
            let because = match memory.cited {
                true => format!("cited: {}", memory.because.join(", ")),
                false => "ignored".to_owned(),
            };
            let role = if memory.cited { Role::Good } else { Role::Dim };
            view.wrapped_line(
                MEMORY_INDENT,
                [
                    "   ".into(),
                    span(Role::Key, &memory.id),
                    format!("  {}", memory.text).into(),
                    span(role, format!("  {because}")),
                ],
            );
        }
        view
    }
}

/// The column of the further lines of a memory.
const MEMORY_INDENT: usize = 5;

impl Operation for SessionEnd {
    type Request = Request;
    type Response = EndedWork;
    const SPEC: Spec = Spec {
        name: "session_end",
        usage: "session end [id]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "End a work session and store an episode of it, tagged auto: title, duration, turns, tool calls, files, commits and stored records. By the transcript, the memories that contexts of the session contained count as cited or ignored.",
    };

    fn run(session: &Session, request: Request) -> Result<EndedWork, Error> {
        check_title(request.title.as_deref().unwrap_or_default())?;
        let open = find_open(session, request.id.as_deref())?;
        let ending = Ending {
            title: request.title,
            outcome: request.outcome,
            turns: request.turns,
            tool_calls: request.tool_calls,
            conversation: Conversation::given(session, request.transcript.as_deref())?,
            at: None,
        };
        let ended = work_session::end(session, &open, ending)?;
        let stored = StoredRecord::of("stored", &ended.record);
        Ok(EndedWork {
            stored: StoredRecord { notes: ended.notes, ..stored },
            cited: ended.judged.iter().filter(|memory| memory.cited).count(),
            injected: ended.judged,
        })
    }
}

/// Finds an open session by the end of its id. Without an id, returns the only one that the client started, else the
/// only one of the author, else, if the caller is not an agent, the only one of all authors.
fn find_open(session: &Session, id: Option<&str>) -> Result<OpenSession, Error> {
    let (open, problems) = OpenSession::read_all(session)?;
    let all = describe(&open);
    let mut selected = match id {
        Some(id) => {
            open.into_iter().filter(|session| session.id.ends_with(id.trim())).collect::<Vec<_>>()
        }
        None => own_sessions(session, open),
    };
    match selected.len() {
        1 => Ok(selected.remove(0)),
        0 if all.is_empty() => {
            let hint = match problems.first() {
                Some(problem) => Hint::from(problem),
                None => Hint::text("start one with ").operation("session_start"),
            };
            Err(Error::not_found("no session is open", all).hint(hint))
        }
        0 if id.is_none() => {
            Err(Error::not_found("no session of yours is open", all)
                .hint("give the id of one of them"))
        }
        0 => Err(Error::not_found("no open session has this id", all)),
        _ => Err(Error::not_found("several sessions are open", describe(&selected))
            .hint("give the id of one of them")),
    }
}

/// Returns the sessions that a request without an id may mean.
fn own_sessions(session: &Session, open: Vec<OpenSession>) -> Vec<OpenSession> {
    let started = session.client().work_sessions();
    let author = session.author();
    let (own, others): (Vec<_>, Vec<_>) =
        open.into_iter().partition(|open| started.contains(&open.id));
    if !own.is_empty() {
        return own;
    }
    let (of_author, of_others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|open| open.by == author && !open.of_connection);
    let is_person = session.agent().is_none();
    if of_author.is_empty() && is_person { of_others } else { of_author }
}

fn describe(open: &[OpenSession]) -> Vec<String> {
    let describe = |session: &OpenSession| {
        let title = session.title.as_deref().unwrap_or(&session.started);
        format!("{} {title}", session.id)
    };
    open.iter().map(describe).collect()
}
