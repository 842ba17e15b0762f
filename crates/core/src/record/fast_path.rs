//! Fast path for lines with a fact or a note, which most lines are. A derived deserialiser of a tagged enum buffers the
//! whole object to find its tag, which takes twice as long.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use super::{Body, Fact, FactSection, Note, Origin, Record, Referent, ShortTexts, Visibility};
use crate::day;

/// Every field of a fact or a note: see [`Record`], [`Fact`] and [`Note`].
#[derive(Deserialize)]
struct LineFields {
    v: u32,
    id: Uuid,
    #[serde(deserialize_with = "fast_kind")]
    kind: FastKind,
    section: Option<FactSection>,
    #[serde(default, deserialize_with = "not_null")]
    content: Option<String>,
    key: Option<String>,
    value: Option<String>,
    scope: Option<String>,
    at: Timestamp,
    #[serde(default)]
    by: String,
    #[serde(default)]
    tags: Vec<String>,
    confidence: Option<f64>,
    source: Option<String>,
    #[serde(default)]
    artifacts: Vec<String>,
    #[serde(default, with = "day")]
    valid_from: Option<Date>,
    #[serde(default, with = "day")]
    valid_to: Option<Date>,
    #[serde(default)]
    visibility: Visibility,
    summary: Option<String>,
    compressed: Option<String>,
    index: Option<String>,
    #[serde(default)]
    supersedes: Vec<Referent>,
    origin: Option<Origin>,
    session: Option<String>,
}

/// A kind that the fast path supports.
enum FastKind {
    Fact,
    Note,
}

/// Deserialises a supported kind; any other is an error, so that parsing stops at once.
fn fast_kind<'de, D: Deserializer<'de>>(input: D) -> Result<FastKind, D::Error> {
    match &*<Cow<'_, str>>::deserialize(input)? {
        "fact" => Ok(FastKind::Fact),
        "note" => Ok(FastKind::Note),
        other => Err(D::Error::custom(other)),
    }
}

/// Deserialises a field that may be absent but not null.
fn not_null<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    String::deserialize(input).map(Some)
}

/// Reads a line if it is a valid fact or note, ignoring unknown fields. The caller diagnoses every other line.
pub(super) fn read(line: &[u8]) -> Option<Record> {
    // Serde would also accept a JSON array of all fields.
    if !line.starts_with(b"{") {
        return None;
    }
    let fields: LineFields = serde_json::from_slice(line).ok()?;
    let LineFields { kind, section, content, key, value, scope, .. } = fields;
    let body = match kind {
        FastKind::Note => Body::Note(Note { content: content? }),
        FastKind::Fact => {
            let content = content.unwrap_or_default();
            Body::Fact(Fact { section: section?, content, key, value, scope })
        }
    };
    Some(Record {
        v: fields.v,
        id: fields.id,
        body,
        at: fields.at,
        by: fields.by,
        tags: fields.tags,
        confidence: fields.confidence,
        source: fields.source,
        artifacts: fields.artifacts,
        valid_from: fields.valid_from,
        valid_to: fields.valid_to,
        visibility: fields.visibility,
        levels: ShortTexts {
            summary: fields.summary,
            compressed: fields.compressed,
            index: fields.index,
        },
        supersedes: fields.supersedes,
        origin: fields.origin,
        session: fields.session,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::record::validation::COMMON_FIELDS;
    use crate::record::{RecordKind, serde_fields};

    const FACT: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"fact","section":"Specs","at":"2026-02-22T00:00:00Z""#;
    const NOTE: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"note","at":"2026-02-22T00:00:00Z""#;

    /// Asserts that the fast path reads a line like the derived deserialiser.
    fn check(line: &str) {
        let record = read(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(record, serde_json::from_str(line).unwrap(), "{line}");
    }

    #[test]
    fn the_fast_path_agrees_with_the_derived_deserialiser() {
        let full = r#","content":"x","key":"k","value":"v","scope":"api","by":"ada","tags":["a","b"],"confidence":0.7,"source":"s","artifacts":["file:a"],"valid_from":"2026-02-01T10:00:00Z","valid_to":"2026-03-01","visibility":"private","summary":"s","compressed":"c","index":"i","supersedes":["x"],"origin":"o","session":"t"}"#;
        let valid = [
            full,
            r#","content":"","steps":7,"colour":{"a":[1]}}"#,
            r#","content":"x","confidence":118446744073709551616,"summary":null,"key":null}"#,
            r#","valid_from":null,"content":"\u00e9\n\"" }"#,
        ];
        for rest in valid {
            check(&format!("{FACT}{rest}"));
            check(&format!("{NOTE}{rest}"));
        }
        check(&format!("{FACT}}}"));
        check(&format!(r#"{NOTE},"content":"x","section":null}}"#));
    }

    #[test]
    fn the_fast_path_reads_every_field_of_its_kinds() {
        let kinds = [RecordKind::Fact, RecordKind::Note].map(|kind| kind.spec().fields);
        let fields = COMMON_FIELDS.iter().chain(kinds.into_iter().flatten());
        let expected = fields.map(|(name, _, _)| *name).chain(["kind"]);
        let read = serde_fields::of_struct::<LineFields>().iter().copied();
        assert_eq!(read.collect::<BTreeSet<_>>(), expected.collect::<BTreeSet<_>>());
    }

    #[test]
    fn invalid_lines_and_other_kinds_are_declined() {
        let invalid = [r#","tags":null}"#, r#","content":5}"#, r#","content":null}"#, ""];
        for rest in invalid.into_iter().chain([r#","at":"2026-02-22T00:00:00Z"}"#]) {
            for start in [FACT, NOTE] {
                let line = format!("{start}{rest}");
                assert_eq!(read(line.as_bytes()), None, "{line}");
            }
        }
        let list = br#"[1,"0198c0de-0000-7000-8000-00000000002a","note",null,"x"]"#;
        assert_eq!(read(list), None);
        let object_kind = format!("{FACT}}}").replace("\"fact\"", r#"{"fact":null}"#);
        let no_section = format!("{FACT}}}").replace(r#""section":"Specs","#, "");
        for line in [
            object_kind,
            no_section,
            format!("{NOTE}}}"),
            format!("{FACT}}}").replace("fact", "edge"),
        ] {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
    }
}
