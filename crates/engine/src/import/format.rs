//! Detects which tool wrote a text.

use heirloom_core::{Document, Value};
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocks::{self, MarkdownBlock};
use super::{basic_memory, rows, server_memory};

/// The format of a text to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ImportFormat {
    /// `facts.jsonl` of Omegon.
    Omegon,
    /// The memory file of the MCP memory server.
    ServerMemory,
    /// A note of basic-memory.
    BasicMemory,
    /// Lists in instruction files for agents.
    Bullets,
    /// Heirloom's own records.
    Heirloom,
}

/// The ends of the paths of instruction files for agents.
const INSTRUCTION_SUFFIXES: &[&str] = &[
    "agents.md",
    "claude.md",
    "claude.local.md",
    "gemini.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".mdc",
];

impl ImportFormat {
    /// Every format.
    pub(crate) const ALL: [ImportFormat; 5] = [
        ImportFormat::Omegon,
        ImportFormat::ServerMemory,
        ImportFormat::BasicMemory,
        ImportFormat::Bullets,
        ImportFormat::Heirloom,
    ];

    /// Returns the name that users type.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            ImportFormat::Omegon => "omegon",
            ImportFormat::ServerMemory => server_memory::FORMAT,
            ImportFormat::BasicMemory => basic_memory::FORMAT,
            ImportFormat::Bullets => "bullets",
            ImportFormat::Heirloom => "heirloom",
        }
    }
}

/// Detects the format of a text by its content, and in case of doubt by its path.
pub(crate) fn detect(path: &str, content: &str) -> Option<ImportFormat> {
    let path = path.to_lowercase();
    if [".md", ".mdc", ".markdown"].iter().any(|extension| path.ends_with(extension)) {
        return detect_markdown(&path, content);
    }
    let by_name = || match path.rsplit(['/', '\\']).next() {
        Some("facts.jsonl") => Some(ImportFormat::Omegon),
        Some("memory.jsonl" | "memory.json") => Some(ImportFormat::ServerMemory),
        _ => None,
    };
    detect_rows(content).or_else(by_name).or_else(|| detect_markdown(&path, content))
}

/// Detects a JSON Lines format. The first line that is recognised decides, as any line may be damaged.
fn detect_rows(content: &str) -> Option<ImportFormat> {
    rows::lines(content).filter(|(_, line)| line.starts_with('{')).find_map(|(_, line)| {
        let row: Value = serde_json::from_str(line).ok()?;
        let word = |key: &str| row[key].as_str();
        if row["v"].is_u64() && word("kind").is_some() {
            Some(ImportFormat::Heirloom)
        } else if matches!(word("_type"), Some("fact" | "episode" | "edge" | "mind")) {
            Some(ImportFormat::Omegon)
        } else if matches!(word("type"), Some("entity" | "relation")) {
            Some(ImportFormat::ServerMemory)
        } else {
            let is_fact = word("section").is_some() && word("content").is_some();
            is_fact.then_some(ImportFormat::Omegon)
        }
    })
}

fn detect_markdown(path: &str, content: &str) -> Option<ImportFormat> {
    let document = Document::parse(path, content);
    let is_heading = |text: &str| {
        let text = text.trim().to_lowercase();
        text == "observations" || text == "relations"
    };
    let is_note = document.field("permalink").is_some() || document.field("type") == Some("note");
    if is_note || document.headings.iter().any(|heading| is_heading(&heading.text)) {
        return Some(ImportFormat::BasicMemory);
    }
    let is_instructions = INSTRUCTION_SUFFIXES.iter().any(|name| path.ends_with(name));
    let (blocks, _) = blocks::read(&document);
    let mut items = blocks.iter().filter_map(|block| match block {
        MarkdownBlock::Item { text, .. } => Some(text),
        _ => None,
    });
    let has_category = |item: &String| {
        item.starts_with('[') && basic_memory::parse_observation(item, false).is_some()
    };
    match items.next() {
        _ if is_instructions => Some(ImportFormat::Bullets),
        Some(first) if has_category(first) || items.any(has_category) => {
            Some(ImportFormat::BasicMemory)
        }
        Some(_) => Some(ImportFormat::Bullets),
        None => document.field("title").map(|_| ImportFormat::BasicMemory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected_by_content_and_path() {
        let entity = r#"{"type":"entity","name":"a","entityType":"b","observations":[]}"#;
        for (path, content, format) in [
            ("x.jsonl", r#"{"v":1,"id":"0","kind":"fact"}"#, Some(ImportFormat::Heirloom)),
            ("x.jsonl", r#"{"_type":"fact","id":"a"}"#, Some(ImportFormat::Omegon)),
            ("x.jsonl", r#"{"section":"Git","content":"x"}"#, Some(ImportFormat::Omegon)),
            ("facts.jsonl", entity, Some(ImportFormat::ServerMemory)),
            ("a/facts.jsonl", "{", Some(ImportFormat::Omegon)),
            ("memory.json", "", Some(ImportFormat::ServerMemory)),
            ("x.jsonl", "{\"a\":1}", None),
            ("n.md", "---\npermalink: n\n---\n- x\n", Some(ImportFormat::BasicMemory)),
            ("n.md", "## Relations\n- uses [[X]]\n", Some(ImportFormat::BasicMemory)),
            ("n.md", "- one\n- [tip] two\n", Some(ImportFormat::BasicMemory)),
            ("CLAUDE.md", "- one\n- [tip] two\n", Some(ImportFormat::Bullets)),
            ("docs/AGENTS.md", "", Some(ImportFormat::Bullets)),
            ("rules.md", "# Rules\n- [ ] one\n", Some(ImportFormat::Bullets)),
            ("n.md", "---\ntitle: N\n---\nProse\n", Some(ImportFormat::BasicMemory)),
            ("n.md", "Prose\n", None),
            ("", "", None),
        ] {
            assert_eq!(detect(path, content), format, "{path}: {content}");
        }
    }

    #[test]
    fn every_format_parses_from_its_name() {
        for format in ImportFormat::ALL {
            let word = serde_json::json!(format.as_str());
            assert_eq!(serde_json::from_value::<ImportFormat>(word).ok(), Some(format));
        }
    }
}
