//! Memories from conversations: what is accepted once stays accepted, and nothing that was typed is lost.

use std::fs;

use heirloom_testkit::{CommandOutput, Workspace};
use serde_json::Value;

use crate::HEIR;

const CHAT: &str = r#"{"role":"user","content":"I prefer short answers without code.","timestamp":"2026-02-10T09:00:00Z"}
{"role":"assistant","content":"Understood.","timestamp":"2026-02-10T09:01:00Z"}
{"role":"user","content":"Always cite the source of a number.","timestamp":"2026-02-10T09:02:00Z"}
"#;

fn workspace() -> Workspace {
    let workspace = Workspace::with(HEIR, "//- .heirloom/workspace.md\n# Shop\n");
    workspace.git(&["init", "--quiet", "--initial-branch=main"]);
    workspace.write("agent-transcripts/chat.jsonl", CHAT);
    workspace
}

fn proposals(workspace: &Workspace) -> Vec<Value> {
    let answer = workspace.json("cold proposals");
    answer["proposals"].as_array().unwrap().clone()
}

fn ids(workspace: &Workspace) -> Vec<String> {
    let of = |proposal: &Value| proposal["id"].as_str().unwrap().to_owned();
    proposals(workspace).iter().map(of).collect()
}

fn facts(workspace: &Workspace) -> Vec<Value> {
    let answer = workspace.json("fact list");
    let list = answer.as_array().or_else(|| answer["hits"].as_array());
    list.unwrap_or_else(|| panic!("{answer}")).clone()
}

fn state(workspace: &Workspace) -> std::path::PathBuf {
    workspace.path().join(".git/heirloom/extraction/proposals.json")
}

/// Runs `heir` with an editor that replaces the file with another one.
fn edit(workspace: &Workspace, typed: &str) -> CommandOutput {
    workspace.write("typed.txt", typed);
    let typed = workspace.path().join("typed.txt");
    let mut command = workspace.command();
    command.env("VISUAL", format!("cp '{}'", typed.display()));
    CommandOutput::of(&command.args(["cold", "extract", "--edit"]).output().unwrap())
}

#[test]
fn a_process_that_ends_after_storing_proposes_nothing_twice() {
    let workspace = workspace();
    let before = ids(&workspace);
    assert_eq!(before.len(), 2);
    let kept = fs::read(state(&workspace)).unwrap();
    workspace.run(&["cold", "accept", &before[0]]).ok();
    // As if the process had been killed before it noted what it had stored.
    fs::write(state(&workspace), &kept).unwrap();
    assert_eq!(ids(&workspace), before[1..]);
    fs::write(state(&workspace), &kept).unwrap();
    let shown = workspace.run(&["cold", "accept", &before[0], &before[1]]).ok();
    assert!(shown.contains("accepted already"), "{shown}");
    assert_eq!(facts(&workspace).len(), 2);
    assert_eq!(ids(&workspace), [""; 0]);
}

#[test]
fn what_another_clone_accepted_is_not_proposed() {
    let workspace = workspace();
    let accepted = ids(&workspace);
    workspace.commit_all("2026-02-20T00:00:00Z");
    let clone = workspace.clone_repository();
    workspace.run(&["cold", "accept", &accepted[1]]).ok();
    for shard in workspace.shards("fact") {
        clone.write(&shard, workspace.bytes(&shard));
    }
    assert_eq!(ids(&clone), accepted[..1]);
}

#[test]
fn accepting_stores_all_or_nothing() {
    let workspace = workspace();
    let all = ids(&workspace);
    let secret = format!("{}=The key is AKIAIOSFODNN7EXAMPLQ.", all[1]);
    let refused = workspace.run(&["cold", "accept", &all[0], "--texts", &secret]).failed(2);
    assert!(refused.contains("looks like"), "{refused}");
    assert_eq!(facts(&workspace).len(), 0);
    assert_eq!(ids(&workspace), all);
}

#[test]
fn a_transcript_that_grows_proposes_only_what_is_new() {
    let workspace = workspace();
    let first = ids(&workspace);
    workspace.run(&["cold", "drop", &first[0], &first[1]]).ok();
    assert_eq!(ids(&workspace), [""; 0]);
    let more =
        r#"{"role":"user","content":"Never round a price up.","timestamp":"2026-02-11T09:00:00Z"}"#;
    workspace.write("agent-transcripts/chat.jsonl", format!("{CHAT}{more}\n"));
    let mut later = proposals(&workspace);
    later.retain(|proposal| proposal["kind"] != "episode");
    assert_eq!(later.len(), 1, "{later:?}");
    assert_eq!(later[0]["source"], "agent-transcripts/chat.jsonl:4");
    workspace.run(&["cold", "drop", "--undo", &first[0]]).ok();
    assert_eq!(ids(&workspace).len(), 3);
}

#[test]
fn ids_of_dropped_proposals_are_compared_like_others() {
    let workspace = workspace();
    let all = ids(&workspace);
    let shown = workspace.run(&["cold", "drop", &all[0], &all[0]]).ok();
    assert_eq!(shown.matches(&all[0][4..]).count(), 1, "{shown}");
    // A shorter end could be that of another proposal.
    let end = &all[0][all[0].len() - 3..];
    let error = workspace.run(&["cold", "drop", "--undo", end]).failed(2);
    assert!(error.contains("no dropped proposal"), "{error}");
    workspace.run(&["cold", "drop", "--undo", &all[0], &all[0]]).ok();
    assert_eq!(ids(&workspace).len(), 2);
}

#[test]
fn a_review_with_a_mistake_is_kept_and_goes_on() {
    let workspace = workspace();
    let all = ids(&workspace);
    let review = workspace.path().join(".git/heirloom/extraction/review.txt");
    let wrong = format!("accept {}\n    Cite every source.\nacept {}\n    Text.\n", all[1], all[0]);
    let error = edit(&workspace, &wrong).failed(2);
    assert!(error.contains("review.txt:3: `acept` is no decision"), "{error}");
    assert!(error.contains("did you mean `accept`?"), "{error}");
    assert_eq!(fs::read_to_string(&review).unwrap(), wrong);
    assert_eq!(facts(&workspace).len(), 0);
    // The next review begins with what was typed.
    let mut command = workspace.command();
    let editor = "sed -i -e s/acept/drop/";
    let output = command.env("VISUAL", editor).args(["cold", "extract", "--edit"]).output();
    CommandOutput::of(&output.unwrap()).ok();
    assert!(!review.exists());
    let facts = facts(&workspace);
    assert_eq!(facts.len(), 1);
    assert_eq!(facts[0]["text"], "Cite every source.");
    assert_eq!(ids(&workspace), [""; 0]);
}

#[test]
fn a_review_that_is_no_text_can_be_corrected() {
    let workspace = workspace();
    let all = ids(&workspace);
    let review = workspace.path().join(".git/heirloom/extraction/review.txt");
    fs::write(&review, b"\xff").unwrap();
    let mut command = workspace.command();
    let output = command.env("VISUAL", "true").args(["cold", "extract", "--edit"]).output();
    let error = CommandOutput::of(&output.unwrap()).failed(4);
    assert!(error.contains("opens the same text again"), "{error}");
    edit(&workspace, &format!("drop {}\n", all[0])).ok();
    assert!(!review.exists());
    assert_eq!(ids(&workspace), all[1..]);
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let workspace = workspace();
    let all = ids(&workspace);
    let id = all[0].as_str();
    for options in [["--accept", id, "--accept-all"], ["--drop", id, "--list"]] {
        let command: Vec<&str> = ["cold", "extract"].into_iter().chain(options).collect();
        let error = workspace.run(&command).failed(2);
        assert!(error.contains("cannot be used with"), "{error}");
    }
    assert_eq!(ids(&workspace), all);
}

#[test]
fn damaged_lines_are_reported_by_commands_that_decide() {
    let workspace = workspace();
    workspace.write("agent-transcripts/chat.jsonl", format!("{CHAT}damaged\n"));
    let output = workspace.run(&["cold", "extract", "--accept-all"]);
    assert!(output.stderr.contains("chat.jsonl:4: this is not JSON"), "{}", output.stderr);
    output.ok();
    assert_eq!(facts(&workspace).len(), 2);
}

#[test]
fn a_damaged_state_is_kept_and_reported() {
    let workspace = workspace();
    let all = ids(&workspace);
    fs::write(state(&workspace), "{").unwrap();
    let answer = workspace.json("cold proposals");
    let message = answer["problems"][0]["message"].as_str().unwrap();
    assert!(message.contains("are made again"), "{message}");
    assert_eq!(answer["proposals"].as_array().unwrap().len(), all.len());
    assert!(state(&workspace).with_file_name("proposals.damaged-1").exists());
    // A command that finds no proposal for this reason says so.
    fs::write(state(&workspace), "{").unwrap();
    let error = workspace.run(&["cold", "drop", &all[0]]).failed(2);
    assert!(error.contains("proposals.damaged-2"), "{error}");
    fs::write(state(&workspace), "{").unwrap();
    let shown = workspace.run(&["cold", "accept", "--all"]).ok();
    assert!(shown.contains("proposals.damaged-3"), "{shown}");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_workspace_is_not_read() {
    let workspace = workspace();
    let outside = tempfile_with(CHAT.replace("short", "very long"));
    let link = workspace.path().join("agent-transcripts/other.jsonl");
    std::os::unix::fs::symlink(outside.path().join("chat.jsonl"), link).unwrap();
    let answer = workspace.json("cold proposals");
    assert!(!answer["proposals"].to_string().contains("very long"), "{answer}");
    let typed = outside.path().join("chat.jsonl").display().to_string();
    workspace.run(&["cold", "proposals", &typed]).failed(2);
    // A person may name any file of theirs.
    let shown = workspace.run(&["cold", "extract", &typed]).ok();
    assert!(shown.contains("very long"), "{shown}");
}

#[cfg(unix)]
fn tempfile_with(text: String) -> Workspace {
    let outside = Workspace::empty(HEIR);
    outside.write("chat.jsonl", text);
    outside
}

const PROFILE: &str = "agent/rules/common/user-profile.md";
const CONVENTIONS: &str = "agent/rules/common/global-conventions.md";

fn workspace_with_rules() -> Workspace {
    let workspace = workspace();
    workspace.write(
        PROFILE,
        "<!-- budget: 8 lines -->\n# User profile\n\n## Preferences\n\n- Answers: in English.\n",
    );
    workspace.write(CONVENTIONS, "# Global conventions\n");
    workspace
}

#[test]
fn accepted_statements_can_go_to_the_rules() {
    let workspace = workspace_with_rules();
    let profile = workspace.read(PROFILE);
    let shown = workspace.run(&["cold", "extract", "--accept-all", "--to", "hot"]).ok();
    assert!(shown.contains("user-profile.md:7  I prefer short answers without code."), "{shown}");
    let added = format!("{profile}- I prefer short answers without code.\n");
    assert_eq!(workspace.read(PROFILE), added);
    let added = "# Global conventions\n\n## Patterns\n\n- Always cite the source of a number.\n";
    assert_eq!(workspace.read(CONVENTIONS), added);
    assert_eq!(facts(&workspace).len(), 0);
    assert_eq!(ids(&workspace), [""; 0]);
}

#[test]
fn what_a_rule_says_is_neither_proposed_nor_added_again() {
    let workspace = workspace_with_rules();
    workspace
        .write(CONVENTIONS, "# Global conventions\n\n* always cite the\n  source of a number\n");
    let all = ids(&workspace);
    assert_eq!(all.len(), 1);
    let before = workspace.read(CONVENTIONS);
    let texts = format!("{}=Always cite the source of a number", all[0]);
    let shown = workspace.run(&["cold", "accept", "--texts", &texts, "--to", "hot"]).ok();
    assert!(shown.contains("global-conventions.md:3 already"), "{shown}");
    assert_eq!(workspace.read(CONVENTIONS), before);
    assert_eq!(ids(&workspace), [""; 0]);
}

#[test]
fn a_rule_that_would_exceed_its_budget_is_not_changed() {
    let workspace = workspace_with_rules();
    let profile = workspace.read(PROFILE).replace("8 lines", "6 lines");
    workspace.write(PROFILE, &profile);
    let conventions = workspace.read(CONVENTIONS);
    let all = ids(&workspace);
    let error = workspace.run(&["cold", "accept", "--all", "--to", "hot"]).failed(2);
    assert!(error.contains("would exceed its budget: 7 of 6 lines"), "{error}");
    assert_eq!(workspace.read(PROFILE), profile);
    assert_eq!(workspace.read(CONVENTIONS), conventions);
    assert_eq!(ids(&workspace), all);
    fs::remove_file(workspace.path().join(PROFILE)).unwrap();
    let error = workspace.run(&["cold", "accept", "--all", "--to", "hot"]).failed(2);
    assert!(error.contains("heir hot init"), "{error}");
    let private = ["cold", "accept", "--all", "--to", "hot", "--private"];
    let error = workspace.run(&private).failed(2);
    assert!(error.contains("in git"), "{error}");
    workspace.run(&["cold", "accept", "--all"]).ok();
    assert_eq!(facts(&workspace).len(), 2);
}

#[test]
fn a_later_statement_replaces_the_rule_or_the_fact_of_an_earlier_one() {
    for place in ["hot", "facts"] {
        let workspace = workspace_with_rules();
        workspace.run(&["cold", "extract", "--accept-all", "--to", place]).ok();
        let later = r#"{"role":"user","content":"From now on I prefer long answers with code instead of short ones.","timestamp":"2026-02-21T09:00:00Z"}"#;
        workspace.write("agent-transcripts/later.jsonl", format!("{later}\n"));
        let found = proposals(&workspace);
        assert!(found[0]["replaces"].is_object(), "{found:?}");
        let id = found[0]["id"].as_str().unwrap();
        workspace.run(&["cold", "accept", id, "--to", "hot"]).ok();
        let rules = workspace.read(PROFILE) + &workspace.read(CONVENTIONS);
        assert!(rules.contains("- From now on I prefer long answers"), "{rules}");
        assert!(!rules.contains("short answers"), "{rules}");
        let facts = Value::from(facts(&workspace)).to_string();
        assert!(!facts.contains("short answers"), "{facts}");
    }
}

/// Runs the review on a terminal.
#[cfg(target_os = "linux")]
fn review_on_terminal(workspace: &Workspace, typed: &str) -> String {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    let mut script = Command::new("script");
    script.current_dir(workspace.path());
    for (key, value) in workspace.command().get_envs() {
        match value {
            Some(value) => script.env(key, value),
            None => script.env_remove(key),
        };
    }
    let line = format!("{HEIR} cold extract");
    script.env("VISUAL", "false").args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    CommandOutput::of(&child.wait_with_output().unwrap()).ok()
}

#[cfg(target_os = "linux")]
#[test]
fn proposals_are_reviewed_one_by_one_on_a_terminal() {
    let workspace = workspace();
    let shown = review_on_terminal(&workspace, "x\nd\na\n");
    assert!(shown.contains("1 of 2") && shown.contains("`x` is none of these"), "{shown}");
    let facts = facts(&workspace);
    assert_eq!(facts.len(), 1, "{shown}");
    assert_eq!(ids(&workspace), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_editor_that_fails_loses_no_decision() {
    let workspace = workspace();
    let all = ids(&workspace);
    let shown = review_on_terminal(&workspace, "a\ne\n");
    assert!(shown.contains("false ended with"), "{shown}");
    assert_eq!(facts(&workspace).len(), 1, "{shown}");
    assert_eq!(ids(&workspace), all[1..]);
}
