//! Digests a transcript into what the next agent needs to continue the work.

pub(super) mod conversation;
mod course;
pub(super) mod decisions;
pub(super) mod findings;
mod instructions;
mod open_items;
pub(super) mod phrases;
mod proposals;
pub(super) mod revisions;
pub(super) mod statement;
mod steps;

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::excerpt::excerpt;
use super::markdown::{Block, BlockKind};
use super::model::{Role, Transcript};
use crate::prose::{self, truncate};
use conversation::Conversation;
use course::collect_course;
use decisions::collect_decisions;
use findings::collect_findings;
use instructions::collect_instructions;
use open_items::collect_open_items;
use revisions::TermWeights;
use statement::{Statement, term_set};
use steps::{abbreviate_list, collect_steps};

/// Length of each list of a digest.
const MAX_LIST_ITEMS: usize = 12;

/// Length of the lists of instructions, decisions, findings and open items, which a successor cannot
/// find elsewhere.
const MAX_STATEMENTS: usize = 24;

/// Length of a list item, in characters.
const MAX_ITEM_CHARS: usize = 240;

/// Length of a statement, in characters.
const MAX_STATEMENT_CHARS: usize = 480;

/// Length of the first goal, in characters.
const MAX_FIRST_GOAL_CHARS: usize = 300;

/// Length of the outcome, in characters.
const MAX_OUTCOME_CHARS: usize = 480;

/// Number of messages of the user of which one may give the title: the first may be a greeting.
const MAX_TITLE_MESSAGES: usize = 3;

/// A sentence of fewer terms does not tell what a session is about.
const MIN_TITLE_TERMS: usize = 2;

/// Length of the title, in characters.
const MAX_TITLE_CHARS: usize = 80;

/// Length of the summary, in characters.
const MAX_SUMMARY_CHARS: usize = 1200;

/// Length of the request and of the outcome within the summary, in characters.
const MAX_SUMMARY_PART_CHARS: usize = MAX_SUMMARY_CHARS / 3;

/// Number of items of a list that the summary contains.
const MAX_SUMMARY_LIST_ITEMS: usize = 4;

/// What an agent needs to continue the work of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Digest {
    /// The topic of the session in a few words.
    pub title: String,
    /// The user's requests in order.
    pub goals: Vec<String>,
    /// Standing instructions of the user, in the user's words.
    pub instructions: Vec<String>,
    /// Decisions that were made, with what they refer to.
    pub decisions: Vec<String>,
    /// Causes that were found, and fixes.
    pub findings: Vec<String>,
    /// Work that was put off, unanswered questions, blockers and the failures at the end.
    pub open: Vec<String>,
    /// The steps that were taken, in order; equal steps are combined.
    pub sequence: Vec<String>,
    /// The agent's report at the end.
    pub outcome: String,
    /// The open entries of the agent's todo list.
    pub todos: Vec<String>,
    /// What the user said and what the agent reported, in order and shortened.
    pub course: Vec<String>,
    /// The digest in a few lines of whole sentences.
    pub summary: String,
}

/// Digests a transcript.
pub fn digest_transcript(transcript: &Transcript) -> Digest {
    let conversation = Conversation::of(transcript);
    let weights =
        TermWeights::of(conversation.messages.iter().map(|message| message.turn.text.as_str()));
    let instructions =
        limit_statements(&collect_instructions(&conversation, &weights, MAX_STATEMENTS));
    let decisions = collect_decisions(transcript, &conversation, &weights, MAX_STATEMENTS);
    let mut decisions = texts_of(decisions);
    let is_instruction = |text: &String| instructions.iter().any(|other| other.contains(text));
    decisions.retain(|decision| !is_instruction(decision));
    let findings = collect_findings(transcript, &conversation, MAX_STATEMENTS);
    let steps = collect_steps(transcript, MAX_LIST_ITEMS);
    let outcome = first_paragraph(conversation.last_report_blocks());
    let mut digest = Digest {
        title: title(transcript, &conversation),
        goals: goals(&conversation),
        instructions,
        decisions: limit_statements(&decisions),
        findings: limit_statements(&texts_of(findings)),
        open: limit_statements(&collect_open_items(transcript, &conversation, &weights)),
        sequence: steps.iter().map(|step| truncate(step, MAX_ITEM_CHARS)).collect(),
        outcome: truncate(&outcome, MAX_OUTCOME_CHARS),
        todos: limit_list(&open_todos(transcript, &conversation)),
        course: collect_course(&conversation),
        summary: String::new(),
    };
    digest.summary = summarize(transcript, &conversation, &digest);
    digest
}

/// Returns the title that the client gave the session, else the first sentence that tells something, of the requests or
/// of the first report.
fn title(transcript: &Transcript, conversation: &Conversation<'_>) -> String {
    let requests = conversation.user_messages().take(MAX_TITLE_MESSAGES);
    let requests = requests.map(|message| excerpt(&message.turn.text, MAX_FIRST_GOAL_CHARS));
    let report = conversation.messages.first().and_then(|message| message.blocks.first());
    let report = report.map(|block| block.text.clone());
    let sources: Vec<String> = match &transcript.title {
        Some(title) => vec![title.clone()],
        None => requests.chain(report).collect(),
    };
    let sentences = || sources.iter().flat_map(|source| prose::split_sentences(source));
    // Other scripts have no spaces between words, so that their terms cannot be counted.
    let is_telling =
        |sentence: &&str| !sentence.is_ascii() || term_set(sentence).len() >= MIN_TITLE_TERMS;
    let sentence = sentences().find(is_telling).or_else(|| sentences().next());
    let title = sentence.unwrap_or_default().trim_end_matches(['.', ':', '。']);
    match (truncate(title, MAX_TITLE_CHARS), transcript.started) {
        (title, _) if !title.is_empty() => title,
        (_, Some(started)) => format!("Session of {}", started.strftime("%F")),
        (_, None) => "Session".to_owned(),
    }
}

/// Returns the requests of the user: the first, and the latest of the others.
fn goals(conversation: &Conversation<'_>) -> Vec<String> {
    let mut goals = vec![];
    let mut agent_asked = false;
    for message in &conversation.messages {
        if message.turn.role == Role::Assistant {
            agent_asked = message.sentences().last().is_some_and(prose::is_question);
        } else if goals.is_empty() {
            goals.push(excerpt(&message.turn.text, MAX_FIRST_GOAL_CHARS));
        } else if phrases::is_request(&message.turn.text, agent_asked) {
            goals.push(excerpt(&message.turn.text, MAX_ITEM_CHARS));
        }
    }
    let mut goals = deduplicate(goals);
    if goals.len() > MAX_LIST_ITEMS {
        goals.drain(1..=goals.len() - MAX_LIST_ITEMS);
    }
    goals
}

/// Returns the open entries of the agent's todo list, or else the open tasks of the last message
/// with checkboxes.
fn open_todos(transcript: &Transcript, conversation: &Conversation<'_>) -> Vec<String> {
    if !transcript.todos.is_empty() {
        let open = transcript.todos.iter().filter(|todo| !todo.done);
        return open.map(|todo| todo.text.clone()).collect();
    }
    let is_task = |block: &Block| matches!(block.kind, BlockKind::Task { .. });
    let last = conversation.messages.iter().rfind(|message| message.blocks.iter().any(is_task));
    let blocks = last.map(|message| message.blocks.as_slice()).unwrap_or_default();
    let open = blocks.iter().filter(|block| block.kind == BlockKind::Task { done: false });
    open.map(|block| block.text.clone()).collect()
}

/// Returns the first paragraph of a report with the list that it introduces, or else the first
/// block.
fn first_paragraph(blocks: &[Block]) -> String {
    let Some(first) = blocks.iter().position(|block| block.kind == BlockKind::Paragraph) else {
        return blocks.first().map(|block| block.text.clone()).unwrap_or_default();
    };
    let mut paragraph = blocks[first].text.clone();
    let is_introduced =
        |block: &&Block| block.introduced_by == Some(first) && block.kind == BlockKind::Item;
    for item in blocks.iter().filter(is_introduced) {
        prose::append_clause(&mut paragraph, &item.text);
    }
    paragraph.truncate(paragraph.trim_end_matches(':').len());
    paragraph
}

/// Returns one line per part of the digest, without the lines that exceed the limit.
fn summarize(transcript: &Transcript, conversation: &Conversation<'_>, digest: &Digest) -> String {
    let request = conversation
        .user_messages()
        .next()
        .map(|message| excerpt(&message.turn.text, MAX_SUMMARY_CHARS))
        .unwrap_or_default();
    let request = request.trim_end_matches(" …");
    let outcome = first_paragraph(conversation.last_report_blocks());
    let lines = [
        ("Asked", prose::leading_sentences(request, MAX_SUMMARY_PART_CHARS).to_owned()),
        ("Outcome", prose::leading_sentences(&outcome, MAX_SUMMARY_PART_CHARS).to_owned()),
        ("Decided", join_complete_items(&digest.decisions)),
        ("Open", join_complete_items(&digest.open)),
        ("To do", join_complete_items(&digest.todos)),
        ("Changed", abbreviate_list(transcript.files_written.iter().map(String::as_str))),
        ("Commits", join_complete_items(&transcript.commits)),
    ];
    let mut summary = String::new();
    let mut chars_left = MAX_SUMMARY_CHARS;
    for (label, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
        let full_stop = if prose::ends_sentence(text) { "" } else { "." };
        let line = format!("{label}: {text}{full_stop}\n");
        if let Some(rest) = chars_left.checked_sub(line.chars().count()) {
            chars_left = rest;
            summary.push_str(&line);
        }
    }
    summary.trim_end().to_owned()
}

/// Joins the first items of a list that were not shortened.
fn join_complete_items(items: &[String]) -> String {
    let mut line = String::new();
    let complete = items.iter().filter(|item| !item.ends_with('…'));
    for item in complete.take(MAX_SUMMARY_LIST_ITEMS) {
        prose::append_clause(&mut line, item);
    }
    line
}

fn texts_of(statements: Vec<Statement>) -> Vec<String> {
    statements.into_iter().map(|statement| statement.text).collect()
}

/// Shortens the items of a list, removes duplicates and limits the length of the list.
fn limit_list(items: &[String]) -> Vec<String> {
    let items = items.iter().map(|item| truncate(item, MAX_ITEM_CHARS)).collect();
    deduplicate(items).into_iter().take(MAX_LIST_ITEMS).collect()
}

/// The same for statements.
fn limit_statements(items: &[String]) -> Vec<String> {
    let items: Vec<String> = items.iter().map(|item| truncate(item, MAX_STATEMENT_CHARS)).collect();
    let items = deduplicate(items);
    let is_part =
        |item: &String| items.iter().any(|other| other != item && other.contains(item.as_str()));
    items.iter().filter(|item| !is_part(item)).take(MAX_STATEMENTS).cloned().collect()
}

fn deduplicate(items: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    let is_new = |item: &String| !item.is_empty() && seen.insert(prose::comparison_key(item));
    items.into_iter().filter(is_new).collect()
}
