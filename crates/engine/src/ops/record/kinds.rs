//! The record kinds with show, list and edit operations, and the specification of each operation.

use heirloom_core::record::Kind;

use crate::{Effect, Group, Spec};

/// A record kind that can be shown and listed.
pub(crate) trait RecordKind: 'static {
    const KIND: Kind;
    const SHOW: Spec;
    const LIST: Spec;
}

/// A record kind that is edited field by field. Facts have an operation of their own, `memory_supersede`.
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
        "Show a fact with its history and relations.",
    );
    const LIST: Spec = spec(
        "memory_query",
        "fact list [query]",
        Effect::Reads,
        "List active facts by section. The list may be long; prefer memory_recall.",
    );
}

impl RecordKind for Episodes {
    const KIND: Kind = Kind::Episode;
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

impl RecordKind for Patterns {
    const KIND: Kind = Kind::Pattern;
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
        "Replace a workflow with an edited version.",
    );
}
