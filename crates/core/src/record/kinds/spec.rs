//! The columns of the table of kinds.

use crate::record::validation::COMMON_FIELDS;
use crate::record::{FieldSpec, FieldType, KINDS, RecordKind};

/// The row of a kind.
#[derive(Debug)]
pub struct KindSpec {
    /// The name in the format, which is also the name of its folder and of its commands.
    pub word: &'static str,
    /// What its commands are for, in the help; `None` for a kind without commands of its own.
    pub help: Option<&'static str>,
    /// Whether it can be recalled, counted and searched on its own.
    pub is_recallable: bool,
    /// Whether a new record states the open session as the one that it belongs to.
    pub joins_session: bool,
    /// Its node in the graph.
    pub node: NodeSpec,
    /// Its place in the export as markdown.
    pub export: ExportForm,
    /// The fields that only this kind has, in the order in which they are validated.
    pub fields: &'static [FieldSpec],
}

/// The node of a kind in the graph.
#[derive(Debug)]
pub struct NodeSpec {
    /// The type of the node.
    pub word: &'static str,
    /// Its shape in Graphviz.
    pub dot_shape: &'static str,
    /// The brackets around its label in Mermaid.
    pub mermaid_brackets: (&'static str, &'static str),
    /// Whether it is reported as stale when it is old; what describes the past is not.
    pub can_be_stale: bool,
}

/// The form in which the records of a kind are exported as markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// They are left out.
    Omitted,
    /// Lists, one for each section of facts.
    Sections,
    /// A list under this heading, without the records that are done.
    List(&'static str),
    /// Stories with decisions and open points under this heading, newest first, behind all lists.
    Episodes(&'static str),
}

impl RecordKind {
    /// Returns its row of the table.
    pub const fn spec(self) -> &'static KindSpec {
        &KINDS[self as usize]
    }

    /// Returns its name in the format, which is also the name of its folder.
    pub const fn as_str(self) -> &'static str {
        self.spec().word
    }

    /// Parses its name in the format.
    pub fn parse(word: &str) -> Option<Self> {
        RecordKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Returns the kinds that can be recalled on their own.
    pub fn recallable() -> impl Iterator<Item = RecordKind> {
        RecordKind::ALL.into_iter().filter(|kind| kind.spec().is_recallable)
    }

    /// Returns the type of a field that it has.
    pub fn field_type(self, name: &str) -> Option<FieldType> {
        let mut fields = COMMON_FIELDS.iter().chain(self.spec().fields);
        fields.find(|(field, _, _)| *field == name).map(|(_, field_type, _)| *field_type)
    }
}
