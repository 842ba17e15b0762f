//! The kinds of record that people add, show, list and edit, and the operations on each.

use heirloom_core::record::Kind;

use crate::{Effect, Group, Spec};

/// A kind of record.
pub(crate) trait RecordKind: 'static {
    const KIND: Kind;
    const SHOW: Spec;
    const LIST: Spec;
}

/// A kind that is edited field by field; a fact is edited by `memory_supersede`.
pub(crate) trait Editable: RecordKind {
    const EDIT: Spec;
}

pub(crate) struct Facts;
pub(crate) struct Episodes;
pub(crate) struct Patterns;
pub(crate) struct Workflows;

const fn spec(
    name: &'static str,
    usage: &'static str,
    effect: Effect,
    about: &'static str,
) -> Spec {
    Spec { name, usage, group: Group::Memory, effect, about }
}

impl RecordKind for Facts {
    const KIND: Kind = Kind::Fact;
    const SHOW: Spec = spec(
        "fact_show",
        "fact show <id>",
        Effect::Reads,
        "Show a fact with its history: what it replaced, what replaced it, what it is related to.",
    );
    const LIST: Spec = spec(
        "memory_query",
        "fact list [query]",
        Effect::Reads,
        "List all active facts, by section. It may be long: prefer memory_recall.",
    );
}

impl RecordKind for Episodes {
    const KIND: Kind = Kind::Episode;
    const SHOW: Spec = spec(
        "episode_show",
        "episode show <id>",
        Effect::Reads,
        "Show what happened in an episode.",
    );
    const LIST: Spec = spec(
        "memory_episodes",
        "episode list [query]",
        Effect::Reads,
        "Search the narratives of earlier sessions, or list them, newest first.",
    );
}

impl Editable for Episodes {
    const EDIT: Spec = spec(
        "episode_edit",
        "episode edit <id>",
        Effect::Writes,
        "Replace an episode by a changed one.",
    );
}

impl RecordKind for Patterns {
    const KIND: Kind = Kind::Pattern;
    const SHOW: Spec = spec(
        "pattern_show",
        "pattern show <id>",
        Effect::Reads,
        "Show a pattern, its template included.",
    );
    const LIST: Spec = spec(
        "pattern_list",
        "pattern list [query]",
        Effect::Reads,
        "Search patterns, or list them.",
    );
}

impl Editable for Patterns {
    const EDIT: Spec = spec(
        "pattern_edit",
        "pattern edit <id>",
        Effect::Writes,
        "Replace a pattern by a changed one.",
    );
}

impl RecordKind for Workflows {
    const KIND: Kind = Kind::Workflow;
    const SHOW: Spec = spec(
        "workflow_show",
        "workflow show <id>",
        Effect::Reads,
        "Show a workflow with its steps.",
    );
    const LIST: Spec = spec(
        "workflow_list",
        "workflow list [query]",
        Effect::Reads,
        "Search workflows, or list them.",
    );
}

impl Editable for Workflows {
    const EDIT: Spec = spec(
        "workflow_edit",
        "workflow edit <id>",
        Effect::Writes,
        "Replace a workflow by a changed one.",
    );
}
