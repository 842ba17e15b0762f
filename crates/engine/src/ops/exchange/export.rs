//! `export`: writes all memories as JSON Lines or markdown.

use heirloom_core::Problem;
use heirloom_core::fold::Standing;
use heirloom_core::record::{Body, ExportForm, FactSection, Record, RecordKind, short_ids};
use heirloom_store::log;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::memory::{MemoryItem, MemoryQuery, MemorySlice, OriginCheck, WholeMemory};
use crate::view::View;
use crate::{Answer, Effect, Error, Group, Operation, Session, Spec};

pub(crate) struct Export;

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ExportFormat {
    /// One record or memory document per line, with history; `heir import` reads it.
    #[default]
    Jsonl,
    /// Active memories, for reading.
    Markdown,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Output format.
    #[serde(default)]
    format: ExportFormat,
    /// Include private memories.
    #[serde(default)]
    private: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExportedMemory {
    /// The exported text.
    text: String,
    /// Files or lines that could not be read and are missing from the text.
    problems: Vec<Problem>,
}

impl Operation for Export {
    type Request = Request;
    type Response = ExportedMemory;
    const SPEC: Spec = Spec {
        name: "memory_export",
        usage: "export",
        group: Group::Memory,
        effect: Effect::Reads,
        about: "Export all memories: as JSON Lines with history, which `heir import` reads, or as markdown.",
    };

    fn run(session: &Session, request: Request) -> Result<ExportedMemory, Error> {
        let (text, known) = match request.format {
            // Lines are exported unchanged, superseded and archived records included.
            ExportFormat::Jsonl => {
                let known = MemoryQuery::new().read(session)?;
                (json_lines(session, &known, request.private)?, known)
            }
            ExportFormat::Markdown => {
                let known = WholeMemory::read(session)?;
                (markdown(session, &known, request.private), known.into_slice())
            }
        };
        Ok(ExportedMemory { text, problems: known.problems })
    }
}

fn json_lines(session: &Session, known: &MemorySlice, private: bool) -> Result<String, Error> {
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
    Ok(lines.iter().map(|line| format!("{}\n", escape_control(line))).collect())
}

/// Writes control characters as JSON escapes, so that a memory cannot send commands to a terminal.
fn escape_control(line: &str) -> String {
    let escape =
        |c: char| if c.is_control() { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    if line.contains(char::is_control) {
        line.chars().map(escape).collect()
    } else {
        line.to_owned()
    }
}

fn markdown(session: &Session, known: &WholeMemory, with_private: bool) -> String {
    let (mut out, mut episodes) = (String::from("# Memory\n"), String::new());
    let mut check = OriginCheck::new(session);
    for kind in RecordKind::ALL {
        let mut items = || {
            let mut items = active_items(known, kind, with_private);
            items.iter_mut().for_each(|item| check.label(item));
            items.into_iter().map(|item| item.on(session.today())).collect::<Vec<_>>()
        };
        match kind.spec().export {
            ExportForm::Omitted => {}
            ExportForm::Sections => push_sections(&mut out, &items()),
            ExportForm::List(heading) => {
                let items = items();
                let pending: Vec<&MemoryItem> =
                    items.iter().filter(|item| !item.resolved).collect();
                push_list(&mut out, heading, &pending);
            }
            ExportForm::Episodes(heading) => {
                push_episodes(&mut episodes, heading, known, &items());
            }
        }
    }
    out.push_str(&episodes);
    known.prefetch_entry_dates(known.documents.iter());
    for document in &known.documents {
        let owner: Vec<&str> = document.selectors.values().map(String::as_str).collect();
        let items: Vec<MemoryItem> = document
            .content
            .entries
            .iter()
            .map(|entry| MemoryItem::of_entry(&known.memory, document, entry))
            .filter(|item| item.standing == Standing::Active)
            .collect();
        let title = format!("Memory of {}", owner.join("/"));
        push_list(&mut out, &title, &items.iter().collect::<Vec<_>>());
    }
    out
}

fn active_items(known: &WholeMemory, kind: RecordKind, with_private: bool) -> Vec<MemoryItem> {
    let is_exported = |item: &MemoryItem| {
        item.standing == Standing::Active
            && (with_private || !record_of(known, item).is_some_and(Record::is_private))
    };
    known.items(kind).into_iter().filter(is_exported).collect()
}

fn record_of<'k>(known: &'k WholeMemory, item: &MemoryItem) -> Option<&'k Record> {
    known.memory.record(item.referent.record_id()?)
}

fn push_sections(out: &mut String, facts: &[MemoryItem]) {
    for section in FactSection::ALL {
        let items: Vec<&MemoryItem> =
            facts.iter().filter(|item| item.section == Some(section)).collect();
        push_list(out, section.title(), &items);
    }
}

fn push_episodes(out: &mut String, heading: &str, known: &WholeMemory, items: &[MemoryItem]) {
    if !items.is_empty() {
        out.push_str(&format!("\n## {heading}\n"));
    }
    for item in items.iter().rev() {
        let Some(record) = record_of(known, item) else { continue };
        let Body::Episode(episode) = &record.body else { continue };
        let date = item.date.as_deref().unwrap_or_default();
        out.push_str(&format!("\n### {} — {date}\n", one_line(&episode.title)));
        if !episode.content.is_empty() {
            out.push_str(&format!("\n{}\n", episode.content.trim()));
        }
        for (title, lines) in [
            ("Instructions", &episode.instructions),
            ("Decisions", &episode.decisions),
            ("Findings", &episode.findings),
            ("Left open", &episode.open),
        ] {
            if !lines.is_empty() {
                out.push_str(&format!("\n{title}:\n"));
                lines.iter().for_each(|line| out.push_str(&format!("- {}\n", one_line(line))));
            }
        }
    }
}

fn push_list(out: &mut String, title: &str, items: &[&MemoryItem]) {
    if items.is_empty() {
        return;
    }
    out.push_str(&format!("\n## {title}\n\n"));
    let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
    for (item, id) in items.iter().zip(short_ids(&ids)) {
        let date = item.date.as_deref().unwrap_or("undated");
        let kind = if item.section.is_some() { "" } else { item.kind.as_str() };
        let separator = if kind.is_empty() { "" } else { ": " };
        let resolved = if item.resolved { " (resolved)" } else { "" };
        let text = one_line(&item.text);
        let expired = if item.standing == Standing::Expired { " (expired)" } else { "" };
        let outdated = item.outdated.as_ref();
        let outdated = outdated.map_or_else(String::new, |reason| format!(" (outdated: {reason})"));
        out.push_str(&format!(
            "- {kind}{separator}{text}{resolved}{expired}{outdated} — {date}, {id}\n"
        ));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Answer for ExportedMemory {
    fn view(&self) -> View {
        View::raw(self.text.as_str())
    }
}
