//! Explains a context: why each line is in it, and why others are not.

use std::collections::HashSet;

use heirloom_core::assembly::Tier;
use heirloom_core::compression::Level;
use heirloom_store::state::StateFolder;
use heirloom_store::tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, EntryForm, memory_pointer};
use super::section_text::shown_text;
use super::useful::WeakMemory;
use crate::{Error, Session};

/// Why each line is in a context, and why others are not.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Explanation {
    /// When the context was assembled.
    #[serde(default)]
    pub(crate) assembled: String,
    /// The task that it was for.
    #[serde(default)]
    pub(crate) task: Option<String>,
    /// The lines of the context, in order.
    pub(crate) lines: Vec<ContextLine>,
    /// What was left out, the most valuable first.
    pub(crate) left_out: Vec<LeftOut>,
}

/// A line of a context.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ContextLine {
    /// Id under which all of it can be read.
    pub(crate) id: String,
    /// Kind of the memory.
    pub(crate) kind: String,
    /// Path and line where it is written, or the source that its author stated.
    pub(crate) source: String,
    /// Day on which it was recorded, if known.
    pub(crate) date: Option<String>,
    /// Tier.
    pub(crate) tier: Tier,
    /// Why it is in the context.
    pub(crate) reason: String,
    /// How useful it was estimated to be, 0 to 1.
    pub(crate) value: f64,
    /// The factor on the value by how often it was cited and ignored before, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage_factor: Option<f64>,
    /// How well it answers the signal, if it was recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
    /// Length of the text.
    pub(crate) level: Level,
    /// Tokens (o200k).
    pub(crate) tokens: usize,
    /// The line.
    pub(crate) text: String,
}

/// Something that was left out of a context.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LeftOut {
    /// Id under which all of it can be read.
    pub(crate) id: String,
    /// Kind of the memory.
    pub(crate) kind: String,
    /// Path and line where it is written, or the source that its author stated.
    pub(crate) source: String,
    /// Tier.
    pub(crate) tier: Tier,
    /// Why it was a candidate.
    pub(crate) reason: String,
    /// How useful it was estimated to be, 0 to 1.
    pub(crate) value: f64,
    /// The factor on the value by how often it was cited and ignored before, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage_factor: Option<f64>,
    /// Tokens (o200k) of the whole text.
    pub(crate) tokens: usize,
    /// Why it was left out.
    pub(crate) because: String,
    /// Text.
    pub(crate) text: String,
}

/// Maximum number of memories that match too weakly and are explained.
const MAX_WEAK: usize = 20;

/// The folder of explanations in the state of this machine.
const FOLDER: &str = "assembly";

/// The name of the explanation of the last context.
const LAST: &str = "last";

impl Explanation {
    /// Reads the explanation of the last context; `None` if there is none.
    pub(crate) fn read_last(session: &Session) -> Result<Option<Self>, Error> {
        let text = StateFolder::in_state(session.root(), FOLDER).read(LAST)?;
        // A file of another version, or one that a crash damaged, explains nothing.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Removes the explanation of the last context.
    pub(crate) fn forget_last(session: &Session) -> Result<(), Error> {
        Ok(StateFolder::in_state(session.root(), FOLDER).remove(LAST)?)
    }

    /// Adds memories that match too weakly, except for those that a line shows for another reason. A pointer shows only a
    /// title.
    pub(super) fn add_weak(&mut self, weak: &[WeakMemory]) {
        let lines = self.lines.iter().filter(|line| line.tier != Tier::Index);
        let shown: HashSet<&str> = lines.map(|line| line.id.as_str()).collect();
        let is_shown = |weak: &&WeakMemory| shown.contains(memory_pointer(&weak.hit));
        let hidden = weak.iter().filter(|weak| !is_shown(weak)).take(MAX_WEAK);
        self.left_out.extend(hidden.map(LeftOut::of_weak));
    }

    /// Keeps the explanation for `why`. Best effort: a context is worth more than its explanation, and is not delayed by
    /// syncing it to disk. A damaged explanation is none.
    pub(super) fn keep(&self, session: &Session) {
        if let Ok(text) = serde_json::to_string(self) {
            drop(StateFolder::in_state(session.root(), FOLDER).write_unsynced(LAST, &text));
        }
    }
}

impl ContextLine {
    pub(super) fn new(entry: &Entry, form: &EntryForm) -> Self {
        ContextLine {
            id: entry.pointer().to_owned(),
            kind: entry.kind.clone(),
            source: entry.source.clone(),
            date: entry.date.clone(),
            tier: entry.tier,
            reason: entry.reason.clone(),
            value: rounded(entry.value),
            usage_factor: usage_factor(entry),
            score: entry.score,
            level: form.level,
            tokens: form.tokens,
            text: form.line.trim_end().to_owned(),
        }
    }
}

impl LeftOut {
    pub(super) fn new(entry: &Entry, because: String) -> Self {
        LeftOut {
            id: entry.pointer().to_owned(),
            kind: entry.kind.clone(),
            source: entry.source.clone(),
            tier: entry.tier,
            reason: entry.reason.clone(),
            value: rounded(entry.value),
            usage_factor: usage_factor(entry),
            tokens: entry.forms.first().map_or(0, |form| form.tokens),
            because,
            text: entry.text.clone(),
        }
    }
}

impl LeftOut {
    /// Explains why a memory that matches the task is not shown.
    pub(super) fn of_weak(weak: &WeakMemory) -> Self {
        let item = &weak.hit.item;
        let text = shown_text(&weak.hit);
        LeftOut {
            id: memory_pointer(&weak.hit).to_owned(),
            kind: item.kind.clone(),
            source: item.source.clone(),
            tier: Tier::Relevant,
            reason: "matches the task".to_owned(),
            value: rounded(weak.usefulness),
            usage_factor: None,
            tokens: tokens::count(&text),
            because: weak.because(),
            text,
        }
    }
}

/// Returns the factor of an entry that was cited or ignored before.
fn usage_factor(entry: &Entry) -> Option<f64> {
    Some(rounded(entry.usage_factor)).filter(|factor| *factor != 1.0)
}

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
