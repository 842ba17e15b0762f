use crate::import::ImportFormat;
use crate::import::tests::{assert_import_is_idempotent, import, import_after, problems, records};

const FACTS: &str = r#"{"_type":"mind","name":"ops","status":"active"}
{"_type":"fact","id":"f1","mind":"default","section":"Decisions","content":"Queues are in Redis","status":"superseded","created_at":"2026-01-02T03:04:05.678Z","source":"extraction","superseded_by":null}
{"_type":"fact","id":"f2","mind":"ops","section":"Decisions","content":"Queues are in Postgres","status":"active","created_at":"2026-02-01T00:00:00Z","source":"manual","supersedes":"f1","confidence":0.9,"reinforcement_count":4,"last_reinforced":"2026-02-03 10:00:00","tags":["queue","ops"],"layer":"project"}
{"_type":"fact","id":"f3","section":"Known Issues","content":"The mailer times out","status":"archived","created_at":"2026-01-05","archived_at":"2026-01-09T00:00:00Z"}
{"_type":"fact","id":"f4","section":"Recent Activity","content":"The mailer was moved","status":"dormant","supersedes":"gone","reinforcement_count":1}
{"section":"Specs","content":"Mails go out within a minute","confidence":1.0}
{"_type":"edge","id":"e1","source_fact_id":"f2","target_fact_id":"f4","relation":"runs_on","source_mind":"ops"}
{"_type":"edge","id":"e2","source_id":"f2","target_id":"f3","relation":"caused by","description":"it timed out","confidence":1.0,"created_at":"2026-02-02T00:00:00Z"}
{"_type":"episode","id":"p1","mind":"default","title":"The move","narrative":"We moved it.","date":"2026-02-04","session_id":"s9","created_at":"2026-02-05T06:00:00Z","fact_ids":["f2","gone"],"files_changed":["src/mail.rs"],"tool_calls_count":12}
"#;

#[test]
fn lines_become_records() {
    let imported = import(ImportFormat::Omegon, &[("facts.jsonl", FACTS)]);
    assert_eq!(
        records(&imported),
        [
            r#"facts.jsonl:2 …001 {"kind":"fact","section":"Decisions","content":"Queues are in Redis","at":"2026-01-02T03:04:05.678Z","source":"extraction","valid_from":"2026-01-02","origin":"omegon:fact:f1"}"#,
            r#"facts.jsonl:3 …002 {"kind":"fact","section":"Decisions","content":"Queues are in Postgres","at":"2026-02-01T00:00:00Z","tags":["queue","ops"],"confidence":0.9,"source":"manual","valid_from":"2026-02-01","supersedes":["…001"],"origin":"omegon:fact:f2"}"#,
            r#"facts.jsonl:3 …006 {"kind":"event","action":"reinforce","targets":["…002"],"reason":"reinforced 4 times in Omegon","at":"2026-02-03T10:00:00Z","origin":"omegon:fact:f2:reinforced"}"#,
            r#"facts.jsonl:4 …003 {"kind":"fact","section":"Known Issues","content":"The mailer times out","at":"2026-01-05T00:00:00Z","valid_from":"2026-01-05","origin":"omegon:fact:f3"}"#,
            r#"facts.jsonl:4 …007 {"kind":"event","action":"archive","targets":["…003"],"reason":"archived in Omegon","at":"2026-01-09T00:00:00Z","origin":"omegon:fact:f3:archived"}"#,
            r#"facts.jsonl:5 …004 {"kind":"fact","section":"Recent Work","content":"The mailer was moved","origin":"omegon:fact:f4"}"#,
            r#"facts.jsonl:5 …008 {"kind":"event","action":"archive","targets":["…004"],"reason":"dormant in Omegon","origin":"omegon:fact:f4:archived"}"#,
            r#"facts.jsonl:6 …005 {"kind":"fact","section":"Specs","content":"Mails go out within a minute","confidence":1.0,"origin":"omegon:fact:#56bacee72fae"}"#,
            r#"facts.jsonl:7 …00a {"kind":"edge","from":"…002","to":"…004","relation":"depends_on","content":"runs_on","origin":"omegon:edge:e1"}"#,
            r#"facts.jsonl:8 …00b {"kind":"edge","from":"…002","to":"…003","relation":"motivated_by","content":"it timed out","at":"2026-02-02T00:00:00Z","confidence":1.0,"valid_from":"2026-02-02","origin":"omegon:edge:e2"}"#,
            r#"facts.jsonl:9 …009 {"kind":"episode","title":"The move","content":"We moved it.","files":["src/mail.rs"],"stored":["…002"],"tool_calls":12,"at":"2026-02-05T06:00:00Z","source":"session s9","valid_from":"2026-02-04","origin":"omegon:episode:p1"}"#,
        ]
    );
    assert_eq!(
        problems(&imported),
        [
            "facts.jsonl:1: a mind is not imported; its facts get its name as a tag",
            "facts.jsonl:5: 2 facts that are named as replaced or stored are missing (Omegon exports only active facts; this and later lines are imported without these references)",
        ]
    );
    assert_import_is_idempotent(ImportFormat::Omegon, &[("facts.jsonl", FACTS)], 8);
}

#[test]
fn damaged_lines_are_reported() {
    let text = r#"
{"_type":"fact","id":"a","section":"Gossip","content":"x"}
{"_type":"fact","id":"b","section":"Specs"}
{"_type":"fact","content":"x"}
{"_type":"fact","id":"c","section":"Specs","content":"y","created_at":"lately","confidence":"high","status":"lost"}
{"_type":"fact","id":"d","section":"Sp
<<<<<<< HEAD
[1]
{"_type":"edge","id":"e","source_fact_id":"c","target_fact_id":"c"}
{"_type":"edge","id":"e","source_fact_id":"c","target_fact_id":"b","relation":"uses"}
{"_type":"edge","id":"g","source_fact_id":"c","target_fact_id":"c","relation":"related"}
{"_type":"edge","id":"h","source_fact_id":"c","target_fact_id":"c","relation":"uses"}
{"_type":"episode","id":"p"}
{"_type":"dream"}
{}
"#;
    let imported = import(ImportFormat::Omegon, &[("m/facts.jsonl", text)]);
    assert_eq!(
        records(&imported),
        [
            r#"m/facts.jsonl:5 …001 {"kind":"fact","section":"Specs","content":"y","origin":"omegon:fact:c"}"#
        ]
    );
    let sections = "Architecture, Decisions, Constraints, Known Issues, Patterns & Conventions, Specs, Recent Work";
    assert_eq!(
        problems(&imported),
        [
            &format!("m/facts.jsonl:2: the section `Gossip` is unknown (use one of {sections})"),
            "m/facts.jsonl:3: a fact needs `content`",
            &format!("m/facts.jsonl:4: a fact needs `section` (use one of {sections})"),
            "m/facts.jsonl:5: `lately` is not a date; the time of the import is used (write it as 2026-02-22T10:00:00Z)",
            "m/facts.jsonl:5: the confidence \"high\" is not a number from 0 to 1 and is left out",
            "m/facts.jsonl:5: the status `lost` is unknown; it is imported as active",
            "m/facts.jsonl:6: the line is incomplete: it ends within a JSON value",
            "m/facts.jsonl:7: this is a git conflict marker (finish the merge and import the file again)",
            "m/facts.jsonl:8: this is JSON, but not an object",
            "m/facts.jsonl:9: an edge needs a source_fact_id, a target_fact_id and a relation",
            "m/facts.jsonl:10: the id `e` is also on m/facts.jsonl:9, which is imported instead (remove one of the two lines)",
            "m/facts.jsonl:11: the relation `related` is not supported (use one of depends_on, contradicts, enables, replaces, motivated_by)",
            "m/facts.jsonl:12: the relation `uses` connects a fact with itself",
            "m/facts.jsonl:13: an episode needs a title",
            "m/facts.jsonl:14: the type `dream` is unknown; it must be fact, episode, edge or mind",
            "m/facts.jsonl:15: this is neither a fact, an episode nor an edge (set `_type` to `fact`, `episode` or `edge`)",
        ]
    );
}

#[test]
fn only_the_newest_line_of_an_id_is_imported() {
    let text = r#"{"_type":"fact","id":"a","section":"Specs","content":"old","version":1}
{"_type":"fact","id":"a","section":"Specs","content":"new","version":2}
{"_type":"fact","id":"a","section":"Specs","content":"new","version":2}
"#;
    let imported = import(ImportFormat::Omegon, &[("facts.jsonl", text)]);
    assert_eq!(
        records(&imported),
        [
            r#"facts.jsonl:2 …001 {"kind":"fact","section":"Specs","content":"new","origin":"omegon:fact:a"}"#
        ]
    );
    assert_eq!(
        problems(&imported),
        [
            "facts.jsonl:1: the id `a` is also on facts.jsonl:2, which is imported instead (remove one of the two lines)"
        ]
    );
    assert_eq!(imported.known_rows, 1);
}

#[test]
fn a_later_export_refers_to_records_imported_before() {
    let first = r#"{"_type":"fact","id":"a","section":"Specs","content":"one"}
{"_type":"fact","id":"b","section":"Specs","content":"two"}
"#;
    let later = r#"{"_type":"fact","id":"a","section":"Specs","content":"one","status":"superseded"}
{"_type":"fact","id":"b","section":"Specs","content":"two","status":"superseded"}
{"_type":"fact","id":"c","section":"Specs","content":"three","supersedes":"a"}
{"_type":"edge","id":"e","source_fact_id":"c","target_fact_id":"b","relation":"enabled_by"}
"#;
    let before = import(ImportFormat::Omegon, &[("facts.jsonl", first)]);
    let after = import_after(&before, ImportFormat::Omegon, &[("facts.jsonl", later)]);
    assert_eq!(
        records(&after),
        [
            r#"facts.jsonl:2 …102 {"kind":"event","action":"archive","targets":["…002"],"reason":"superseded in Omegon; its successor was not imported","origin":"omegon:fact:b:archived"}"#,
            r#"facts.jsonl:3 …101 {"kind":"fact","section":"Specs","content":"three","supersedes":["…001"],"origin":"omegon:fact:c"}"#,
            r#"facts.jsonl:4 …103 {"kind":"edge","from":"…002","to":"…101","relation":"enables","origin":"omegon:edge:e"}"#,
        ]
    );
    assert_eq!((after.known_rows, after.problems.len()), (2, 0));
}
