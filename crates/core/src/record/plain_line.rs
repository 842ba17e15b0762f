//! A fact or a note, which most lines are, read field by field: to find out first which kind a record
//! is of takes twice as long.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use super::{Body, Fact, Levels, Note, Record, Section, Visibility};
use crate::day;

/// Every field that one may have, as [`Record`], [`Fact`] and [`Note`] describe them.
#[derive(Deserialize)]
struct Fields {
    v: u32,
    id: Uuid,
    #[serde(deserialize_with = "plain")]
    kind: Plain,
    section: Option<Section>,
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
    supersedes: Vec<String>,
    origin: Option<String>,
    session: Option<String>,
}

/// A kind that is read so.
enum Plain {
    Fact,
    Note,
}

/// Takes no other kind, and gives up at once where there is one.
fn plain<'de, D: Deserializer<'de>>(input: D) -> Result<Plain, D::Error> {
    match &*<Cow<'_, str>>::deserialize(input)? {
        "fact" => Ok(Plain::Fact),
        "note" => Ok(Plain::Note),
        other => Err(D::Error::custom(other)),
    }
}

/// What is not there is not said, and what is null is a mistake.
fn not_null<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    String::deserialize(input).map(Some)
}

/// Reads a line if it is a fact or a note and all is well with it; what it says beside is passed over.
pub(super) fn read(line: &[u8]) -> Option<Record> {
    // A list of all fields in their order would do as well.
    if !line.starts_with(b"{") {
        return None;
    }
    let fields: Fields = serde_json::from_slice(line).ok()?;
    let Fields { kind, section, content, key, value, scope, .. } = fields;
    let body = match kind {
        Plain::Note => Body::Note(Note { content: content? }),
        Plain::Fact => {
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
        levels: Levels {
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
    use super::*;

    const FACT: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"fact","section":"Specs","at":"2026-02-22T00:00:00Z""#;
    const NOTE: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"note","at":"2026-02-22T00:00:00Z""#;

    /// Wants a line to be read here as it is read as any record.
    fn check(line: &str) {
        let own = read(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
        assert_eq!(own, serde_json::from_str(line).unwrap(), "{line}");
    }

    #[test]
    fn a_plain_line_reads_as_any_record_does() {
        let full = r#","content":"x","key":"k","value":"v","scope":"api","by":"ada","tags":["a","b"],"confidence":0.7,"source":"s","artifacts":["file:a"],"valid_from":"2026-02-01T10:00:00Z","valid_to":"2026-03-01","visibility":"private","summary":"s","compressed":"c","index":"i","supersedes":["x"],"origin":"o","session":"t"}"#;
        let read_well = [
            full,
            r#","content":"","steps":7,"colour":{"a":[1]}}"#,
            r#","content":"x","confidence":118446744073709551616,"summary":null,"key":null}"#,
            r#","valid_from":null,"content":"\u00e9\n\"" }"#,
        ];
        for rest in read_well {
            check(&format!("{FACT}{rest}"));
            check(&format!("{NOTE}{rest}"));
        }
        check(&format!("{FACT}}}"));
        check(&format!(r#"{NOTE},"content":"x","section":null}}"#));
    }

    #[test]
    fn what_is_not_well_is_left_to_others() {
        let ill = [r#","tags":null}"#, r#","content":5}"#, r#","content":null}"#, ""];
        for rest in ill.into_iter().chain([r#","at":"2026-02-22T00:00:00Z"}"#]) {
            for start in [FACT, NOTE] {
                let line = format!("{start}{rest}");
                assert_eq!(read(line.as_bytes()), None, "{line}");
            }
        }
        let list = br#"[1,"0198c0de-0000-7000-8000-00000000002a","note",null,"x"]"#;
        assert_eq!(read(list), None);
        let odd = format!("{FACT}}}").replace("\"fact\"", r#"{"fact":null}"#);
        let no_section = format!("{FACT}}}").replace(r#""section":"Specs","#, "");
        for line in
            [odd, no_section, format!("{NOTE}}}"), format!("{FACT}}}").replace("fact", "edge")]
        {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
    }
}
