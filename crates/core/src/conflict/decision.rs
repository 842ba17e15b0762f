//! Decisions of agents and plans that do not agree.

use crate::Value;
use crate::memory::{Entry, EntryKind, Field};
use crate::words::normalised;

use super::{Conflict, Kind, Severity, Side};

/// The decisions of one memory document.
#[derive(Debug, Clone)]
pub struct Sheet<'s> {
    /// Its level.
    pub level: &'s str,
    /// The name of the plan or agent that it belongs to.
    pub owner: &'s str,
    /// Its file.
    pub path: &'s str,
    /// Its entries that stand.
    pub entries: Vec<&'s Entry>,
}

struct Decided<'s> {
    sheet: &'s Sheet<'s>,
    entry: &'s Entry,
    name: String,
    choice: &'s str,
}

/// Finds decisions of the same name with other choices, among the memory of a plan (first) and of
/// its agents. An agent that goes against its plan is critical; two agents that go apart are a
/// warning. Within one document the last word counts.
pub fn decisions(plan: Option<&Sheet<'_>>, agents: &[Sheet<'_>]) -> Vec<Conflict> {
    let decided_by_plan: Vec<Decided<'_>> = plan.into_iter().flat_map(last_words).collect();
    let decided: Vec<Decided<'_>> = agents.iter().flat_map(last_words).collect();
    let mut conflicts = Vec::new();
    for (at, one) in decided.iter().enumerate() {
        let parent = decided_by_plan.iter().find(|other| other.name == one.name);
        if let Some(parent) = parent {
            if normalised(parent.choice) != normalised(one.choice) {
                conflicts.push(conflict(parent, one, Severity::Critical));
            }
            continue;
        }
        let other = decided[..at].iter().find(|other| {
            other.name == one.name && normalised(other.choice) != normalised(one.choice)
        });
        conflicts.extend(other.map(|other| conflict(other, one, Severity::Warning)));
    }
    conflicts
}

/// The decisions of a document that say what was chosen, each name once.
fn last_words<'s>(sheet: &'s Sheet<'s>) -> Vec<Decided<'s>> {
    let mut decided: Vec<Decided<'s>> = Vec::new();
    for entry in sheet.entries.iter().filter(|entry| entry.kind == EntryKind::Decision) {
        let Some(choice) = entry.field(Field::Choice) else { continue };
        let name = normalised(&entry.text);
        decided.retain(|other| other.name != name);
        decided.push(Decided { sheet, entry, name, choice });
    }
    decided
}

fn conflict(first: &Decided<'_>, second: &Decided<'_>, severity: Severity) -> Conflict {
    let side = |decided: &Decided<'_>| Side {
        source: decided.sheet.path.to_owned(),
        level: decided.sheet.level.to_owned(),
        name: Some(decided.sheet.owner.to_owned()).filter(|name| !name.is_empty()),
        line: decided.entry.line,
        value: Value::String(decided.choice.to_owned()),
    };
    let (resolution, hint) = match severity {
        Severity::Critical => (
            "The plan's decision stands",
            "change one of the two, or archive the agent's entry with `heir memory archive`",
        ),
        _ => ("Both stand", "decide it once, in the plan's memory"),
    };
    Conflict {
        kind: Kind::DirectContradiction,
        severity,
        key: Some(format!("decision: {}", second.entry.text)),
        path: second.sheet.path.to_owned(),
        line: second.entry.line,
        message: format!(
            "{} is decided as {} here and as {} in {}",
            second.entry.text, second.choice, first.choice, first.sheet.path
        ),
        sides: vec![side(first), side(second)],
        resolution: Some(resolution.to_owned()),
        hint: hint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::read;

    fn table(rows: &str) -> crate::memory::Notebook {
        read("m.md", &format!("## Decisions\n| Decision | Choice |\n|---|---|\n{rows}"))
    }

    #[test]
    fn an_agent_against_its_plan_is_critical_and_two_agents_are_a_warning() {
        let books = [
            table("| Database | SQLite |\n"),
            table("| database. | Postgres |\n| Queue | none |\n"),
            table("| Queue | Redis |\n| Queue | NATS |\n| Database | sqlite |\n"),
        ];
        let sheets: Vec<Sheet<'_>> = books
            .iter()
            .zip([("plan", "p"), ("agent", "a"), ("agent", "b")])
            .map(|(book, (level, owner))| Sheet {
                level,
                owner,
                path: level,
                entries: book.entries.iter().collect(),
            })
            .collect();
        let conflicts = decisions(sheets.first(), &sheets[1..]);
        let names: Vec<_> = conflicts[1].sides.iter().map(|side| side.name.as_deref()).collect();
        assert_eq!(names, [Some("a"), Some("b")]);
        let found: Vec<(Severity, String)> =
            conflicts.into_iter().map(|conflict| (conflict.severity, conflict.message)).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(found[0].0, Severity::Critical);
        assert_eq!(
            found[1],
            (Severity::Warning, "Queue is decided as NATS here and as none in agent".to_owned())
        );
    }
}
