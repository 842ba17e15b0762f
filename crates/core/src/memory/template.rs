//! New memory documents.
//!
//! Every section is there from the start: a branch that makes a section where another adds an entry
//! would, merged by union, put the entry under the wrong heading.

use jiff::civil::Date;
use serde_json::json;

use super::rows::{columns, write_head};
use super::sections::heading;
use super::{EntryKind, Owner};
use crate::yaml::{Style, write_scalar};

/// Writes an agent's memory with nothing in it.
pub fn agent(agent: &str, plan: &str, title: &str, today: Date) -> String {
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
        sections(&kinds, Owner::Agent)
    )
}

/// Writes a plan's memory with nothing in it.
pub fn plan(plan: &str, title: &str, today: Date) -> String {
    let kinds = [
        EntryKind::Finding,
        EntryKind::Decision,
        EntryKind::Lesson,
        EntryKind::Question,
        EntryKind::Blocker,
        EntryKind::Session,
    ];
    format!(
        "---\nplan: {}\ncreated: {today}\nupdated: {today}\ncontributors: []\n---\n\n# Plan Memory: {}\n{}",
        quoted(plan),
        one_line(title),
        sections(&kinds, Owner::Plan)
    )
}

fn sections(kinds: &[EntryKind], owner: Owner) -> String {
    let section = |kind: &EntryKind| {
        let (title, about) = heading(*kind, owner);
        let table = match kind {
            EntryKind::Decision => format!("\n{}", write_head(&columns(*kind, owner), "\n")),
            // The line that parts the first entry from the sentence above it: with it there are
            // always four lines between two lists, and git joins changes that are nearer.
            _ => "\n".to_owned(),
        };
        format!("\n## {title}\n{about}\n{table}")
    };
    kinds.iter().map(section).collect()
}

fn quoted(text: &str) -> String {
    write_scalar(&json!(text), Style::Plain)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
