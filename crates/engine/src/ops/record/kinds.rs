//! The record kinds with show, list and edit operations, and the specification of each operation.

use heirloom_core::record::RecordKind;

use super::episode_add::EpisodeAdd;
use super::pattern_add::PatternAdd;
use super::workflow_add::WorkflowAdd;
use crate::{Effect, Group, Operation, Spec};

/// A record kind that can be shown and listed.
pub(crate) trait ListableKind: 'static {
    const KIND: RecordKind;
    const SHOW: Spec;
    const LIST: Spec;
}

/// A record kind that is edited field by field. Facts have an operation of their own, `memory_supersede`.
pub(crate) trait EditableKind: ListableKind {
    const ADD: Spec;
    const EDIT: Spec;
}

/// The names of the operations on one record of a kind.
struct OperationNames {
    kind: RecordKind,
    show: &'static str,
    /// `None` if the kind is not edited field by field.
    edit: Option<&'static str>,
}

/// Returns the name of the operation that shows a record of this kind, if there is one.
pub(crate) fn show_operation(kind: RecordKind) -> Option<&'static str> {
    OPERATIONS.iter().find(|names| names.kind == kind).map(|names| names.show)
}

/// Returns the name of the operation that edits a record of this kind field by field, if there is one.
pub(crate) fn edit_operation(kind: RecordKind) -> Option<&'static str> {
    OPERATIONS.iter().find(|names| names.kind == kind)?.edit
}

const fn spec(
    name: &'static str,
    usage: &'static str,
    effect: Effect,
    about: &'static str,
) -> Spec {
    Spec { name, usage, group: Group::Memory, effect, about }
}

/// Returns the name in a list of at most one: a macro can leave an item out of a list, but not write `None` instead.
const fn first(names: &[&'static str]) -> Option<&'static str> {
    match names {
        [first, ..] => Some(first),
        [] => None,
    }
}

/// Declares the operations of record kinds. Each kind has its word, the help of `show`, the name and the help of
/// `list`, and, if it is editable, the operation that adds one and the help of `edit`; the other names and the usages
/// follow from the word.
macro_rules! record_operations {
    ($($type:ident = $kind:ident $word:literal {
        show: $show:literal,
        list($list:literal): $list_about:literal,
        $(edit($add:ident): $edit:literal,)?
    })+) => {
        $(
            pub(crate) struct $type;

            impl ListableKind for $type {
                const KIND: RecordKind = RecordKind::$kind;
                const SHOW: Spec =
                    spec(concat!($word, "_show"), concat!($word, " show <id>"), Effect::Reads, $show);
                const LIST: Spec =
                    spec($list, concat!($word, " list [query]"), Effect::Reads, $list_about);
            }

            $(impl EditableKind for $type {
                const ADD: Spec = $add::SPEC;
                const EDIT: Spec =
                    spec(concat!($word, "_edit"), concat!($word, " edit <id>"), Effect::Writes, $edit);
            })?
        )+

        const OPERATIONS: &[OperationNames] = &[$(OperationNames {
            kind: RecordKind::$kind,
            show: $type::SHOW.name,
            edit: first(&[$({ stringify!($add); $type::EDIT.name })?]),
        }),+];
    };
}

record_operations! {
    Facts = Fact "fact" {
        show: "Show a fact with its history and relations.",
        list("memory_query"): "List active facts by section. The list may be long; prefer memory_recall.",
    }
    Episodes = Episode "episode" {
        show: "Show an episode.",
        list("memory_episodes"): "Search episodes of earlier work, or list them, newest first.",
        edit(EpisodeAdd): "Replace an episode with an edited version.",
    }
    Patterns = Pattern "pattern" {
        show: "Show a pattern with its template.",
        list("pattern_list"): "Search patterns, or list them.",
        edit(PatternAdd): "Replace a pattern with an edited version.",
    }
    Workflows = Workflow "workflow" {
        show: "Show a workflow with its steps.",
        list("workflow_list"): "Search workflows, or list them.",
        edit(WorkflowAdd): "Replace a workflow with an edited version.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that the commands of a kind begin with its word.
    fn check<K: ListableKind>() {
        for spec in [K::SHOW, K::LIST] {
            assert_eq!(spec.usage.split(' ').next(), Some(K::KIND.as_str()), "{}", spec.usage);
        }
    }

    #[test]
    fn commands_begin_with_the_word_of_the_kind() {
        check::<Facts>();
        check::<Episodes>();
        check::<Patterns>();
        check::<Workflows>();
    }

    #[test]
    fn a_kind_tells_its_operations() {
        assert_eq!(show_operation(RecordKind::Fact), Some("fact_show"));
        assert_eq!(edit_operation(RecordKind::Fact), None);
        assert_eq!(edit_operation(RecordKind::Pattern), Some("pattern_edit"));
        assert_eq!(show_operation(RecordKind::Note), None);
    }
}
