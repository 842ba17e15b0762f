//! `cold search`: searches the transcripts of this workspace's sessions.

use heirloom_core::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::proposals::parse_day;
use super::status::show_backlog;
use crate::cold::{self, Backlog, ColdHit, ColdSearch, ColdSessionHit, Found};
use crate::view::present::count;
use crate::view::{Role, Span, View, span};
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct ColdSearchOperation;

/// Maximum number of results.
const DEFAULT_LIMIT: usize = 10;

/// The largest number of results.
const MAX_LIMIT: usize = 1000;

fn default_limit() -> usize {
    DEFAULT_LIMIT
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// What to search for, as free text.
    query: String,
    /// Only what was said on this day or later.
    #[serde(default)]
    since: Option<String>,
    /// Only sessions of this agent: claude, codex, gemini, copilot, opencode, or a folder below agent-transcripts.
    #[serde(default)]
    agent: Option<String>,
    /// Rank whole sessions, and show the best passages of each.
    #[serde(default)]
    sessions: bool,
    /// Maximum number of results.
    #[serde(default = "default_limit")]
    #[schemars(extend("x-short-flag" = "k"))]
    limit: usize,
}

/// Passages of transcripts, or sessions.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ColdAnswer {
    /// Passages that match the query, best first.
    hits: Vec<ColdHit>,
    /// Sessions that match the query, best first, if sessions were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<ColdSessionHit>>,
    /// What is not indexed yet, and so was not searched.
    #[serde(skip_serializing_if = "Backlog::is_empty")]
    not_indexed: Backlog,
    /// Transcripts that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
    /// Number of hits whose transcripts have changed since they were indexed.
    #[serde(skip_serializing_if = "is_zero")]
    changed: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Operation for ColdSearchOperation {
    type Request = Request;
    type Response = ColdAnswer;
    const SPEC: Spec = Spec {
        name: "cold_search",
        usage: "cold search <query>...",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Search the transcripts of earlier sessions in this workspace: who said what, when, in which file and line. Nothing of it is ever injected.",
    };

    const ALIASES: &[(&str, &str)] = &[("k", "limit")];

    fn run(session: &Session, request: Request) -> Result<ColdAnswer, Error> {
        if !(1..=MAX_LIMIT).contains(&request.limit) {
            return Err(Error::bad_input(format!("the limit is {}", request.limit))
                .hint(format!("set the limit to a number from 1 to {MAX_LIMIT}")));
        }
        let search = ColdSearch {
            query: &request.query,
            limit: request.limit,
            since: parse_day(request.since.as_deref())?,
            agent: request.agent.as_deref(),
        };
        let open = cold::open_up_to_date(session)?;
        let Found { hits, sessions, unreadable } = match request.sessions {
            true => search.sessions(session, &open)?,
            false => search.passages(session, &open)?,
        };
        let answer = ColdAnswer {
            hits,
            sessions: request.sessions.then_some(sessions),
            not_indexed: open.backlog,
            problems: open.listing_problems(),
            changed: unreadable,
        };
        open.keep(session);
        Ok(answer)
    }
}

impl Answer for ColdAnswer {
    fn view(&self) -> View {
        let mut view = View::new();
        let sessions = self.sessions.as_deref().unwrap_or_default();
        if self.hits.is_empty() && sessions.is_empty() {
            view.line([span(Role::Dim, "no transcript matches")]);
        }
        for hit in &self.hits {
            show_hit(&mut view, hit, 0);
        }
        for session in sessions {
            let mut line: Vec<Span> = vec![span(Role::Key, &session.agent)];
            line.extend(session.day.as_ref().map(|day| span(Role::Dim, format!(" · {day}"))));
            line.extend(session.title.as_ref().map(|title| format!(" · {title}").into()));
            line.push(span(Role::Source, format!(" · {}", session.file)));
            view.line(line);
            for hit in &session.hits {
                show_hit(&mut view, hit, 2);
            }
        }
        if self.changed > 0 {
            let message =
                format!("{} changed since they were indexed", count(self.changed, "passage"));
            view.line([span(Role::Warning, message)]);
        }
        show_backlog(&mut view, &self.not_indexed);
        crate::view::present::problems(&mut view, &self.problems);
        view
    }
}

fn show_hit(view: &mut View, hit: &ColdHit, indent: usize) {
    let by = match hit.role {
        "assistant" => hit.agent.clone(),
        "user" => "user".to_owned(),
        role => format!("{} {role}", hit.agent),
    };
    let mut line: Vec<Span> = vec![" ".repeat(indent).into(), span(Role::Key, by)];
    let day = hit.at.as_deref().and_then(|at| at.get(..16)).map(|at| at.replace('T', " "));
    line.extend(day.map(|day| span(Role::Dim, format!(" · {day}"))));
    line.push(span(Role::Source, format!(" · {}:{}", hit.file, hit.line)));
    view.line(line);
    let text: Vec<&str> = hit.text.split_whitespace().collect();
    view.wrapped_line(indent + 2, [format!("{}{}", " ".repeat(indent + 2), text.join(" "))]);
}
