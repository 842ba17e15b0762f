//! Pictures of the graph: Graphviz and Mermaid.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Graph, NodeKind};
use crate::staleness::Freshness;

/// Writes the graph for Graphviz.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from(
        "digraph heirloom {\n  rankdir=BT;\n  node [fontname=\"sans-serif\", style=\"filled\", fillcolor=\"white\"];\n",
    );
    for node in &graph.nodes {
        let shape = match node.kind {
            NodeKind::Context => "note",
            NodeKind::Memory => "cylinder",
            NodeKind::Project => "folder",
            NodeKind::Plan => "box",
            NodeKind::Agent => "ellipse",
            NodeKind::Adr => "component",
            NodeKind::Fact | NodeKind::Entry => "plaintext",
            NodeKind::Episode | NodeKind::Note => "note",
            NodeKind::Pattern | NodeKind::Workflow => "cds",
        };
        let fill = match node.staleness {
            Freshness::Fresh => "white",
            Freshness::Unknown => "gray90",
            Freshness::Warning => "lightyellow",
            Freshness::Critical => "mistyrose",
        };
        let _ = writeln!(
            out,
            "  {} [label={}, shape={shape}, fillcolor=\"{fill}\"];",
            quoted(&node.id),
            quoted(&format!("{}\n{}", node.id, node.title))
        );
    }
    for edge in &graph.edges {
        let label = label(edge.kind.name(), edge.via.as_deref());
        let _ = writeln!(
            out,
            "  {} -> {} [label={}];",
            quoted(&edge.from),
            quoted(&edge.to),
            quoted(&label)
        );
    }
    out.push_str("}\n");
    out
}

/// Writes the graph for Mermaid.
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("graph BT\n");
    let numbers: HashMap<&str, usize> =
        graph.nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
    let number = |id: &str| numbers.get(id).copied().unwrap_or_default();
    for (at, node) in graph.nodes.iter().enumerate() {
        let (open, close) = match node.kind {
            NodeKind::Context => ("[/", "/]"),
            NodeKind::Memory => ("[(", ")]"),
            NodeKind::Project => ("[[", "]]"),
            NodeKind::Plan => ("[", "]"),
            NodeKind::Agent => ("([", "])"),
            NodeKind::Adr => ("{{", "}}"),
            NodeKind::Fact | NodeKind::Entry | NodeKind::Note => ("([", "])"),
            NodeKind::Episode | NodeKind::Pattern | NodeKind::Workflow => ("{{", "}}"),
        };
        let _ = writeln!(out, "  n{at}{open}\"{}\"{close}", escaped(&node.id));
        match node.staleness {
            Freshness::Fresh | Freshness::Unknown => {}
            stale => {
                let _ = writeln!(
                    out,
                    "  class n{at} {}",
                    if stale == Freshness::Warning { "warning" } else { "critical" }
                );
            }
        }
    }
    for edge in &graph.edges {
        let label = label(edge.kind.name(), edge.via.as_deref());
        let _ = writeln!(
            out,
            "  n{} -->|\"{}\"| n{}",
            number(&edge.from),
            escaped(&label),
            number(&edge.to)
        );
    }
    out.push_str("  classDef warning fill:#fff6d5,stroke:#b58900\n  classDef critical fill:#ffe0e0,stroke:#c0392b\n");
    out
}

fn label(kind: &str, via: Option<&str>) -> String {
    via.map_or_else(|| kind.to_owned(), |via| format!("{kind} {via}"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "#amp;")
        .replace('"', "#quot;")
        .replace('<', "#lt;")
        .replace('>', "#gt;")
        .replace('\n', " ")
}
