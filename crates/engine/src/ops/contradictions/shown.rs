//! Contradictions as requests show them.

use heirloom_core::contradiction::{Certainty, Verdict};
use heirloom_core::day;
use heirloom_core::fold::{ContradictionState, StandingContradiction};
use heirloom_core::prose::truncate;
use heirloom_core::record::{Body, Referent, Resolution, short_id};
use schemars::JsonSchema;
use serde::Serialize;

use crate::contradictions::NewContradiction;
use crate::memory::{ComparableMemory, MemorySlice, certainty_of, short_memory_id, shown_reason};
use crate::view::{Role, View, present, span};

/// The column of the further lines of a contradiction.
const INDENT: usize = 10;

/// Most characters of the name of a difference that are shown.
const MAX_ASPECT_CHARS: usize = 40;

/// A contradiction between two memories.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct ShownContradiction {
    /// Id; requests accept its end. It is empty if the contradiction was not recorded.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) id: String,
    /// Whether it is open, was resolved, or is closed since one of the memories was retired or reworded.
    pub(super) state: ContradictionState,
    /// The first memory: of two records the older one, and of two of one time the one with the lesser id.
    pub(super) memory_a: ContradictionSide,
    /// The second memory.
    pub(super) memory_b: ContradictionSide,
    /// How likely they contradict each other, from 0 to 1.
    pub(super) score: f64,
    /// Whether they certainly contradict each other, or may.
    pub(super) certainty: Certainty,
    /// In what they differ: number, unit, version, negation, modality, key_value, value, other.
    pub(super) differs_in: String,
    /// Why.
    pub(super) reason: String,
    /// The day on which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detected_at: Option<String>,
    /// How it was resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resolution: Option<Resolution>,
    /// The note of its resolution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resolution_note: Option<String>,
    /// The day on which it was resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resolved_at: Option<String>,
}

/// One of the two memories.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct ContradictionSide {
    /// Id of the memory; empty for a text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) id: String,
    /// What it states.
    pub(super) text: String,
    /// The path and line where it is written.
    #[serde(skip_serializing_if = "String::is_empty")]
    source: String,
    /// Its author.
    #[serde(skip_serializing_if = "String::is_empty")]
    by: String,
    /// The day on which it was recorded, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
}

impl ContradictionSide {
    fn of(known: &MemorySlice, memory: &Referent) -> Self {
        match known.item(memory) {
            Some(item) => ContradictionSide {
                id: item.id,
                text: item.text,
                source: item.source,
                by: item.by,
                date: item.date,
            },
            None => Self::of_text(memory.to_string(), String::new()),
        }
    }

    /// Describes a memory by what it states alone.
    pub(super) fn of_comparable(memory: &ComparableMemory) -> Self {
        let id = match &memory.referent {
            Referent::Unknown(_) => String::new(),
            Referent::Entry(id) => id.clone(),
            other => other.to_string(),
        };
        Self::of_text(id, memory.text.clone())
    }

    fn of_text(id: String, text: String) -> Self {
        ContradictionSide { id, text, source: String::new(), by: String::new(), date: None }
    }
}

impl ShownContradiction {
    /// Describes a recorded contradiction.
    pub(super) fn of(known: &MemorySlice, found: &StandingContradiction<'_>) -> Self {
        let [a, b] = &found.memories;
        let resolution = match found.state {
            ContradictionState::Open => None,
            _ => found.resolutions.first(),
        };
        let event = resolution.and_then(|(event, _)| known.memory.record(*event));
        let note = event.and_then(|event| match &event.body {
            Body::Event(event) => Some(event.reason.clone()).filter(|note| !note.is_empty()),
            _ => None,
        });
        ShownContradiction {
            id: found.id.clone(),
            state: found.state,
            memory_a: ContradictionSide::of(known, a),
            memory_b: ContradictionSide::of(known, b),
            score: found.body.score,
            certainty: certainty_of(found.body),
            differs_in: truncate(&found.body.aspect, MAX_ASPECT_CHARS),
            reason: shown_reason(found.body),
            detected_at: Some(day::of_timestamp(found.record.at).to_string()),
            resolution: resolution.map(|(_, resolution)| *resolution),
            resolution_note: note,
            resolved_at: event.map(|event| day::of_timestamp(event.at).to_string()),
        }
    }

    /// Describes a contradiction that was just found, with the id of its record if it has one.
    pub(super) fn of_new(found: &NewContradiction, id: Option<&str>) -> Self {
        let NewContradiction { a, b, verdict } = found;
        let Verdict { probability, certainty, kind, reason, .. } = verdict;
        ShownContradiction {
            id: id.unwrap_or_default().to_owned(),
            state: ContradictionState::Open,
            memory_a: ContradictionSide::of_comparable(a),
            memory_b: ContradictionSide::of_comparable(b),
            score: (probability * 1000.0).round() / 1000.0,
            certainty: *certainty,
            differs_in: kind.name().to_owned(),
            reason: reason.clone(),
            detected_at: None,
            resolution: None,
            resolution_note: None,
            resolved_at: None,
        }
    }
}

/// Prints contradictions, each with both memories and the reason.
pub(super) fn show_contradictions(view: &mut View, contradictions: &[ShownContradiction]) {
    for contradiction in contradictions {
        show_contradiction(view, contradiction);
    }
}

fn show_contradiction(view: &mut View, shown: &ShownContradiction) {
    let indent = " ".repeat(INDENT);
    let (role, word) = match shown.certainty {
        Certainty::Certain => (Role::Bad, "certain"),
        Certainty::Possible | Certainty::None => (Role::Warning, "possible"),
    };
    let id = if shown.id.is_empty() { "not kept" } else { short_id(&shown.id) };
    let mut head = vec![
        span(Role::Key, format!("{id:<8}  ")),
        span(role, word),
        span(Role::Dim, format!(" · {:.2} · {}", shown.score, shown.differs_in)),
    ];
    if shown.state != ContradictionState::Open {
        let resolution = shown.resolution.map(|it| format!(": {}", it.as_str()));
        let state = format!("  [{}{}]", shown.state.as_str(), resolution.unwrap_or_default());
        head.push(span(Role::Good, state));
    }
    view.line(head);
    for (name, side) in [("a", &shown.memory_a), ("b", &shown.memory_b)] {
        view.wrapped_line(
            INDENT,
            [
                span(Role::Dim, format!("{indent}{name}: ")),
                span(Role::Key, format!("{}  ", short_memory_id(&side.id))),
                present::opening(&side.text).into(),
                span(Role::Source, format!("  {}", side.source)),
            ],
        );
    }
    if !shown.reason.is_empty() {
        view.wrapped_line(INDENT, [span(Role::Dim, format!("{indent}{}", shown.reason))]);
    }
    if let Some(note) = &shown.resolution_note {
        view.wrapped_line(INDENT, [span(Role::Dim, format!("{indent}note: {note}"))]);
    }
}
