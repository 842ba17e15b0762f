//! `compact`: stores an episode of a conversation, and returns what an agent needs to continue.

use heirloom_core::fold::Standing;
use heirloom_core::memory::EntryKind;
use heirloom_core::record::{Body, Episode, Origin, short_id};
use heirloom_core::transcript;
use heirloom_core::{Problem, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::llm;
use crate::memory::{
    MemoryItem, MemoryQuery, MemorySlice, WriteTransaction, drop_fields_with_secrets,
    episode_from_transcript, show_items,
};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_file::MemoryFile;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Compact;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Transcript of the conversation: of Claude Code or Codex, JSON Lines, or text.
    #[serde(default)]
    #[schemars(extend("contentMediaType" = "text/plain"))]
    transcript: Option<String>,
    /// Title of the episode.
    #[serde(default)]
    title: Option<String>,
    /// Your plan, by name or number, to include its open questions and decisions.
    #[serde(default)]
    #[schemars(extend("x-flag-alias" = "plan-id"))]
    plan: Option<String>,
    /// Your agent of that plan.
    #[serde(default)]
    #[schemars(extend("x-flag-alias" = "agent-id"))]
    agent: Option<String>,
    /// Keep the episode on this machine, out of git.
    #[serde(default)]
    private: bool,
    /// Do not store the episode.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Brief {
    /// Id of the stored episode.
    episode: Option<String>,
    /// Whether an episode of the same transcript existed already.
    already: bool,
    /// Title of the episode.
    title: Option<String>,
    /// Summary of the conversation.
    summary: Option<String>,
    /// Source of the summary: `structure`, or the configured model.
    summary_by: Option<String>,
    /// Pinned memories.
    pins: Vec<MemoryItem>,
    /// Open blockers and questions.
    open: Vec<MemoryItem>,
    /// Questions that the conversation left open.
    unanswered: Vec<String>,
    /// Standing instructions of the user, in the user's words.
    instructions: Vec<String>,
    /// Decisions of the plan and of the conversation.
    decisions: Vec<String>,
    /// Causes that were found, and fixes.
    findings: Vec<String>,
    /// Remaining tasks.
    todos: Vec<String>,
    /// Files that were changed.
    files: Vec<String>,
    /// What the user said and what the agent reported, in order and shortened. Later statements override earlier ones.
    course: Vec<String>,
    /// Number of turns.
    turns: Option<u64>,
    /// Number of tool calls.
    tool_calls: Option<u64>,
    /// Warnings, such as left-out secrets.
    warnings: Vec<String>,
    /// Files or lines that could not be read.
    problems: Vec<Problem>,
}

impl Operation for Compact {
    type Request = Request;
    type Response = Brief;
    const SPEC: Spec = Spec {
        name: "memory_compact",
        usage: "compact [transcript]",
        group: Group::Memory,
        effect: Effect::Writes,
        about: "Compact a conversation: store an episode of it, and return what you need to continue with an empty context: pins, open blockers and questions, decisions, changed files and a summary.",
    };

    fn run(session: &Session, request: Request) -> Result<Brief, Error> {
        let mut warnings = Vec::new();
        let transcript = request
            .transcript
            .as_deref()
            .filter(|text| !text.trim().is_empty())
            .map(|text| (transcript::parse("transcript", text), words::short_hash(text)));
        let model_summary = transcript
            .as_ref()
            .and_then(|(transcript, _)| llm::summarise(session, transcript, &mut warnings));
        let mut transaction = WriteTransaction::begin(session, false)?;
        let origin = transcript.as_ref().map(|(_, digest)| Origin::transcript(digest));
        let known = MemoryQuery::new().pinned().origins(origin.clone()).read(session)?;
        let file = match &request.plan {
            Some(plan) => Some(MemoryFile::open(session, plan, request.agent.as_deref())?),
            None => None,
        };
        let mut brief = brief_of_memory(&known, file.as_ref(), session.agent());
        brief.problems = known.problems.clone();
        if let Some(((transcript, _), origin)) = transcript.zip(origin) {
            let todos = transcript::digest_transcript(&transcript).todos;
            let mut episode = episode_from_transcript(session, &transcript);
            if let Some(title) = request.title.filter(|title| !title.trim().is_empty()) {
                episode.title = title.trim().to_owned();
            }
            brief.summary_by = Some("structure".to_owned());
            if let Some((summary, model)) = model_summary {
                episode.content = summary;
                brief.summary_by = Some(model);
            }
            let (episode, left_out) = drop_fields_with_secrets(episode);
            warnings.extend(left_out);
            brief.add_conversation(&episode, todos);
            brief.problems.extend(transcript.problems);
            let existing =
                known.memory.records().find(|record| record.origin.as_ref() == Some(&origin));
            if let Some(existing) = existing {
                brief.episode = Some(existing.id.to_string());
                brief.already = true;
            } else if !request.dry_run {
                let mut record = transaction.new_record(Body::Episode(Box::new(episode)));
                record.tags = vec!["compact".to_owned()];
                record.origin = Some(origin);
                if request.private {
                    record.visibility = heirloom_core::record::Visibility::Private;
                }
                brief.episode = Some(transaction.write(&known, &record)?.to_string());
                transaction.commit()?;
            }
        }
        brief.warnings = warnings;
        Ok(brief)
    }
}

/// Returns the part of the brief that does not depend on the conversation.
fn brief_of_memory(known: &MemorySlice, file: Option<&MemoryFile>, agent: Option<&str>) -> Brief {
    let is_relevant = |document: &MemoryDocument| {
        file.is_none_or(|file| {
            document.selectors.get("plan") == Some(&file.plan)
                && document
                    .selectors
                    .get("agent")
                    .is_none_or(|agent| file.agent.as_ref().is_none_or(|name| name == agent))
        })
    };
    known.prefetch_entry_dates(known.documents.iter().filter(|document| is_relevant(document)));
    let entries = known.entries().filter(|(document, _)| is_relevant(document));
    let items: Vec<(EntryKind, MemoryItem)> = entries
        .map(|(document, entry)| (entry.kind, MemoryItem::of_entry(&known.memory, document, entry)))
        .filter(|(_, item)| item.standing == Standing::Active)
        .collect();
    let open = items.iter().filter(|(kind, item)| kind.is_task() && !item.resolved);
    let decisions = items.iter().filter(|(kind, _)| *kind == EntryKind::Decision && file.is_some());
    Brief {
        episode: None,
        already: false,
        title: None,
        summary: None,
        summary_by: None,
        pins: known.pins(agent).into_iter().map(|(_, item)| item).collect(),
        open: open.map(|(_, item)| item.clone()).collect(),
        unanswered: vec![],
        instructions: vec![],
        findings: vec![],
        decisions: decisions.map(|(_, item)| item.text.clone()).collect(),
        todos: vec![],
        files: vec![],
        course: vec![],
        turns: None,
        tool_calls: None,
        warnings: vec![],
        problems: vec![],
    }
}

impl Brief {
    /// Adds what the conversation contains.
    fn add_conversation(&mut self, episode: &Episode, todos: Vec<String>) {
        self.title = Some(episode.title.clone());
        self.summary = Some(episode.content.clone());
        self.unanswered.clone_from(&episode.open);
        self.instructions.clone_from(&episode.instructions);
        self.decisions.extend(episode.decisions.iter().cloned());
        self.findings.clone_from(&episode.findings);
        self.files.clone_from(&episode.files);
        self.course.clone_from(&episode.course);
        self.todos = todos;
        self.turns = episode.turns;
        self.tool_calls = episode.tool_calls;
    }
}

impl Answer for Brief {
    fn view(&self) -> View {
        let mut view = View::new();
        if !self.pins.is_empty() {
            view.title("Working memory");
            show_items(&mut view, &self.pins);
        }
        if let Some(title) = &self.title {
            view.title(title);
        }
        if let Some(summary) = &self.summary {
            view.text(summary);
        }
        for (title, items) in [
            ("Standing instructions", &self.instructions),
            ("Decisions", &self.decisions),
            ("Findings", &self.findings),
            ("Left open", &self.unanswered),
            ("To do", &self.todos),
            ("Files touched", &self.files),
            ("Course of the conversation; later statements override earlier ones", &self.course),
        ] {
            if !items.is_empty() {
                view.title(title);
                for item in items {
                    view.plain_line(format!("- {item}"));
                }
            }
        }
        if !self.open.is_empty() {
            view.title("Open blockers and questions");
            show_items(&mut view, &self.open);
        }
        let about = match (&self.episode, self.already) {
            (Some(id), false) => format!("stored as episode {}", short_id(id)),
            (Some(id), true) => format!("already stored as episode {}", short_id(id)),
            (None, _) => "no episode was stored".to_owned(),
        };
        view.blank();
        view.line([span(Role::Dim, about)]);
        for warning in &self.warnings {
            view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
