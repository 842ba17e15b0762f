//! `export`: all that is remembered, as JSON Lines or markdown.

use heirloom_core::Problem;
use heirloom_core::fold::Standing;
use heirloom_core::record::{Body, Kind, Section, short_ids};
use heirloom_store::log;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, WholeMemory};
use crate::view::View;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Export;

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// One record or memory document a line, history included; `heir import` reads it back.
    #[default]
    Jsonl,
    /// What is known now, for people.
    Markdown,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// How to write it.
    #[serde(default)]
    format: Format,
    /// What is private too.
    #[serde(default)]
    private: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Exported {
    /// The text.
    text: String,
    /// What could not be read, and so is not in it.
    problems: Vec<Problem>,
}

impl Operation for Export {
    type Request = Request;
    type Response = Exported;
    const SPEC: Spec = Spec {
        name: "memory_export",
        usage: "export",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Print all that is remembered: as JSON Lines with its history, which `heir import` reads back, or as markdown.",
    };

    fn run(session: &Session, request: Request) -> Result<Exported, Error> {
        let (text, known) = match request.format {
            // Lines are given as they are written, whatever became of them.
            Format::Jsonl => {
                let known = MemoryQuery::new().read(session)?;
                (lines(session, &known, request.private)?, known)
            }
            Format::Markdown => {
                let known = WholeMemory::read(session)?;
                (markdown(&known, request.private), known.into_slice())
            }
        };
        Ok(Exported { text, problems: known.problems })
    }
}

fn lines(session: &Session, known: &MemorySlice, private: bool) -> Result<String, Error> {
    let (mut lines, unread) = log::raw_lines(session.root(), private);
    if let Some(problem) = unread.into_iter().next() {
        return Err(problem.into());
    }
    lines.extend(known.documents.iter().filter(|document| !document.text.is_empty()).map(
        |document| {
            json!({"v": 1, "kind": "document", "path": document.path, "text": document.text})
                .to_string()
        },
    ));
    Ok(lines.iter().map(|line| format!("{}\n", escaped(line))).collect())
}

/// Writes control characters as JSON does, which means the same: a terminal must not be told to do
/// what a memory says.
fn escaped(line: &str) -> String {
    let escape =
        |c: char| if c.is_control() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    if line.contains(char::is_control) {
        line.chars().map(escape).collect()
    } else {
        line.to_owned()
    }
}

fn markdown(known: &WholeMemory, private: bool) -> String {
    let mut out = String::from("# Memory\n");
    let things = |kind: Kind| -> Vec<MemoryItem> {
        let shown = |thing: &MemoryItem| {
            let id = uuid::Uuid::parse_str(&thing.id).ok();
            let record = id.and_then(|id| known.memory.record(id));
            thing.standing == Standing::Active
                && (private || !record.is_some_and(heirloom_core::record::Record::is_private))
        };
        known.items(kind).into_iter().filter(shown).collect()
    };
    let facts = things(Kind::Fact);
    for section in Section::ALL {
        let own: Vec<&MemoryItem> =
            facts.iter().filter(|thing| thing.section == Some(section)).collect();
        list(&mut out, section.title(), &own);
    }
    for (kind, title) in
        [(Kind::Pattern, "Patterns"), (Kind::Workflow, "Workflows"), (Kind::Note, "Notes")]
    {
        let all = things(kind);
        list(&mut out, title, &all.iter().filter(|thing| !thing.resolved).collect::<Vec<_>>());
    }
    let episodes = things(Kind::Episode);
    if !episodes.is_empty() {
        out.push_str("\n## Episodes\n");
    }
    for thing in episodes.iter().rev() {
        let id = uuid::Uuid::parse_str(&thing.id).ok();
        let Some(record) = id.and_then(|id| known.memory.record(id)) else { continue };
        let Body::Episode(episode) = &record.body else { continue };
        let date = thing.date.as_deref().unwrap_or_default();
        out.push_str(&format!("\n### {} — {date}\n", one_line(&episode.title)));
        if !episode.content.is_empty() {
            out.push_str(&format!("\n{}\n", episode.content.trim()));
        }
        for (title, items) in [("Decisions", &episode.decisions), ("Left open", &episode.open)] {
            if !items.is_empty() {
                out.push_str(&format!("\n{title}:\n"));
                items.iter().for_each(|item| out.push_str(&format!("- {}\n", one_line(item))));
            }
        }
    }
    known.date_entries(known.documents.iter());
    for document in &known.documents {
        let owner: Vec<&str> = document.selectors.values().map(String::as_str).collect();
        let things: Vec<MemoryItem> = document
            .notebook
            .entries
            .iter()
            .map(|entry| MemoryItem::of_entry(&known.memory, document, entry))
            .filter(|thing| thing.standing == Standing::Active)
            .collect();
        list(
            &mut out,
            &format!("Memory of {}", owner.join("/")),
            &things.iter().collect::<Vec<_>>(),
        );
    }
    out
}

fn list(out: &mut String, title: &str, things: &[&MemoryItem]) {
    if things.is_empty() {
        return;
    }
    out.push_str(&format!("\n## {title}\n\n"));
    let ids: Vec<&str> = things.iter().map(|thing| thing.id.as_str()).collect();
    for (thing, id) in things.iter().zip(short_ids(&ids)) {
        let date = thing.date.as_deref().unwrap_or("undated");
        let kind = if thing.section.is_some() { "" } else { thing.kind.as_str() };
        let space = if kind.is_empty() { "" } else { ": " };
        let settled = if thing.resolved { " (resolved)" } else { "" };
        out.push_str(&format!(
            "- {kind}{space}{}{settled} — {date}, {}\n",
            one_line(&thing.text),
            id
        ));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Answer for Exported {
    fn view(&self) -> View {
        View::raw(self.text.as_str())
    }
}
