//! `compact`: stores an episode of a conversation, and returns what an agent needs to continue.

use heirloom_core::fold::Standing;
use heirloom_core::memory::EntryKind;
use heirloom_core::record::{Body, Episode, Origin, Record, Visibility, short_id};
use heirloom_core::transcript;
use heirloom_core::{Problem, words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::llm;
use crate::memory::{
    AUTO_TAG, MemoryItem, MemoryQuery, MemorySlice, WriteTransaction, drop_fields_with_secrets,
    episode_from_digest, pins_of_request, show_items,
};
use crate::view::present;
use crate::view::{Role, View, span};
use crate::work_session::{COMPACT_TAG, Conversation, latest_episodes, replaced_by_episode};
use crate::workspace::memory_document::MemoryDocument;
use crate::workspace::memory_file::MemoryFile;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Compact;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Transcript of the conversation: of Claude Code or Codex, JSON Lines, or text; or the path of one. Default: your
    /// newest session file for this workspace.
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
    /// Whether this conversation was stored already, and has not gone on since.
    already: bool,
    /// Ids of the episodes of an earlier state of this conversation, which the stored one replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<String>,
    /// Path of the session file that the conversation was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<String>,
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
        let conversation = match Conversation::given(session, request.transcript.as_deref())? {
            Some(given) => Some(given),
            None => Conversation::newest(session)?,
        };
        let mut warnings = Vec::new();
        let model_summary = conversation
            .as_ref()
            .and_then(|found| llm::summarise(session, &found.transcript, &mut warnings));
        let mut transaction = WriteTransaction::begin(session, false)?;
        let origin = conversation.as_ref().map(|conversation| conversation.origin.clone());
        let known = MemoryQuery::new().pinned().origins(origin).read(session)?;
        let file = match &request.plan {
            Some(plan) => Some(MemoryFile::open(session, plan, request.agent.as_deref())?),
            None => None,
        };
        let mut brief = brief_of_memory(session, &known, file.as_ref());
        brief.problems = known.problems.clone();
        brief.warnings = warnings;
        if let Some(conversation) = conversation {
            let episode = brief.digest(session, &conversation, &request, model_summary);
            if let Some(record) =
                brief.new_record(&transaction, &known, &conversation.origin, episode, &request)
            {
                transaction.write(&known, &record)?;
                transaction.commit()?;
            }
        }
        Ok(brief)
    }
}

/// Returns the part of the brief that does not depend on the conversation.
fn brief_of_memory(session: &Session, known: &MemorySlice, file: Option<&MemoryFile>) -> Brief {
    let is_relevant = |document: &MemoryDocument| {
        file.is_none_or(|file| {
            // Memory of the same names, and of levels above or below them.
            let own = |level: &str| file.selectors.get(level);
            let mut names = document.selectors.iter();
            names.all(|(level, name)| own(level).is_none_or(|own| own == name))
                && document.selectors.iter().any(|(level, _)| own(level).is_some())
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
        replaces: vec![],
        transcript: None,
        title: None,
        summary: None,
        summary_by: None,
        pins: pins_of_request(session, known),
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
    /// Adds what a conversation contains, and returns the episode of it.
    fn digest(
        &mut self,
        session: &Session,
        conversation: &Conversation,
        request: &Request,
        model_summary: Option<(String, String)>,
    ) -> Episode {
        let Conversation { transcript, path, .. } = conversation;
        let digest = transcript::digest_transcript(transcript);
        let todos = digest.todos.clone();
        let mut episode = episode_from_digest(session, transcript, digest);
        let title = request.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        if let Some(title) = title {
            title.clone_into(&mut episode.title);
        }
        self.summary_by = Some("structure".to_owned());
        if let Some((summary, model)) = model_summary {
            episode.content = summary;
            self.summary_by = Some(model);
        }
        let (episode, left_out) = drop_fields_with_secrets(episode);
        self.warnings.extend(left_out);
        self.transcript = path.as_ref().map(|path| path.display().to_string());
        self.add_episode(&episode, todos);
        self.problems.extend(transcript.problems.iter().cloned());
        episode
    }

    /// Makes the record of a conversation's episode, which replaces an earlier one if the conversation has gone on
    /// since; `None` if nothing is to be stored.
    fn new_record(
        &mut self,
        transaction: &WriteTransaction<'_>,
        known: &MemorySlice,
        origin: &Origin,
        mut episode: Episode,
        request: &Request,
    ) -> Option<Record> {
        let earlier = latest_episodes(known, origin);
        for (record, earlier) in &earlier {
            episode.add_work_of(earlier);
            // The episode of a work session has the title that was given to the session.
            if request.title.is_none() && record.tags.iter().any(|tag| tag == AUTO_TAG) {
                episode.title.clone_from(&earlier.title);
            }
        }
        let is_same = |earlier: &&(&Record, &Episode)| episode.has_same_content(earlier.1);
        if let Some((stored, _)) = earlier.iter().find(is_same) {
            self.episode = Some(stored.id.to_string());
            self.already = true;
            return None;
        }
        if request.dry_run {
            return None;
        }
        let hash = words::short_hash(&format!("{episode:?}"));
        let mut record = transaction.new_record(Body::Episode(Box::new(episode)));
        record.tags = vec![COMPACT_TAG.to_owned()];
        record.origin =
            Some(if earlier.is_empty() { origin.clone() } else { origin.version(&hash) });
        record.supersedes = replaced_by_episode(known, earlier.iter().map(|(record, _)| *record));
        if request.private {
            record.visibility = Visibility::Private;
        }
        self.episode = Some(record.id.to_string());
        self.replaces = earlier.iter().map(|(record, _)| record.id.to_string()).collect();
        Some(record)
    }

    /// Adds what the episode of the conversation contains.
    fn add_episode(&mut self, episode: &Episode, todos: Vec<String>) {
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

    /// Says which episode was stored, or why none was.
    fn describe_episode(&self) -> String {
        match (&self.episode, self.already) {
            (Some(id), false) if self.replaces.is_empty() => {
                format!("stored as episode {}", short_id(id))
            }
            (Some(id), false) => {
                let replaced: Vec<&str> = self.replaces.iter().map(|id| short_id(id)).collect();
                format!(
                    "stored as episode {}, which replaces {}",
                    short_id(id),
                    replaced.join(", ")
                )
            }
            (Some(id), true) => format!("already stored as episode {}", short_id(id)),
            (None, _) if self.turns.is_none() => {
                "no episode was stored: there is no session file of Claude Code or Codex for this workspace, and no conversation was given".to_owned()
            }
            (None, _) => "no episode was stored".to_owned(),
        }
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
        view.blank();
        view.line([span(Role::Dim, self.describe_episode())]);
        if let Some(path) = &self.transcript {
            view.line([span(Role::Dim, format!("from {path}"))]);
        }
        for warning in &self.warnings {
            view.line([span(Role::Warning, format!("⚠️ {warning}"))]);
        }
        present::problems(&mut view, &self.problems);
        view
    }
}
