use heirloom_core::record::Origin;
use std::collections::HashMap;

use heirloom_core::Value;
use heirloom_core::record;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::view::plain_text;

const NOW: &str = "2026-02-22T10:00:00Z";

/// Imports texts into a memory with known origins; new ids count from a number.
fn import_with(
    format: ImportFormat,
    texts: &[(&str, &str)],
    known: &HashMap<Origin, Uuid>,
    mut id: u128,
) -> ImportResult {
    let texts: Vec<SourceText<'_>> =
        texts.iter().map(|(path, content)| SourceText { path, content }).collect();
    let mut importing = ImportContext {
        now: NOW.parse().unwrap(),
        author: "ada",
        new_id: &mut |_| {
            id += 1;
            Uuid::from_u128(id)
        },
        find_by_origin: &|origin| known.get(origin).copied(),
    };
    format.importer().unwrap()(&texts, &mut importing)
}

/// Imports texts into an empty memory.
pub(super) fn import(format: ImportFormat, texts: &[(&str, &str)]) -> ImportResult {
    import_with(format, texts, &HashMap::new(), 0)
}

/// Imports texts into a memory that has these records.
pub(super) fn import_after(
    before: &ImportResult,
    format: ImportFormat,
    texts: &[(&str, &str)],
) -> ImportResult {
    let origins = before
        .records
        .iter()
        .filter_map(|(_, record)| record.origin.clone().map(|origin| (origin, record.id)));
    import_with(format, texts, &origins.collect(), 0x100)
}

/// Formats records as lines, without the fields that are the same in all of them.
pub(super) fn records(imported: &ImportResult) -> Vec<String> {
    let shown = imported.records.iter().map(|(place, record)| {
        let mut value: Value = serde_json::from_str(&record::write(record).unwrap()).unwrap();
        let fields = value.as_object_mut().unwrap();
        assert_eq!(fields.shift_remove("by"), Some("ada".into()));
        fields.shift_remove("v");
        fields.shift_remove("id");
        if fields["at"] == NOW {
            fields.shift_remove("at");
        }
        let short = value.to_string().replace("00000000-0000-0000-0000-000000000", "…");
        format!("{}:{} …{:03x} {short}", place.path, place.line, record.id.as_u128())
    });
    shown.collect()
}

/// Formats problems as lines.
pub(super) fn problems(imported: &ImportResult) -> Vec<String> {
    imported.problems.iter().map(|problem| plain_text(&problem.describe())).collect()
}

/// Asserts that importing texts a second time adds nothing and counts all rows as known.
pub(super) fn assert_import_is_idempotent(
    format: ImportFormat,
    texts: &[(&str, &str)],
    rows: usize,
) {
    let first = import(format, texts);
    assert!(!first.records.is_empty());
    let second = import_after(&first, format, texts);
    assert_eq!(records(&second), Vec::<String>::new());
    assert_eq!(problems(&second), problems(&first));
    assert_eq!(second.known_rows, rows);
}

#[test]
fn a_row_that_is_too_long_for_a_record_is_a_problem() {
    let text = format!("- short\n- {}\n", "x".repeat(record::MAX_LINE_BYTES));
    let imported = import(ImportFormat::Bullets, &[("CLAUDE.md", &text)]);
    assert_eq!(imported.records.len(), 1);
    assert_eq!(problems(&imported), ["CLAUDE.md:2: this is too long for a record (at most 1 MB)"]);
}

/// Generates texts from fragments of the formats, so that they are often almost valid.
fn almost_valid() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "- ",
        "  - ",
        "\t* ",
        "1. ",
        "# ",
        "## Observations\n",
        "## Relations\n",
        "---\n",
        "```\n",
        "<!-- ",
        "-->",
        "[",
        "]",
        "[tip] ",
        "[[",
        "]]",
        "uses [[b]]",
        "#tag ",
        "(",
        ")",
        "\n",
        "\r\n",
        "\n\n",
        "é",
        "\u{feff}",
        "\0",
        " ",
        ": ",
        "title: b\n",
        "permalink: b\n",
        "created: x\n",
        "tags: [a, 'b']\n",
        "{",
        "}",
        "\"",
        ",",
        "{\"_type\":\"fact\",\"id\":\"a\"",
        ",\"section\":\"Specs\"",
        ",\"content\":\"x\"",
        ",\"supersedes\":[\"a\",\"b\"]",
        ",\"superseded_by\":\"a\"",
        ",\"status\":\"superseded\"",
        ",\"confidence\":1e999",
        ",\"reinforcement_count\":18446744073709551615",
        ",\"created_at\":\"-9999-01-01\"",
        "}\n",
        "{\"_type\":\"edge\",\"source_id\":\"a\",\"target_id\":\"a\",\"relation\":\"uses\"",
        "{\"_type\":\"episode\",\"title\":\"t\",\"fact_ids\":[\"a\",1,null]",
        "{\"type\":\"entity\",\"name\":\"a\",\"observations\":[\"o\",{}]",
        "{\"type\":\"relation\",\"from\":\"a\",\"to\":\"b\",\"relationType\":\"uses\"",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn importers_accept_any_text(
        texts in prop::collection::vec(prop_oneof![any::<String>(), almost_valid()], 1..4),
        path in "[a-z]{0,3}(\\.md|\\.jsonl)?",
    ) {
        let texts: Vec<(&str, &str)> =
            texts.iter().map(|text| (path.as_str(), text.as_str())).collect();
        for format in ImportFormat::ALL.into_iter().filter(|format| format.importer().is_some()) {
            let first = import(format, &texts);
            let second = import_after(&first, format, &texts);
            prop_assert_eq!(records(&second), Vec::<String>::new());
            for (place, record) in &first.records {
                prop_assert!(place.line > 0 && record.origin.is_some());
            }
        }
        for (path, text) in texts {
            detect(path, text);
        }
    }
}
