//! What an agent needs to go on, drawn from a transcript by its structure.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::blocks::{Block, Kind};
use super::decisions::decisions;
use super::open::open;
use super::prose::{self, cut};
use super::sequence::{self, listed};
use super::talk::Talk;
use super::{Role, Transcript, signals};

/// How many items a list has at most.
const MOST: usize = 12;

/// How many characters an item has at most.
const ITEM: usize = 240;

/// How many characters the first request has at most.
const REQUEST: usize = 300;

/// How many characters the outcome has at most.
const OUTCOME: usize = 480;

/// How many characters the title has at most.
const TITLE: usize = 80;

/// How many characters the summary has at most.
const SUMMARY: usize = 1200;

/// How many items of a list the summary gives.
const IN_SUMMARY: usize = 4;

/// What an agent needs to go on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Digest {
    /// What the session was about, in a few words.
    pub title: String,
    /// What the user asked for, in order.
    pub goals: Vec<String>,
    /// Choices that were made.
    pub decisions: Vec<String>,
    /// Questions without an answer, what stands in the way, and what failed at last.
    pub open: Vec<String>,
    /// What was done, in order and taken together.
    pub sequence: Vec<String>,
    /// What the agent reported at the end.
    pub outcome: String,
    /// What the agent's list says is still to do.
    pub todos: Vec<String>,
    /// The above in a few lines of whole sentences.
    pub summary: String,
}

/// Draws a digest from a transcript.
pub fn digest(transcript: &Transcript) -> Digest {
    let talk = Talk::of(transcript);
    let last = talk.last_report().map(|spoken| spoken.blocks.as_slice()).unwrap_or_default();
    let steps = sequence::steps(transcript, MOST);
    let mut digest = Digest {
        title: title(transcript, &talk),
        goals: goals(&talk),
        decisions: capped(decisions(transcript, &talk, MOST)),
        open: capped(open(transcript, &talk)),
        sequence: steps.iter().map(|step| cut(step, ITEM)).collect(),
        outcome: cut(&first_paragraph(last), OUTCOME),
        todos: todos(transcript, &talk),
        summary: String::new(),
    };
    digest.summary = summary(transcript, &talk, &digest);
    digest
}

fn title(transcript: &Transcript, talk: &Talk<'_>) -> String {
    let request = talk.requests().map(|spoken| prose::gist(&spoken.turn.text, REQUEST)).next();
    let report = talk.spoken.first().and_then(|spoken| spoken.blocks.first());
    let told = [transcript.title.clone(), request, report.map(|block| block.text.clone())];
    let titles = told.into_iter().flatten().map(|told| {
        let first = prose::sentences(&told).first().copied().unwrap_or_default();
        cut(first.trim_end_matches(['.', ':', '。']), TITLE)
    });
    match (titles.into_iter().find(|title| !title.is_empty()), transcript.started) {
        (Some(title), _) => title,
        (None, Some(started)) => format!("Session of {}", started.strftime("%F")),
        (None, None) => "Session".to_owned(),
    }
}

fn goals(talk: &Talk<'_>) -> Vec<String> {
    let mut goals = vec![];
    let mut asked = false;
    for spoken in &talk.spoken {
        if spoken.turn.role == Role::Assistant {
            asked = spoken.sentences().last().is_some_and(prose::is_question);
        } else if goals.is_empty() {
            goals.push(prose::gist(&spoken.turn.text, REQUEST));
        } else if signals::opens_request(&spoken.turn.text, asked) {
            goals.push(prose::gist(&spoken.turn.text, ITEM));
        }
    }
    let mut goals = distinct(goals);
    if goals.len() > MOST {
        goals.drain(1..=goals.len() - MOST);
    }
    goals
}

fn todos(transcript: &Transcript, talk: &Talk<'_>) -> Vec<String> {
    if !transcript.todos.is_empty() {
        let undone = transcript.todos.iter().filter(|todo| !todo.done);
        return capped(undone.map(|todo| todo.text.clone()));
    }
    let is_task = |block: &Block| matches!(block.kind, Kind::Task(_));
    let last = talk.spoken.iter().rfind(|spoken| spoken.blocks.iter().any(is_task));
    let blocks = last.map(|spoken| spoken.blocks.as_slice()).unwrap_or_default();
    let undone = blocks.iter().filter(|block| block.kind == Kind::Task(false));
    capped(undone.map(|block| block.text.clone()))
}

/// Returns the first paragraph of a report, with the list that it introduces; where there is none,
/// its first block.
fn first_paragraph(blocks: &[Block]) -> String {
    let Some(first) = blocks.iter().position(|block| block.kind == Kind::Paragraph) else {
        return blocks.first().map(|block| block.text.clone()).unwrap_or_default();
    };
    let mut paragraph = blocks[first].text.clone();
    let introduced = |block: &&Block| block.under == Some(first) && block.kind == Kind::Item;
    for item in blocks.iter().filter(introduced) {
        prose::join(&mut paragraph, &item.text);
    }
    paragraph.truncate(paragraph.trim_end_matches(':').len());
    paragraph
}

fn summary(transcript: &Transcript, talk: &Talk<'_>, digest: &Digest) -> String {
    let last = talk.last_report().map(|spoken| spoken.blocks.as_slice()).unwrap_or_default();
    let asked = talk.requests().next().map(|spoken| prose::gist(&spoken.turn.text, SUMMARY));
    let reported = first_paragraph(last);
    let whole = |items: &[String]| -> String {
        let mut line = String::new();
        for item in items.iter().filter(|item| !item.ends_with('…')).take(IN_SUMMARY) {
            prose::join(&mut line, item);
        }
        line
    };
    let asked = asked.unwrap_or_default();
    let lines = [
        ("Asked", prose::whole(asked.trim_end_matches(" …"), SUMMARY / 3).to_owned()),
        ("Outcome", prose::whole(&reported, SUMMARY / 3).to_owned()),
        ("Decided", whole(&digest.decisions)),
        ("Open", whole(&digest.open)),
        ("To do", whole(&digest.todos)),
        ("Changed", listed(transcript.files.iter().map(String::as_str))),
        ("Commits", whole(&transcript.commits)),
    ];
    let mut summary = String::new();
    let mut left = SUMMARY;
    for (name, said) in lines.iter().filter(|(_, said)| !said.is_empty()) {
        let end = if prose::ends(said) { "" } else { "." };
        let line = format!("{name}: {said}{end}\n");
        if let Some(rest) = left.checked_sub(line.chars().count()) {
            left = rest;
            summary.push_str(&line);
        }
    }
    summary.trim_end().to_owned()
}

/// Cuts the items of a list, each once, and the list.
fn capped(items: impl IntoIterator<Item = String>) -> Vec<String> {
    let items = items.into_iter().map(|item| cut(&item, ITEM)).collect();
    distinct(items).into_iter().take(MOST).collect()
}

fn distinct(items: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    items.into_iter().filter(|item| !item.is_empty() && seen.insert(prose::key(item))).collect()
}
