//! A fact, which most lines are, read field by field: to find out first which kind a record is of
//! takes twice as long.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use super::{Body, Fact, Levels, Record, Section, Visibility};
use crate::day;

/// Every field that a fact may have, as [`Record`] and [`Fact`] describe them.
#[derive(Deserialize)]
struct Fields {
    v: u32,
    id: Uuid,
    #[serde(rename = "kind", deserialize_with = "fact_alone")]
    _kind: (),
    section: Section,
    #[serde(default)]
    content: String,
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

/// Takes no other kind, and gives up at once where there is one.
fn fact_alone<'de, D: Deserializer<'de>>(input: D) -> Result<(), D::Error> {
    match &*<Cow<'_, str>>::deserialize(input)? {
        "fact" => Ok(()),
        other => Err(D::Error::custom(other)),
    }
}

/// Reads a line if it is a fact and all is well with it.
pub(super) fn read(line: &[u8]) -> Option<Record> {
    let fields: Fields = serde_json::from_slice(line).ok()?;
    let Fields { section, content, key, value, scope, .. } = fields;
    Some(Record {
        v: fields.v,
        id: fields.id,
        body: Body::Fact(Fact { section, content, key, value, scope }),
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

    #[test]
    fn a_fact_reads_as_any_record_does() {
        const START: &str = r#"{"v":1,"id":"0198c0de-0000-7000-8000-00000000002a","kind":"fact","section":"Specs","at":"2026-02-22T00:00:00Z""#;
        let full = r#","content":"x","key":"k","value":"v","scope":"api","by":"ada","tags":["a","b"],"confidence":0.7,"source":"s","artifacts":["file:a"],"valid_from":"2026-02-01T10:00:00Z","valid_to":"2026-03-01","visibility":"private","summary":"s","compressed":"c","index":"i","supersedes":["x"],"origin":"o","session":"t"}"#;
        let read_well = [
            full,
            "}",
            r#","steps":7,"colour":{"a":[1]}}"#,
            r#","confidence":118446744073709551616,"summary":null,"key":null}"#,
            r#","valid_from":null,"content":"\u00e9\n\"" }"#,
        ];
        for rest in read_well {
            let line = format!("{START}{rest}");
            let own = read(line.as_bytes()).unwrap();
            assert_eq!(own, serde_json::from_str(&line).unwrap(), "{line}");
        }
        for rest in [r#","tags":null}"#, r#","content":5}"#, r#","at":"2026-02-22T00:00:00Z"}"#, ""]
        {
            let line = format!("{START}{rest}");
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
        assert_eq!(read(br#"{"v":1,"kind":"note","content":"x"}"#), None);
        let odd = format!("{START}}}").replace("\"fact\"", r#"{"fact":null}"#);
        assert_eq!(read(odd.as_bytes()), None);
    }
}
