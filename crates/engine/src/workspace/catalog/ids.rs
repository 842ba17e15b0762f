//! The ids of documents in the graph.

use heirloom_core::graph::NodeKind;
use heirloom_core::path;
use heirloom_store::layout::{DocumentRole, HierarchyDocument};

/// Returns the kind of a document of a level.
pub(super) fn kind_of(level: &str, part: DocumentRole) -> NodeKind {
    match (level, part) {
        (_, DocumentRole::Memory) => NodeKind::Memory,
        ("project", DocumentRole::Main) => NodeKind::Project,
        ("plan", DocumentRole::Main) => NodeKind::Plan,
        ("agent", DocumentRole::Main) => NodeKind::Agent,
        _ => NodeKind::Context,
    }
}

/// Returns the id of a document: `plan/0042-graph`, `agent/0042-graph/001-schema`,
/// `memory/0042-graph/001-schema`, `context/brand`, `workspace`. Relations use it.
pub(crate) fn id_of(placed: &HierarchyDocument) -> String {
    let kind = kind_of(&placed.level, placed.role);
    let names: Vec<&str> = placed.selectors.values().map(String::as_str).collect();
    let file = path::file_name(&placed.document.path);
    let stem = file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(file);
    let level = &placed.level;
    match kind {
        NodeKind::Context if names.is_empty() && stem == level => level.clone(),
        NodeKind::Context if names.is_empty() => format!("context/{stem}"),
        NodeKind::Context if placed.role == DocumentRole::Main => {
            format!("{level}/{}", names.join("/"))
        }
        NodeKind::Context => format!("{level}/{}/{stem}", names.join("/")),
        kind if names.is_empty() => format!("{}/{stem}", kind.as_str()),
        kind => format!("{}/{}", kind.as_str(), names.join("/")),
    }
}

/// Returns the id of a decision record, as relations use it.
pub(crate) fn id_of_adr(id: &str, project: Option<&str>) -> String {
    let scope = project.map(|project| format!("{project}/")).unwrap_or_default();
    format!("adr/{scope}{id}")
}
