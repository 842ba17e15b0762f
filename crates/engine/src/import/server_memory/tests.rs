use crate::import::ImportFormat;
use crate::import::tests::{assert_import_is_idempotent, import, problems, records};

const GRAPH: &str = r#"{"type":"relation","from":"billing","to":"ledger","relationType":"depends on"}
{"type":"entity","name":"billing","entityType":"service","observations":["sends invoices at night","Billing is written in Go","sends invoices at night"]}
{"type":"entity","name":"ledger","entityType":"Bug_Report","observations":["rounds down"]}
{"type":"entity","name":"Ada","entityType":"engineer","observations":[]}
{"type":"relation","from":"ledger","to":"billing","relationType":"replaced_by"}
"#;

#[test]
fn observations_become_facts() {
    let imported = import(ImportFormat::ServerMemory, &[("memory.jsonl", GRAPH)]);
    assert_eq!(
        records(&imported),
        [
            r#"memory.jsonl:1 …005 {"kind":"edge","from":"…001","to":"…003","relation":"depends_on","content":"depends on","origin":"server-memory:relation:4c2d701f42e6"}"#,
            r#"memory.jsonl:2 …001 {"kind":"fact","section":"Architecture","content":"billing: sends invoices at night","key":"billing","tags":["service"],"source":"memory.jsonl","origin":"server-memory:entity:billing#9a83e2bd3b07"}"#,
            r#"memory.jsonl:2 …002 {"kind":"fact","section":"Architecture","content":"Billing is written in Go","key":"billing","tags":["service"],"source":"memory.jsonl","origin":"server-memory:entity:billing#60c376aa2c53"}"#,
            r#"memory.jsonl:3 …003 {"kind":"fact","section":"Known Issues","content":"ledger: rounds down","key":"ledger","tags":["Bug_Report"],"source":"memory.jsonl","origin":"server-memory:entity:ledger#3350e49d4e5b"}"#,
            r#"memory.jsonl:4 …004 {"kind":"fact","section":"Architecture","content":"Ada is an engineer","key":"Ada","tags":["engineer"],"source":"memory.jsonl","origin":"server-memory:entity:Ada"}"#,
            r#"memory.jsonl:5 …006 {"kind":"edge","from":"…001","to":"…003","relation":"replaces","origin":"server-memory:relation:c72b18832b37"}"#,
        ]
    );
    assert_eq!((imported.known_rows, problems(&imported)), (1, vec![]));
    assert_import_is_idempotent(ImportFormat::ServerMemory, &[("memory.jsonl", GRAPH)], 7);
}

#[test]
fn an_entity_with_a_long_name_is_refused() {
    let text = format!(r#"{{"type":"entity","name":"{}","observations":["x"]}}"#, "n".repeat(201));
    let imported = import(ImportFormat::ServerMemory, &[("memory.jsonl", &text)]);
    assert_eq!(
        (records(&imported), problems(&imported)),
        (vec![], vec!["memory.jsonl:1: a name of 201 bytes is too long: `nnnnnnnnnnnnnnnnnnnn…` (at most 200 bytes)".into()])
    );
}

#[test]
fn damaged_lines_are_reported() {
    let text = r#"{"type":"entity","entityType":"x","observations":["a"]}
{"type":"entity","name":"n","observations":[]}
{"type":"entity","name":"n","entityType":"x","observations":"a"}
{"type":"entity","name":"n","entityType":"x","observations":[{"a":1}," ","kept"]}
{"type":"relation","from":"n","to":"nobody","relationType":"uses"}
{"type":"relation","from":"n","to":"n","relationType":"knows"}
{"type":"relation","from":"n"}
{"type":"observation"}
nonsense
"#;
    let imported = import(ImportFormat::ServerMemory, &[("memory.jsonl", text)]);
    assert_eq!(
        records(&imported),
        [
            r#"memory.jsonl:4 …001 {"kind":"fact","section":"Architecture","content":"n: kept","key":"n","tags":["x"],"source":"memory.jsonl","origin":"server-memory:entity:n#5e6f1a1a1857"}"#,
            r#"memory.jsonl:5 …002 {"kind":"fact","section":"Architecture","content":"n uses nobody","key":"n","source":"memory.jsonl","origin":"server-memory:relation:dd01e7b33e77"}"#,
            r#"memory.jsonl:6 …003 {"kind":"fact","section":"Architecture","content":"n knows n","key":"n","source":"memory.jsonl","origin":"server-memory:relation:26b3c246ed7d"}"#,
        ]
    );
    assert_eq!(
        problems(&imported),
        [
            "memory.jsonl:1: an entity needs a name",
            "memory.jsonl:2: the entity `n` has neither observations nor a type",
            "memory.jsonl:3: the observations of an entity must be a list of texts",
            "memory.jsonl:4: an observation of `n` is empty or not a text",
            "memory.jsonl:4: an observation of `n` is empty or not a text",
            "memory.jsonl:7: a relation needs from, to and relationType",
            "memory.jsonl:8: this is neither an entity nor a relation (set `type` to `entity` or `relation`)",
            "memory.jsonl:9: this is not JSON: a value is expected (text must be in double quotes) at column 2",
        ]
    );
}
