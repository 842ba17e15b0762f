//! Exports of the graph to Graphviz and Mermaid.

use std::collections::HashMap;
use std::fmt::Write;

use super::{Graph, NodeKind};
use crate::staleness::Freshness;

/// Formats the graph in Graphviz's DOT language.
pub fn to_dot(graph: &Graph) -> String {
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
            NodeKind::Record(kind) => kind.spec().node.dot_shape,
            NodeKind::Entry => "plaintext",
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
            quote(&node.id),
            quote(&format!("{}\n{}", node.id, node.title))
        );
    }
    for edge in &graph.edges {
        let label = label(edge.kind.name(), edge.via.as_deref());
        let _ = writeln!(
            out,
            "  {} -> {} [label={}];",
            quote(&edge.from),
            quote(&edge.to),
            quote(&label)
        );
    }
    out.push_str("}\n");
    out
}

/// Formats the graph as a Mermaid flowchart.
pub fn to_mermaid(graph: &Graph) -> String {
    let mut out = String::from("graph BT\n");
    let indexes: HashMap<&str, usize> =
        graph.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
    let index_of = |id: &str| indexes.get(id).copied().unwrap_or_default();
    for (index, node) in graph.nodes.iter().enumerate() {
        let (open, close) = match node.kind {
            NodeKind::Context => ("[/", "/]"),
            NodeKind::Memory => ("[(", ")]"),
            NodeKind::Project => ("[[", "]]"),
            NodeKind::Plan => ("[", "]"),
            NodeKind::Agent => ("([", "])"),
            NodeKind::Adr => ("{{", "}}"),
            NodeKind::Record(kind) => kind.spec().node.mermaid_brackets,
            NodeKind::Entry => ("([", "])"),
        };
        let _ = writeln!(out, "  n{index}{open}\"{}\"{close}", escape(&node.id));
        match node.staleness {
            Freshness::Fresh | Freshness::Unknown => {}
            stale => {
                let _ = writeln!(
                    out,
                    "  class n{index} {}",
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
            index_of(&edge.from),
            escape(&label),
            index_of(&edge.to)
        );
    }
    out.push_str("  classDef warning fill:#fff6d5,stroke:#b58900\n  classDef critical fill:#ffe0e0,stroke:#c0392b\n");
    out
}

fn label(kind: &str, via: Option<&str>) -> String {
    via.map_or_else(|| kind.to_owned(), |via| format!("{kind} {via}"))
}

/// Quotes a text for DOT.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Escapes a text for a quoted label of Mermaid.
fn escape(text: &str) -> String {
    text.replace('&', "#amp;")
        .replace('"', "#quot;")
        .replace('<', "#lt;")
        .replace('>', "#gt;")
        .replace('\n', " ")
}
