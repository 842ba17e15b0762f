//! Judges which of the memories that were injected during a work session its agent used.

use std::path::Path;

use heirloom_core::citation::{AgentWork, CitationContext, InjectedText, Verdict, judge};
use heirloom_core::hot::item;
use heirloom_core::recall::terms;
use heirloom_core::record::{Referent, short_id};
use heirloom_core::transcript::{Role, Transcript};
use heirloom_core::usage::UsageEvent;
use heirloom_embed::builtin;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::conversation::Conversation;
use crate::hot::{LinkRecord, item_referent, read_rules};
use crate::memory::OpenSession;
use crate::recall::term_rarities;
use crate::usage::{
    InjectedMemory, append_events, append_times, append_used_with, read_injected, remove_injected,
};
use crate::view::present::opening;
use crate::workspace::typed_path::{is_inside, path_in_workspace};
use crate::{Error, Session};

/// Maximum number of files of a session that its memories are remembered with.
const MAX_FILES: usize = 10;

/// A memory that was injected, and whether the agent used it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct JudgedMemory {
    /// Id under which it can be read.
    pub(crate) id: String,
    /// Whether the agent used it.
    pub(crate) cited: bool,
    /// What of it the work of the agent contains: its id, names in code, values or words.
    pub(crate) because: Vec<String>,
    /// How likely it was used; from 0.5 on it counts as cited.
    pub(crate) likelihood: f64,
    /// Opening of the text that was injected.
    pub(crate) text: String,
    #[serde(skip)]
    memory: Referent,
    /// When it was first injected.
    #[serde(skip)]
    injected_at: Timestamp,
}

/// Judges what was injected during a session by its conversation, and counts it. Without a conversation, nothing is
/// judged.
pub(super) fn judge_session(
    session: &Session,
    open: &OpenSession,
    conversation: Option<&Conversation>,
) -> Result<Vec<JudgedMemory>, Error> {
    let (injected, tasks) = read_injected(session, &open.id)?;
    let Some(conversation) = conversation else { return Ok(vec![]) };
    count_rules(session, open, &tasks, &conversation.transcript)?;
    if injected.is_empty() {
        return Ok(vec![]);
    }
    let judged = judge_memories(session, &injected, &tasks, &conversation.transcript)?;
    let with = |cited: bool| -> Vec<(&Referent, usize)> {
        judged.iter().filter(|it| it.cited == cited).map(|it| (&it.memory, 0)).collect()
    };
    let events = [(UsageEvent::Cited, with(true)), (UsageEvent::Ignored, with(false))];
    append_events(session, &events)?;
    let used: Vec<&Referent> = with(true).into_iter().map(|(memory, _)| memory).collect();
    append_used_with(session, &files_of(session, &conversation.transcript), &used)?;
    let cited = judged.iter().filter(|it| it.cited);
    append_times(session, cited.map(|it| (&it.memory, it.injected_at)))?;
    Ok(judged)
}

/// Judges which items of hot memory were used, and counts them. The client loaded them, so they are not among what was
/// injected; and they are judged apart, since a verdict depends on the other memories of the session.
fn count_rules(
    session: &Session,
    open: &OpenSession,
    tasks: &[String],
    transcript: &Transcript,
) -> Result<(), Error> {
    if LinkRecord::read(session.root())?.0.clients.is_empty() {
        return Ok(());
    }
    let at = open.started.parse().unwrap_or_else(|_| session.now());
    let rules = read_rules(session)?.files;
    let items = rules.iter().flat_map(|file| {
        let items = item::items(&file.text).into_iter();
        let with_text = items.filter(|item| item.has_own_text(&file.text));
        with_text.map(|item| InjectedMemory {
            memory: item_referent(&file.path, &item.slug),
            text: file.text[item.bytes.start..item.own_end].to_owned(),
            at,
        })
    });
    let items: Vec<InjectedMemory> = items.collect();
    if items.is_empty() {
        return Ok(());
    }
    let judged = judge_memories(session, &items, tasks, transcript)?;
    let with = |cited: bool| -> Vec<(&Referent, usize)> {
        judged.iter().filter(|it| it.cited == cited).map(|it| (&it.memory, 0)).collect()
    };
    append_events(session, &[(UsageEvent::Cited, with(true)), (UsageEvent::Ignored, with(false))])
}

/// Returns the files of the workspace that a session changed, and then those that it read.
fn files_of(session: &Session, transcript: &Transcript) -> Vec<String> {
    let root = session.root();
    let cwd = transcript.cwd.as_deref().map_or_else(|| root.path(), Path::new);
    let files = transcript.files_written.iter().chain(&transcript.files_read);
    let paths = files.filter_map(|file| {
        let path = path_in_workspace(root, cwd.join(file).to_str()?);
        (is_inside(&path) && root.exists(&path)).then_some(path)
    });
    paths.take(MAX_FILES).collect()
}

/// Removes what was recorded for a session that has ended.
pub(super) fn remove(session: &Session, open: &OpenSession) -> Result<(), Error> {
    remove_injected(session, &open.id)
}

fn judge_memories(
    session: &Session,
    injected: &[InjectedMemory],
    tasks: &[String],
    transcript: &Transcript,
) -> Result<Vec<JudgedMemory>, Error> {
    let names: Vec<Vec<String>> = injected.iter().map(|it| names_of(&it.memory)).collect();
    let texts = injected.iter().zip(&names).map(|(it, names)| InjectedText {
        ids: names.iter().map(String::as_str).collect(),
        text: &it.text,
        first_line: first_line_after(transcript, it.at),
    });
    let texts: Vec<InjectedText<'_>> = texts.collect();
    let mut words: Vec<String> = texts.iter().flat_map(|it| terms(it.text)).collect();
    words.sort_unstable();
    words.dedup();
    let rarities = term_rarities(session, &words)?;
    let said = transcript.turns.iter().filter(|turn| turn.role == Role::User);
    let asked: Vec<&str> =
        said.map(|turn| turn.text.as_str()).chain(tasks.iter().map(String::as_str)).collect();
    let rarity = |term: &str| rarities.get(term).copied().unwrap_or(1.0);
    let context = CitationContext { asked: &asked, rarity: &rarity, embedder: builtin() };
    let verdicts =
        judge(&texts, &AgentWork::of_transcript(transcript), &context).map_err(Error::from)?;
    let mut judged: Vec<JudgedMemory> = Vec::new();
    for ((it, names), verdict) in injected.iter().zip(&names).zip(verdicts) {
        let new = JudgedMemory::new(it, names, verdict);
        // A memory of which several texts were shown is used if one of them was.
        match judged.iter_mut().find(|known| known.memory == new.memory) {
            Some(known) if known.likelihood < new.likelihood => {
                *known = JudgedMemory { injected_at: known.injected_at, ..new };
            }
            Some(_) => {}
            None => judged.push(new),
        }
    }
    Ok(judged)
}

impl JudgedMemory {
    fn new(injected: &InjectedMemory, names: &[String], verdict: Verdict) -> Self {
        JudgedMemory {
            id: names.first().cloned().unwrap_or_default(),
            cited: verdict.is_cited,
            because: verdict.evidence,
            likelihood: (verdict.likelihood * 100.0).round() / 100.0,
            text: opening(&injected.text),
            memory: injected.memory.clone(),
            injected_at: injected.at,
        }
    }
}

/// Returns the names by which an agent may refer to a memory, the shown one first.
fn names_of(memory: &Referent) -> Vec<String> {
    match memory {
        Referent::Document(id) => vec![id.strip_prefix("adr/").unwrap_or(id).to_owned()],
        Referent::Entry(id) => vec![short_id(id).to_owned(), id.clone()],
        Referent::Record(_) | Referent::Unknown(_) => {
            let id = memory.to_string();
            vec![short_id(&id).to_owned(), id]
        }
    }
}

/// Returns the first line of a transcript after a time; 0 if the transcript states no times, or none around it.
fn first_line_after(transcript: &Transcript, at: Timestamp) -> usize {
    let is_during = transcript.started.is_some_and(|start| start <= at)
        && transcript.ended.is_some_and(|end| end > at);
    if !is_during {
        return 0;
    }
    let before = transcript.turns.iter().filter(|turn| turn.at.is_some_and(|time| time <= at));
    before.map(|turn| turn.line).max().unwrap_or(0)
}
