//! Work sessions that end automatically, and to which session calls and records belong.

use std::process::Command;

use heirloom_testkit::{McpClient, TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

const LATER: &str = "2026-02-24T00:00:00Z";

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

/// Starts a server and a work session, and makes two calls.
fn working_client(team: &Workspace) -> McpClient {
    let mut client = McpClient::open(team.command().arg("mcp").env("HEIRLOOM_AGENT", "planner"));
    client.call_for_text("session_start", &json!({"title": "Refunds"}));
    client.call_for_text(
        "memory_store",
        &json!({"content": "Refunds are events", "section": "decisions"}),
    );
    client.call_for_text("memory_recall", &json!({"query": "refunds"}));
    client
}

/// Returns the only episode.
fn episode(team: &Workspace) -> Value {
    let listed = team.json("episode list");
    let [episode] = listed["hits"].as_array().unwrap().as_slice() else { panic!("{listed}") };
    record(team, episode)
}

fn record(team: &Workspace, episode: &Value) -> Value {
    team.json(&format!("episode show {}", episode["id"].as_str().unwrap()))["record"].take()
}

fn open_sessions(team: &Workspace) -> usize {
    team.json("session list")["sessions"].as_array().unwrap().len()
}

#[test]
fn a_session_ends_when_the_server_loses_its_client() {
    let team = team();
    working_client(&team).close();
    let episode = episode(&team);
    assert_eq!(episode["title"], "Refunds", "{episode}");
    assert_eq!((&episode["tool_calls"], &episode["turns"]), (&json!(2), &json!(1)), "{episode}");
    assert_eq!(episode["by"], "planner", "{episode}");
    assert_eq!(episode["stored"].as_array().map(Vec::len), Some(1), "{episode}");
    assert_eq!(open_sessions(&team), 0);
}

#[cfg(unix)]
#[test]
fn a_session_ends_when_the_server_is_asked_to_stop() {
    let team = team();
    let client = working_client(&team);
    let id = client.process_id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    client.close();
    assert_eq!(episode(&team)["tool_calls"], 2);
}

#[test]
fn only_the_sessions_of_the_client_end_with_it() {
    let team = team();
    team.heir("session start Search").ok();
    working_client(&team).close();
    assert_eq!(open_sessions(&team), 1);
}

#[test]
fn the_next_command_ends_a_session_that_was_left_open() {
    let team = team();
    // The server is killed, so it cannot end the session.
    drop(working_client(&team));
    assert_eq!(open_sessions(&team), 1);
    team.run_at("2026-02-22T11:00:00Z", &["adr", "list"]).ok();
    assert_eq!(open_sessions(&team), 1, "12 hours have not passed");
    team.run_at(LATER, &["adr", "list"]).ok();
    let episode = episode(&team);
    assert_eq!(
        (&episode["tool_calls"], &episode["by"]),
        (&json!(2), &json!("planner")),
        "{episode}"
    );
    assert_eq!(episode["duration_seconds"], 0, "the time of the last call counts: {episode}");
    team.run_at(LATER, &["adr", "list"]).ok();
    assert_eq!(team.json("episode list")["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn a_setting_says_how_long_a_session_may_be_left_open() {
    let team = team();
    team.write(".heirloom/config.toml", "[memory]\nsession_hours = 72\n");
    team.heir("session start Refunds").ok();
    team.run_at(LATER, &["adr", "list"]).ok();
    assert_eq!(open_sessions(&team), 1);
    team.write(".heirloom/config.toml", "[memory]\nsession_hours = 24\n");
    team.run_at("2026-02-26T00:00:00Z", &["adr", "list"]).ok();
    assert_eq!(open_sessions(&team), 0);
}

#[test]
fn a_session_that_was_left_open_has_only_what_was_done_in_it() {
    let team = team();
    team.commit_all("2026-02-21T00:00:00Z");
    team.heir("session start Refunds").ok();
    let add = ["fact", "add", "Refunds are events", "--section", "Decisions"];
    team.run_at("2026-02-22T01:00:00Z", &add).ok();
    team.write("src/refund.rs", "fn refund() {}");
    team.git(&["add", "--all"]);
    team.git_at(&["commit", "--quiet", "--message", "late"], "2026-02-23T12:00:00Z");
    team.run_at(LATER, &["adr", "list"]).ok();
    let episode = episode(&team);
    assert_eq!(episode.get("commits"), None, "{episode}");
    assert_eq!(episode["duration_seconds"], 3600, "{episode}");
}

#[test]
fn a_session_that_was_left_open_can_be_ended_by_hand() {
    let team = team();
    team.heir("session start Refunds").ok();
    team.run_at(LATER, &["session", "end", "--outcome", "Done"]).ok();
    let episode = episode(&team);
    assert_eq!(
        (&episode["outcome"], &episode["duration_seconds"]),
        (&json!("Done"), &json!(172_800))
    );
}

#[test]
fn commands_count_for_the_open_session_and_nothing_is_made_up() {
    let team = team();
    team.heir("session start Refunds").ok();
    team.heir("session end").ok();
    let silent = episode(&team);
    assert!(silent.get("tool_calls").is_none() && silent.get("turns").is_none(), "{silent}");
    team.heir("session start Search").ok();
    team.heir("adr list").ok();
    team.heir("session end --title Found").ok();
    let listed = team.json("episode list Found");
    let found = record(&team, &listed["hits"][0]);
    assert_eq!(found["tool_calls"], 1, "{found}");
}

#[test]
fn a_client_ends_its_own_session() {
    let team = team();
    let open = |agent: &str| {
        McpClient::open(team.command().args(["mcp", "--structured"]).env("HEIRLOOM_AGENT", agent))
    };
    let (mut alice, mut bob) = (open("alice"), open("bob"));
    alice.call("session_start", &json!({"title": "Refunds"}));
    let refused = bob.call_for_text("session_end", &json!({}));
    assert!(refused.contains("no session of yours is open"), "{refused}");
    bob.call("session_start", &json!({"title": "Search"}));
    assert_eq!(alice.call("session_end", &json!({}))["text"], "Refunds");
    assert_eq!(bob.call("session_end", &json!({}))["text"], "Search");
}

#[test]
fn what_others_do_is_not_part_of_the_session_of_a_connection() {
    let team = team();
    let mut dead = working_client(&team);
    dead.call_for_text("memory_recall", &json!({"query": "refunds"}));
    drop(dead);
    // The same author goes on elsewhere.
    let mut client = McpClient::open(
        team.command().args(["mcp", "--structured"]).env("HEIRLOOM_AGENT", "planner"),
    );
    client.call("memory_store", &json!({"content": "Carts expire", "section": "specs"}));
    client.call("session_start", &json!({"title": "Carts"}));
    client.call("memory_store", &json!({"content": "Carts hold ten items", "section": "specs"}));
    let ended = client.call("session_end", &json!({}));
    let episode = record(&team, &ended);
    assert_eq!((&episode["title"], &episode["tool_calls"]), (&json!("Carts"), &json!(1)));
    assert_eq!(episode["stored"].as_array().map(Vec::len), Some(1), "{episode}");
    team.run_at(LATER, &["adr", "list"]).ok();
    let listed = team.json("episode list Refunds");
    assert_eq!(record(&team, &listed["hits"][0])["tool_calls"], 3, "{listed}");
}

#[test]
fn the_title_of_a_session_is_checked_for_secrets() {
    let team = team();
    let token = format!("key ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).split_at(36).0);
    let refused = team.run(&["session", "start", &token]).failed(2);
    assert!(refused.contains("looks like"), "{refused}");
    assert_eq!(open_sessions(&team), 0);
}
