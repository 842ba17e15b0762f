use crate::import::ImportFormat;
use crate::import::tests::{assert_import_is_idempotent, import, problems, records};

const INSTRUCTIONS: &str = "---
name: agents
---
- Read this first

# Security service

Some prose.

## Architecture

- The API is in `api/`
  and the worker in `worker/`
  - one process each
    - under systemd
- Layers:
  * domain
  * storage

### Must not

1. Log a token
2. Log a token.

### Naming

- Tables are plural

```sh
- not this
```

<!-- - nor this -->

## Odds and ends
- Be kind
";

#[test]
fn items_become_facts() {
    let imported = import(ImportFormat::Bullets, &[("AGENTS.md", INSTRUCTIONS)]);
    assert_eq!(
        records(&imported),
        [
            r#"AGENTS.md:4 …001 {"kind":"fact","section":"Patterns & Conventions","content":"Read this first","source":"AGENTS.md:4","origin":"bullets:AGENTS.md#78ade767f3fb"}"#,
            r#"AGENTS.md:12 …002 {"kind":"fact","section":"Architecture","content":"The API is in `api/` and the worker in `worker/`; one process each; under systemd","tags":["architecture"],"source":"AGENTS.md:12","origin":"bullets:AGENTS.md#49e6eebcdf86"}"#,
            r#"AGENTS.md:16 …003 {"kind":"fact","section":"Architecture","content":"Layers: domain; storage","tags":["architecture"],"source":"AGENTS.md:16","origin":"bullets:AGENTS.md#8bcb6aea0189"}"#,
            r#"AGENTS.md:22 …004 {"kind":"fact","section":"Constraints","content":"Log a token","tags":["must-not"],"source":"AGENTS.md:22","origin":"bullets:AGENTS.md#f0198714036b"}"#,
            r#"AGENTS.md:27 …005 {"kind":"fact","section":"Patterns & Conventions","content":"Tables are plural","tags":["naming"],"source":"AGENTS.md:27","origin":"bullets:AGENTS.md#f714904b5126"}"#,
            r#"AGENTS.md:36 …006 {"kind":"fact","section":"Patterns & Conventions","content":"Be kind","tags":["odds-and-ends"],"source":"AGENTS.md:36","origin":"bullets:AGENTS.md#51788b0683f4"}"#,
        ]
    );
    assert_eq!((imported.known_rows, problems(&imported)), (1, vec![]));
    assert_import_is_idempotent(ImportFormat::Bullets, &[("AGENTS.md", INSTRUCTIONS)], 7);
}

#[test]
fn unreadable_items_are_reported() {
    let texts = [("a.md", "- \n- kept\n"), ("b.md", "Prose.\n"), ("c.md", "- x\n<<<<<<< HEAD\n")];
    let imported = import(ImportFormat::Bullets, &texts);
    assert_eq!(imported.records.len(), 1);
    assert_eq!(
        problems(&imported),
        [
            "a.md:1: this list item is empty",
            "b.md:1: the file contains no list (only list items are imported, one fact per item)",
            "c.md:2: a git conflict marker; the file is left out until the merge is finished (resolve the conflict and remove the marker lines)",
        ]
    );
}
