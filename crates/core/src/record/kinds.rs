//! The table of record kinds. To add a kind, write its struct in a file of `kinds/` and add a row here.

mod body;
mod contradiction;
mod edge;
mod episode;
mod event;
mod fact;
mod note;
mod pattern;
mod spec;
mod tombstone;
mod workflow;

pub use contradiction::{CERTAIN, ContradictionRecord};
pub use edge::RelationRecord;
pub use episode::Episode;
pub use event::Event;
pub use fact::Fact;
pub use note::Note;
pub use pattern::Pattern;
pub use spec::{ExportForm, KindSpec, NodeSpec};
pub use tombstone::Tombstone;
pub use workflow::Workflow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FieldType;
use super::Presence::{Nullable, Optional, Required};
use body::RecordBody;

/// Declares [`RecordKind`], [`Body`] and [`KINDS`] from rows of the form `Variant(struct) = spec;`. The name of a
/// variant in lower case is the word of the kind.
macro_rules! record_kinds {
    ($($(#[$doc:meta])* $kind:ident($body:ty) = $spec:expr;)+) => {
        /// The kind of a record.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "lowercase")]
        pub enum RecordKind {
            $($(#[$doc])* $kind,)+
        }

        /// The fields of a record that depend on its kind. Most records are facts, so larger variants are boxed.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "lowercase")]
        pub enum Body {
            $($(#[$doc])* $kind($body),)+
        }

        /// The row of every kind, in the order of [`RecordKind::ALL`].
        pub const KINDS: &[KindSpec] = &[$($spec),+];

        impl RecordKind {
            /// Every kind.
            pub const ALL: [RecordKind; KINDS.len()] = [$(RecordKind::$kind),+];

            /// Returns the names of the fields that serde reads for this kind.
            #[cfg(test)]
            pub(super) fn names_read_by_serde(self) -> &'static [&'static str] {
                match self {
                    $(RecordKind::$kind => super::serde_fields::of_struct::<$body>(),)+
                }
            }
        }

        impl Body {
            /// Returns the kind.
            pub fn kind(&self) -> RecordKind {
                match self {
                    $(Body::$kind(_) => RecordKind::$kind,)+
                }
            }

            /// Returns the fields.
            pub(super) fn inner(&self) -> &dyn RecordBody {
                match self {
                    $(Body::$kind(body) => body.as_dyn(),)+
                }
            }
        }
    };
}

/// The node of a fact. Edges and events have nodes only when requested by id.
const FACT_NODE: NodeSpec = NodeSpec {
    word: "fact",
    dot_shape: "plaintext",
    mermaid_brackets: ("([", "])"),
    can_be_stale: true,
};

record_kinds! {
    /// A piece of knowledge.
    Fact(Fact) = KindSpec {
        word: "fact",
        help: Some("Store and edit facts: single statements that hold"),
        is_recallable: true,
        joins_session: true,
        node: FACT_NODE,
        export: ExportForm::Sections,
        fields: &[
            ("section", FieldType::Section, Required),
            ("content", FieldType::Text, Optional),
            ("key", FieldType::Text, Nullable),
            ("value", FieldType::Text, Nullable),
            ("scope", FieldType::Text, Nullable),
        ],
    };

    /// The story of a session or a task.
    Episode(Box<Episode>) = KindSpec {
        word: "episode",
        help: Some("Store and edit episodes: what happened, and why"),
        is_recallable: true,
        joins_session: false,
        node: NodeSpec {
            word: "episode",
            dot_shape: "note",
            mermaid_brackets: ("{{", "}}"),
            can_be_stale: false,
        },
        export: ExportForm::Episodes("Episodes"),
        fields: &[
            ("title", FieldType::Text, Required),
            ("content", FieldType::Text, Optional),
            ("goals", FieldType::TextList, Optional),
            ("instructions", FieldType::TextList, Optional),
            ("decisions", FieldType::TextList, Optional),
            ("findings", FieldType::TextList, Optional),
            ("sequence", FieldType::TextList, Optional),
            ("course", FieldType::TextList, Optional),
            ("outcome", FieldType::Text, Nullable),
            ("open", FieldType::TextList, Optional),
            ("files", FieldType::TextList, Optional),
            ("commits", FieldType::TextList, Optional),
            ("stored", FieldType::TextList, Optional),
            ("duration_seconds", FieldType::WholeNumber, Nullable),
            ("turns", FieldType::WholeNumber, Nullable),
            ("tool_calls", FieldType::WholeNumber, Nullable),
        ],
    };

    /// A code pattern of this project.
    Pattern(Box<Pattern>) = KindSpec {
        word: "pattern",
        help: Some("Store and edit patterns: how code is written here"),
        is_recallable: true,
        joins_session: true,
        node: NodeSpec {
            word: "pattern",
            dot_shape: "cds",
            mermaid_brackets: ("{{", "}}"),
            can_be_stale: true,
        },
        export: ExportForm::List("Patterns"),
        fields: &[
            ("trigger", FieldType::Text, Required),
            ("template", FieldType::Any, Optional),
            ("hint", FieldType::Text, Nullable),
            ("content", FieldType::Text, Optional),
        ],
    };

    /// A procedure of this project.
    Workflow(Box<Workflow>) = KindSpec {
        word: "workflow",
        help: Some("Store and edit workflows: steps that are taken here"),
        is_recallable: true,
        joins_session: true,
        node: NodeSpec {
            word: "workflow",
            dot_shape: "cds",
            mermaid_brackets: ("{{", "}}"),
            can_be_stale: true,
        },
        export: ExportForm::List("Workflows"),
        fields: &[
            ("trigger", FieldType::Text, Required),
            ("steps", FieldType::TextList, Required),
            ("details", FieldType::Object, Optional),
            ("hint", FieldType::Text, Nullable),
            ("content", FieldType::Text, Optional),
        ],
    };

    /// A relation between two records or entries.
    Edge(RelationRecord) = KindSpec {
        word: "edge",
        help: None,
        is_recallable: false,
        joins_session: false,
        node: FACT_NODE,
        export: ExportForm::Omitted,
        fields: &[
            ("from", FieldType::Text, Required),
            ("to", FieldType::Text, Required),
            ("relation", FieldType::Relation, Required),
            ("content", FieldType::Text, Optional),
        ],
    };

    /// A reminder.
    Note(Note) = KindSpec {
        word: "note",
        help: Some("Take a note to come back to; list and finish notes"),
        is_recallable: true,
        joins_session: true,
        node: NodeSpec {
            word: "note",
            dot_shape: "note",
            mermaid_brackets: ("([", "])"),
            can_be_stale: true,
        },
        export: ExportForm::List("Notes"),
        fields: &[("content", FieldType::Text, Required)],
    };

    /// An action on other records.
    Event(Event) = KindSpec {
        word: "event",
        help: None,
        is_recallable: false,
        joins_session: false,
        node: FACT_NODE,
        export: ExportForm::Omitted,
        fields: &[
            ("action", FieldType::Action, Required),
            ("targets", FieldType::TextList, Optional),
            ("undoes", FieldType::TextList, Optional),
            ("reason", FieldType::Text, Optional),
            ("resolution", FieldType::Resolution, Nullable),
        ],
    };

    /// Two memories that a judge found to contradict each other.
    Contradiction(Box<ContradictionRecord>) = KindSpec {
        word: "contradiction",
        help: None,
        is_recallable: false,
        joins_session: false,
        node: FACT_NODE,
        export: ExportForm::Omitted,
        fields: &[
            ("a", FieldType::Text, Required),
            ("b", FieldType::Text, Required),
            ("score", FieldType::Number, Required),
            ("certainty", FieldType::Text, Required),
            ("aspect", FieldType::Text, Required),
            ("reason", FieldType::Text, Optional),
            ("text_hashes", FieldType::TextList, Optional),
        ],
    };

    /// What is left of a purged record.
    Tombstone(Tombstone) = KindSpec {
        word: "tombstone",
        help: None,
        is_recallable: false,
        joins_session: false,
        node: FACT_NODE,
        export: ExportForm::Omitted,
        fields: &[
            ("purged", FieldType::Text, Required),
            ("line_hashes", FieldType::TextList, Optional),
        ],
    };
}
