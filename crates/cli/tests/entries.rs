//! How the entries of memory documents are named, shown and kept.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heirloom_testkit::{TEAM, Workspace};

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

fn team() -> Workspace {
    Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM)
}

#[test]
fn resolved_prose_holds_no_marker_comments() {
    let team = team();
    team.run(&["memory", "session", "0042", "001", "Drew the tables"]).ok();
    team.run(&["memory", "add", "0042", "001", "finding", "FTS5 is slow"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-1"]).ok();
    let text = team.read(AGENT);
    assert!(text.contains("<!-- session:") && text.contains("promoted:"), "{text}");
    let own = "\n<!-- a person's own comment -->\n\n```html\n<!-- id:0123456789ab -->\n```\n\n  <!-- id:0123456789ab -->\n";
    team.write(AGENT, format!("{text}{own}"));
    let resolved = team.json("context resolve 0042 001");
    let layers = resolved["layers"].as_array().unwrap();
    let prose: String = layers.iter().map(|layer| layer["prose"].as_str().unwrap()).collect();
    for kept in [
        "- Drew the tables\n",
        "### Session 1 — 2026-02-22\n",
        "- FTS5 is slow\n",
        "- FTS5 is slow (found by: 001-schema)\n",
        "<!-- a person's own comment -->",
        "```html\n<!-- id:0123456789ab -->\n```\n",
    ] {
        assert!(prose.contains(kept), "{kept:?} is not in\n{prose}");
    }
    assert_eq!(prose.matches("<!-- ").count(), 2, "{prose}");
}
