//! Templates of new memory documents.
//!
//! A new document has every section: if one branch created a section where another adds an entry, a union merge would
//! put the entry under the wrong heading.

use jiff::civil::Date;
use serde_json::json;

use super::sections::heading;
use super::table::{default_columns, write_header};
use super::{EntryKind, MemoryOwner};
use crate::yaml::{YamlStyle, write_inline};

/// Writes the empty memory document of an agent.
pub fn agent_template(agent: &str, plan: &str, title: &str, today: Date) -> String {
    let kinds = [
        EntryKind::Finding,
        EntryKind::Decision,
        EntryKind::Blocker,
        EntryKind::Question,
        EntryKind::Lesson,
        EntryKind::Session,
    ];
    format!(
        "---\nagent: {}\nplan: {}\ncreated: {today}\nupdated: {today}\nsessions: 0\n---\n\n# Agent Memory: {}\n{}",
        quoted(agent),
        quoted(plan),
        one_line(title),
        sections(&kinds, MemoryOwner::Agent)
    )
}

/// Writes the empty memory document of a plan.
pub fn plan_template(plan: &str, title: &str, today: Date) -> String {
    shared_template("plan", plan, title, today, MemoryOwner::Plan)
}

/// Writes the empty memory document of any other level, such as a sprint.
pub fn level_template(level: &str, name: &str, title: &str, today: Date) -> String {
    shared_template(level, name, title, today, MemoryOwner::Level)
}

fn shared_template(
    level: &str,
    name: &str,
    title: &str,
    today: Date,
    owner: MemoryOwner,
) -> String {
    let kinds = [
        EntryKind::Finding,
        EntryKind::Decision,
        EntryKind::Lesson,
        EntryKind::Question,
        EntryKind::Blocker,
        EntryKind::Session,
    ];
    let mut letters = level.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!(
        "---\n{}: {}\ncreated: {today}\nupdated: {today}\ncontributors: []\n---\n\n# {first}{} Memory: {}\n{}",
        quoted(level),
        quoted(name),
        letters.as_str(),
        one_line(title),
        sections(&kinds, owner)
    )
}

fn sections(kinds: &[EntryKind], owner: MemoryOwner) -> String {
    let section = |kind: &EntryKind| {
        let (title, description) = heading(*kind, owner);
        let table = match kind {
            EntryKind::Decision => {
                format!("\n{}", write_header(&default_columns(*kind, owner), "\n"))
            }
            // With this blank line there are four lines between two lists; git merges changes that are nearer into one
            // hunk, which would conflict.
            _ => "\n".to_owned(),
        };
        format!("\n## {title}\n{description}\n{table}")
    };
    kinds.iter().map(section).collect()
}

fn quoted(text: &str) -> String {
    write_inline(&json!(text), YamlStyle::Plain)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
