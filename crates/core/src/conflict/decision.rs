//! Conflicting decisions in the memory documents of a plan and its agents.

use crate::memory::{EntryField, EntryKind, MemoryEntry};
use crate::words::normalise;
use crate::{Hint, Value};

use super::{Conflict, ConflictKind, Severity, Side};

/// The entries of one memory document, with its owner.
#[derive(Debug, Clone)]
pub struct DecisionSource<'s> {
    /// The level of the document.
    pub level: &'s str,
    /// The name of the plan or agent that the document belongs to.
    pub owner: &'s str,
    /// The path of the document.
    pub path: &'s str,
    /// The entries that are active.
    pub entries: Vec<&'s MemoryEntry>,
}

/// A decision with its choice.
struct DecisionChoice<'s> {
    source: &'s DecisionSource<'s>,
    entry: &'s MemoryEntry,
    /// The normalised text of the entry, by which decisions are compared.
    name: String,
    choice: &'s str,
}

/// Finds decisions with the same name and different choices in the memory of a plan and its agents. A
/// contradiction between an agent and the plan is critical, one between two agents a warning. Within
/// one document, the last choice counts.
pub fn find_decision_conflicts(
    plan: Option<&DecisionSource<'_>>,
    agents: &[DecisionSource<'_>],
) -> Vec<Conflict> {
    let plan_decisions: Vec<DecisionChoice<'_>> = plan.into_iter().flat_map(last_choices).collect();
    let agent_decisions: Vec<DecisionChoice<'_>> = agents.iter().flat_map(last_choices).collect();
    let mut conflicts = Vec::new();
    for (index, decision) in agent_decisions.iter().enumerate() {
        let parent = plan_decisions.iter().find(|other| other.name == decision.name);
        if let Some(parent) = parent {
            if normalise(parent.choice) != normalise(decision.choice) {
                conflicts.push(conflict(parent, decision, Severity::Critical));
            }
            continue;
        }
        let other = agent_decisions[..index].iter().find(|other| {
            other.name == decision.name && normalise(other.choice) != normalise(decision.choice)
        });
        conflicts.extend(other.map(|other| conflict(other, decision, Severity::Warning)));
    }
    conflicts
}

/// Returns the decisions of a document that state a choice, the last one for each name.
fn last_choices<'s>(source: &'s DecisionSource<'s>) -> Vec<DecisionChoice<'s>> {
    let mut decisions: Vec<DecisionChoice<'s>> = Vec::new();
    for entry in source.entries.iter().filter(|entry| entry.kind == EntryKind::Decision) {
        let Some(choice) = entry.field(EntryField::Choice) else { continue };
        let name = normalise(&entry.text);
        decisions.retain(|other| other.name != name);
        decisions.push(DecisionChoice { source, entry, name, choice });
    }
    decisions
}

fn conflict(
    first: &DecisionChoice<'_>,
    second: &DecisionChoice<'_>,
    severity: Severity,
) -> Conflict {
    let side = |decision: &DecisionChoice<'_>| Side {
        source: decision.source.path.to_owned(),
        level: decision.source.level.to_owned(),
        name: Some(decision.source.owner.to_owned()).filter(|name| !name.is_empty()),
        line: decision.entry.line,
        value: Value::String(decision.choice.to_owned()),
    };
    let (resolution, hint) = match severity {
        Severity::Critical => (
            "The plan's decision is used",
            Hint::text("change one of the two, or archive the agent's entry with ")
                .operation("memory_archive"),
        ),
        _ => ("Both decisions are kept", "record one decision in the plan's memory".into()),
    };
    Conflict {
        kind: ConflictKind::DirectContradiction,
        severity,
        key: Some(format!("decision: {}", second.entry.text)),
        path: second.source.path.to_owned(),
        line: second.entry.line,
        message: format!(
            "{} is decided as {} here and as {} in {}",
            second.entry.text, second.choice, first.choice, first.source.path
        ),
        sides: vec![side(first), side(second)],
        resolution: Some(resolution.to_owned()),
        hint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::read;

    fn table(rows: &str) -> crate::memory::MemoryEntries {
        read("m.md", &format!("## Decisions\n| Decision | Choice |\n|---|---|\n{rows}"))
    }

    #[test]
    fn contradicting_the_plan_is_critical_and_another_agent_a_warning() {
        let notebooks = [
            table("| Database | SQLite |\n"),
            table("| database. | Postgres |\n| Queue | none |\n"),
            table("| Queue | Redis |\n| Queue | NATS |\n| Database | sqlite |\n"),
        ];
        let sources: Vec<DecisionSource<'_>> = notebooks
            .iter()
            .zip([("plan", "p"), ("agent", "a"), ("agent", "b")])
            .map(|(notebook, (level, owner))| DecisionSource {
                level,
                owner,
                path: level,
                entries: notebook.entries.iter().collect(),
            })
            .collect();
        let conflicts = find_decision_conflicts(sources.first(), &sources[1..]);
        let names: Vec<_> = conflicts[1].sides.iter().map(|side| side.name.as_deref()).collect();
        assert_eq!(names, [Some("a"), Some("b")]);
        let messages: Vec<(Severity, String)> =
            conflicts.into_iter().map(|conflict| (conflict.severity, conflict.message)).collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert_eq!(messages[0].0, Severity::Critical);
        assert_eq!(
            messages[1],
            (Severity::Warning, "Queue is decided as NATS here and as none in agent".to_owned())
        );
    }
}
