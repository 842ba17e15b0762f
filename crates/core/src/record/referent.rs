//! What a name in a record refers to.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use super::short_id;

const DOCUMENT_PREFIX: &str = "doc:";
const ENTRY_PREFIX: &str = "entry:";

/// Something that a record can refer to. On disk it is a string: the id of a record, `doc:…` or `entry:…`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Referent {
    /// A record of the log.
    Record(Uuid),
    /// A document, by its id: `plan/0042-graph`.
    Document(String),
    /// An entry of a memory document, by its id.
    Entry(String),
    /// A text of no known form, from a line that was written by hand or by a later version. It refers to nothing.
    Unknown(String),
}

impl Referent {
    /// Creates a reference to an entry of a memory document.
    pub fn entry(id: impl Into<String>) -> Self {
        Referent::Entry(id.into())
    }

    /// Creates a reference to a document.
    pub fn document(id: impl Into<String>) -> Self {
        Referent::Document(id.into())
    }

    /// Returns the id that a user typed for a memory, without the prefix of entries, which may be left out.
    pub fn strip_entry_prefix(typed: &str) -> &str {
        let typed = typed.trim();
        typed.strip_prefix(ENTRY_PREFIX).unwrap_or(typed)
    }

    /// Returns the id, if this is a record.
    pub fn record_id(&self) -> Option<Uuid> {
        match self {
            Referent::Record(id) => Some(*id),
            _ => None,
        }
    }

    /// Returns the id, if this is an entry.
    pub fn entry_id(&self) -> Option<&str> {
        match self {
            Referent::Entry(id) => Some(id),
            _ => None,
        }
    }

    /// Returns a form for people to read: the id, of which a record shows the last characters only.
    pub fn short(&self) -> Cow<'_, str> {
        match self {
            Referent::Record(id) => Cow::Owned(short_id(&id.to_string()).to_owned()),
            Referent::Document(id) | Referent::Entry(id) => Cow::Borrowed(id),
            Referent::Unknown(text) => Cow::Borrowed(short_id(text)),
        }
    }
}

impl From<Uuid> for Referent {
    fn from(id: Uuid) -> Self {
        Referent::Record(id)
    }
}

impl From<&str> for Referent {
    fn from(text: &str) -> Self {
        if let Ok(id) = Uuid::parse_str(text) {
            Referent::Record(id)
        } else if let Some(id) = text.strip_prefix(ENTRY_PREFIX) {
            Referent::entry(id)
        } else if let Some(id) = text.strip_prefix(DOCUMENT_PREFIX) {
            Referent::document(id)
        } else {
            Referent::Unknown(text.to_owned())
        }
    }
}

impl FromStr for Referent {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.into())
    }
}

impl fmt::Display for Referent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Referent::Record(id) => id.fmt(f),
            Referent::Document(id) => write!(f, "{DOCUMENT_PREFIX}{id}"),
            Referent::Entry(id) => write!(f, "{ENTRY_PREFIX}{id}"),
            Referent::Unknown(text) => f.write_str(text),
        }
    }
}

impl Serialize for Referent {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Referent {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(input)?;
        Ok(text.as_ref().into())
    }
}

impl JsonSchema for Referent {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Referent".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_form_is_read_back() {
        let id = Uuid::from_u128(0x0198_c0de_0000_7000_8000_0000_0000_002a);
        let cases = [
            (Referent::Record(id), "0198c0de-0000-7000-8000-00000000002a"),
            (Referent::document("plan/0042-graph"), "doc:plan/0042-graph"),
            (Referent::entry("3f2a"), "entry:3f2a"),
            (Referent::Unknown("x:y".to_owned()), "x:y"),
        ];
        for (referent, text) in cases {
            assert_eq!(referent.to_string(), text);
            assert_eq!(text.parse(), Ok(referent));
        }
    }

    #[test]
    fn the_id_of_a_record_is_read_in_any_case() {
        let id = Uuid::from_u128(0xab);
        assert_eq!(Referent::from(id.to_string().to_uppercase().as_str()), Referent::Record(id));
    }

    #[test]
    fn records_sort_before_documents_and_entries() {
        let mut names = ["entry:a", "doc:b", "0198c0de-0000-7000-8000-00000000002a"];
        names.sort_unstable();
        assert!(names.map(Referent::from).is_sorted());
    }
}
