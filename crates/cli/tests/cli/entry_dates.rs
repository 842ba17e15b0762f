//! The dates of entries: stated, recorded when added, from the commit, or from the file.

use heirloom_testkit::{TEAM, Workspace};
use serde_json::Value;

use crate::HEIR;

const AGENT: &str = "plans/0042-graph/agents/001-schema.memory.md";

/// A memory document from long ago.
const OLD: &str = "---\nagent: 001-schema\ncreated: 2025-06-01\nupdated: 2025-06-01\n---\n\n## Findings\n\n- Otters hold hands (date: 2025-06-01)\n\n## Blockers\n\n## Session Log\n";

fn team() -> Workspace {
    let team = Workspace::with(HEIR, TEAM);
    team.write(AGENT, OLD);
    team.write(".gitattributes", "*.memory.md merge=union\n");
    team.commit_all("2025-06-01T00:00:00Z");
    team
}

fn add_finding(team: &Workspace, day: &str, text: &str) {
    let now = format!("{day}T10:00:00Z");
    team.run_at(&now, &["memory", "add", "0042", "001", "finding", text]).ok();
}

/// Returns the hit of a recall whose text begins with a prefix.
fn hit(team: &Workspace, arguments: &str, prefix: &str) -> Option<Value> {
    let answer = team.json(&format!("recall {arguments}"));
    let hits = answer["hits"].as_array().unwrap().clone();
    hits.into_iter().find(|hit| hit["text"].as_str().unwrap().starts_with(prefix))
}

/// Returns the date that `memory show` gives an entry.
fn shown_date(team: &Workspace, prefix: &str) -> Option<String> {
    let shown = team.json("memory show 0042 001");
    let entries = shown["entries"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["text"].as_str().unwrap().starts_with(prefix));
    let entry = entry.unwrap_or_else(|| panic!("{prefix}: {shown:#}"));
    entry["date"].as_str().map(str::to_owned)
}

/// Rewrites the memory document by hand.
fn rewrite(team: &Workspace, old: &str, new: &str) {
    let text = team.read(AGENT);
    assert!(text.contains(old), "{text}");
    team.write(AGENT, text.replace(old, new));
}

#[test]
fn a_finding_has_the_date_on_which_it_was_added() {
    let team = team();
    add_finding(&team, "2026-02-20", "Walruses sleep on the ice");
    let walrus = hit(&team, "walruses", "Walruses").unwrap();
    assert_eq!((&walrus["at"], &walrus["freshness"]), (&"2026-02-20".into(), &"fresh".into()));
    assert_eq!(walrus["text"], "Walruses sleep on the ice");
    assert_eq!(hit(&team, "walruses --as-of 2025-07-01", "Walruses"), None);
    assert!(hit(&team, "walruses --as-of 2026-02-20", "Walruses").is_some());
    assert!(hit(&team, "otters --as-of 2025-07-01", "Otters").is_some());
    assert!(hit(&team, "what did we learn this week", "Walruses").is_some());
    assert_eq!(hit(&team, "what did we learn this week", "Otters"), None);
}

#[test]
fn a_reworded_entry_keeps_its_date_and_its_id_does_not_depend_on_it() {
    let team = team();
    add_finding(&team, "2026-02-10", "Walruses sleep on the ice");
    team.commit_all("2026-02-15T00:00:00Z");
    rewrite(&team, "Walruses sleep on the ice", "Walruses nap on the ice");
    team.commit_all("2026-02-21T00:00:00Z");
    assert_eq!(shown_date(&team, "Walruses").as_deref(), Some("2026-02-10"));
    assert_eq!(hit(&team, "walruses", "Walruses").unwrap()["at"], "2026-02-10");
    let id = |team: &Workspace| team.json("memory show 0042 001")["entries"][1]["id"].clone();
    let before = id(&team);
    rewrite(&team, " <!-- added:2026-02-10 -->", "");
    assert_eq!(id(&team), before);
    rewrite(&team, "Walruses nap on the ice", "Walruses nap on the ice <!-- 2026-02-11 -->");
    assert_eq!(id(&team), before);
    assert_eq!(shown_date(&team, "Walruses").as_deref(), Some("2026-02-11"));
}

#[test]
fn a_handwritten_entry_has_the_date_of_the_commit_that_introduced_it() {
    let team = team();
    rewrite(&team, "\n\n## Blockers\n", "\n- Walruses swim\n\n## Blockers\n\n- [ ] No boat\n");
    // An uncommitted entry has the date of its file.
    assert_eq!(hit(&team, "walruses", "Walruses").unwrap()["at"], "2025-06-01");
    team.commit_all("2026-02-17T00:00:00Z");
    assert_eq!(hit(&team, "walruses", "Walruses").unwrap()["at"], "2026-02-17");
    assert_eq!(hit(&team, "walruses --as-of 2026-02-16", "Walruses"), None);
    // Only a commit that changes the line of an entry changes its date.
    rewrite(&team, "- Walruses swim\n", "- Walruses swim\n- Narwhals sing\n");
    team.commit_all("2026-02-18T00:00:00Z");
    rewrite(&team, "Narwhals sing", "Narwhals hum");
    team.commit_all("2026-02-19T00:00:00Z");
    for (word, day) in [("Walruses", "2026-02-17"), ("Narwhals", "2026-02-19")] {
        assert_eq!(hit(&team, word, word).unwrap()["at"], day);
        assert_eq!(shown_date(&team, word).as_deref(), Some(day));
    }
    assert!(team.has(".heirloom/cache/line-dates"));
    team.write(".heirloom/cache/line-dates", "damaged\n\0\t\n");
    assert_eq!(shown_date(&team, "Walruses").as_deref(), Some("2026-02-17"));
}

#[test]
fn commands_that_rewrite_a_line_keep_its_date() {
    let team = team();
    rewrite(&team, "\n\n## Blockers\n", "\n- Walruses swim\n\n## Blockers\n\n- [ ] No boat\n");
    team.commit_all("2026-02-17T00:00:00Z");
    team.run(&["memory", "resolve", "0042", "001", "blocker-1", "bought one"]).ok();
    team.run(&["memory", "promote", "0042", "001", "finding-2"]).ok();
    let text = team.read(AGENT);
    assert!(text.contains("- [x] ~~No boat~~ — bought one <!-- added:2026-02-17 -->"), "{text}");
    team.commit_all("2026-02-21T00:00:00Z");
    assert_eq!(shown_date(&team, "No boat").as_deref(), Some("2026-02-17"));
    assert_eq!(shown_date(&team, "Walruses").as_deref(), Some("2026-02-17"));
    let plan = team.json("memory show 0042 --plan");
    assert_eq!(plan["entries"][0]["date"], "2026-02-17", "{plan:#}");
}

#[test]
fn a_union_merge_keeps_the_dates_of_both_branches() {
    let team = team();
    team.git(&["checkout", "--quiet", "-b", "other"]);
    add_finding(&team, "2026-02-10", "Walruses swim");
    add_finding(&team, "2026-02-12", "Both saw a seal");
    team.commit_all("2026-02-20T00:00:00Z");
    team.git(&["checkout", "--quiet", "main"]);
    add_finding(&team, "2026-02-11", "Narwhals sing");
    add_finding(&team, "2026-02-13", "Both saw a seal");
    team.commit_all("2026-02-20T00:00:00Z");
    team.git_at(&["merge", "--quiet", "other"], "2026-02-21T00:00:00Z");
    for (word, day) in
        [("Walruses", "2026-02-10"), ("Narwhals", "2026-02-11"), ("Both", "2026-02-12")]
    {
        assert_eq!(shown_date(&team, word).as_deref(), Some(day), "{}", team.read(AGENT));
        assert_eq!(hit(&team, word, word).unwrap()["at"], day);
    }
    let shown = team.json("memory show 0042 001");
    assert_eq!(shown["findings"].as_array().unwrap().len(), 4, "{shown:#}");
}

#[test]
fn an_entry_older_than_a_shallow_clone_has_no_date() {
    let origin = team();
    rewrite(&origin, "\n\n## Blockers\n", "\n- Walruses swim\n\n## Blockers\n");
    origin.commit_all("2026-02-10T00:00:00Z");
    rewrite(&origin, "- Walruses swim\n", "- Walruses swim\n- Narwhals sing\n");
    origin.commit_all("2026-02-20T00:00:00Z");
    let clone = Workspace::empty(HEIR);
    let url = format!("file://{}", origin.path().display());
    clone.git(&["clone", "--quiet", "--depth", "2", &url, "."]);
    assert_eq!(shown_date(&clone, "Narwhals").as_deref(), Some("2026-02-20"));
    assert_eq!(shown_date(&clone, "Walruses"), None);
    let walrus = hit(&clone, "walruses", "Walruses").unwrap();
    assert_eq!((&walrus["at"], &walrus["freshness"]), (&Value::Null, &"unknown".into()));
    let shown = clone.json("graph show 0042/001/finding-2");
    assert_eq!(shown["node"]["staleness"], "unknown", "{shown:#}");
    clone.git(&["fetch", "--quiet", "--unshallow"]);
    assert_eq!(shown_date(&clone, "Walruses").as_deref(), Some("2026-02-10"));
    assert_eq!(hit(&clone, "walruses", "Walruses").unwrap()["at"], "2026-02-10");
}

#[test]
fn without_git_an_entry_has_the_date_of_its_file() {
    let team = Workspace::with(HEIR, TEAM);
    team.write(AGENT, OLD.replace(" (date: 2025-06-01)", ""));
    assert_eq!(shown_date(&team, "Otters").as_deref(), Some("2025-06-01"));
    team.write(
        AGENT,
        "---\ncreated: 2025-06-01\nupdated: 2026-02-03\n---\n## Findings\n- Otters\n",
    );
    assert_eq!(shown_date(&team, "Otters").as_deref(), Some("2026-02-03"));
    assert_eq!(hit(&team, "otters", "Otters").unwrap()["at"], "2026-02-03");
    assert!(!team.has(".heirloom/cache/line-dates"));
}
