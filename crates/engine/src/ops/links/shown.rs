//! Proposed relations as requests show them.

use std::collections::HashMap;

use heirloom_core::record::{Referent, Relation, short_id};
use schemars::JsonSchema;
use serde::Serialize;

use crate::link_discovery::PendingLink;
use crate::view::{Role, View, present, span};

/// The column of the further lines of a proposal.
const INDENT: usize = 10;

/// A proposed relation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct ShownLink {
    /// Id; requests accept its end.
    pub(super) id: String,
    /// Source of the relation.
    pub(super) from: LinkEnd,
    /// Kind of relation.
    relation: Relation,
    /// Target of the relation.
    pub(super) to: LinkEnd,
    /// How likely it is right, from 0 to 1.
    pub(super) confidence: f64,
    /// Why it is proposed, with a quotation of the evidence.
    reason: String,
}

/// An end of a relation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct LinkEnd {
    /// Id of a memory or a document.
    pub(super) id: Referent,
    /// Text of a memory, title of a document.
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
}

impl ShownLink {
    /// Describes a proposal; `texts` has what its ends say.
    pub(super) fn of(pending: &PendingLink, texts: &HashMap<Referent, String>) -> Self {
        let link = &pending.link;
        let end = |referent: &Referent| LinkEnd {
            id: referent.clone(),
            text: texts.get(referent).cloned().unwrap_or_default(),
        };
        ShownLink {
            id: pending.id.clone(),
            from: end(&link.from),
            relation: link.relation,
            to: end(&link.to),
            confidence: link.confidence,
            reason: link.reason.clone(),
        }
    }
}

/// Shows proposals, the most likely ones first.
pub(super) fn show_links(view: &mut View, links: &[ShownLink]) {
    let mut sorted: Vec<&ShownLink> = links.iter().collect();
    sorted.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    for link in sorted {
        show_link(view, link);
    }
}

fn show_link(view: &mut View, link: &ShownLink) {
    let indent = " ".repeat(INDENT);
    let end = |end: &LinkEnd| {
        let text = present::opening(&end.text);
        match text.is_empty() {
            true => String::new(),
            false => format!("  {text}"),
        }
    };
    view.wrapped_line(
        INDENT,
        [
            span(Role::Key, short_id(&link.id)),
            "  ".into(),
            span(Role::Source, link.from.id.short()),
            end(&link.from).into(),
        ],
    );
    view.wrapped_line(
        INDENT,
        [
            indent.clone().into(),
            span(Role::Value, format!("{} ", link.relation.as_str())),
            span(Role::Source, link.to.id.short()),
            end(&link.to).into(),
        ],
    );
    view.wrapped_line(
        INDENT,
        [span(Role::Dim, format!("{indent}{:.2} · {}", link.confidence, link.reason))],
    );
}
