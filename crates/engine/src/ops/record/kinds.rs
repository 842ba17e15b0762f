//! The record kinds with show, list and edit operations, and the specification of each operation.

use heirloom_core::record::RecordKind;

use crate::{Effect, Group, Spec};

/// A record kind that can be shown and listed.
pub(crate) trait ListableKind: 'static {
    const KIND: RecordKind;
    const SHOW: Spec;
    const LIST: Spec;
}

/// A record kind that is edited field by field. Facts have an operation of their own, `memory_supersede`.
pub(crate) trait Editable: ListableKind {
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

impl ListableKind for Facts {
    const KIND: RecordKind = RecordKind::Fact;
    const SHOW: Spec = spec(
        "fact_show",
        "fact show <id>",
        Effect::Reads,
        "Show a fact with its history and relations.",
    );
    const LIST: Spec = spec(
        "memory_query",
        "fact list [query]",
        Effect::Reads,
        "List active facts by section. The list may be long; prefer memory_recall.",
    );
}

impl ListableKind for Episodes {
    const KIND: RecordKind = RecordKind::Episode;
    const SHOW: Spec = spec("episode_show", "episode show <id>", Effect::Reads, "Show an episode.");
    const LIST: Spec = spec(
        "memory_episodes",
        "episode list [query]",
        Effect::Reads,
        "Search episodes of earlier work, or list them, newest first.",
    );
}

impl Editable for Episodes {
    const EDIT: Spec = spec(
        "episode_edit",
        "episode edit <id>",
        Effect::Writes,
        "Replace an episode with an edited version.",
    );
}

impl ListableKind for Patterns {
    const KIND: RecordKind = RecordKind::Pattern;
    const SHOW: Spec = spec(
        "pattern_show",
        "pattern show <id>",
        Effect::Reads,
        "Show a pattern with its template.",
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
        "Replace a pattern with an edited version.",
    );
}

impl ListableKind for Workflows {
    const KIND: RecordKind = RecordKind::Workflow;
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
        "Replace a workflow with an edited version.",
    );
}
