//! The conversation that `compact` and `session end` read: text, a path, or a session file of a client.

use std::time::{Duration, SystemTime};

use heirloom_testkit::{CLAUDE_CODE_FOLDER, CODEX_FOLDER, McpClient, TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

const SESSION: &str = "0f3c1c5e-1111-4222-8333-444455556666";
const CODEX_FILE: &str = "sessions/2026/02/21/rollout-2026-02-21T09-00-00-c0de.jsonl";

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

fn server(team: &Workspace, client: &str) -> McpClient {
    McpClient::open_as(client, team.command().args(["mcp", "--structured"]))
}

/// Starts a server whose clients keep their files in another folder.
fn server_with_home(team: &Workspace, home: &Workspace) -> McpClient {
    let mut command = team.command();
    command.env("CLAUDE_CONFIG_DIR", home.path().join(CLAUDE_CODE_FOLDER));
    command.env("CODEX_HOME", home.path().join(CODEX_FOLDER));
    McpClient::open_as("test", command.args(["mcp", "--structured"]))
}

/// Returns lines of Claude Code: a request of the user, and a reply for each of the other texts.
fn claude_code_lines(folder: &str, texts: &[&str]) -> String {
    let line = |(at, text): (usize, &&str)| {
        let role = if at == 0 { "user" } else { "assistant" };
        let line = json!({
            "type": role, "uuid": format!("u{at}"), "sessionId": SESSION, "cwd": folder,
            "timestamp": format!("2026-02-21T09:{at:02}:00Z"),
            "message": {"role": role, "content": text},
        });
        format!("{line}\n")
    };
    texts.iter().enumerate().map(line).collect()
}

/// Writes a session file of Claude Code, and returns its path.
fn write_claude_code(team: &Workspace, folder: &str, texts: &[&str]) -> String {
    let slug: String =
        folder.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let path = format!("{CLAUDE_CODE_FOLDER}/projects/{slug}/{SESSION}.jsonl");
    team.write(&path, claude_code_lines(folder, texts));
    team.path().join(path).display().to_string()
}

/// Writes the file of a subagent of Claude Code, and returns its path.
fn write_subagent(team: &Workspace, folder: &str, texts: &[&str]) -> String {
    let path = write_claude_code(team, folder, texts);
    let path = path.strip_suffix(".jsonl").unwrap().to_owned() + "/subagents/agent-1.jsonl";
    std::fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
    std::fs::write(&path, claude_code_lines(folder, texts)).unwrap();
    path
}

/// Writes a session file of Codex, and returns its path.
fn write_codex(team: &Workspace, folder: &str, request: &str) -> String {
    let meta = json!({"timestamp": "2026-02-21T09:00:00Z", "type": "session_meta",
        "payload": {"id": "c0de", "cwd": folder}});
    let message = json!({"timestamp": "2026-02-21T09:01:00Z", "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": request}]}});
    let path = format!("{CODEX_FOLDER}/{CODEX_FILE}");
    team.write(&path, format!("{meta}\n{message}\n"));
    team.path().join(path).display().to_string()
}

fn root(team: &Workspace) -> String {
    std::fs::canonicalize(team.path()).unwrap().display().to_string()
}

fn episodes(team: &Workspace) -> Vec<Value> {
    let listed = team.json("episode list");
    listed["hits"].as_array().unwrap().clone()
}

fn record(team: &Workspace, episode: &Value) -> Value {
    team.json(&format!("episode show {}", episode["id"].as_str().unwrap()))["record"].take()
}

#[test]
fn without_an_argument_the_newest_session_file_is_read() {
    let team = team();
    write_claude_code(
        &team,
        &root(&team),
        &["Make refunds idempotent.", "Refunds have a key now."],
    );
    let mut client = server(&team, "claude-code");
    let brief = client.call("memory_compact", &json!({}));
    assert_eq!(brief["title"], "Make refunds idempotent", "{brief}");
    assert!(brief["transcript"].as_str().unwrap().ends_with(".jsonl"), "{brief}");
    assert_eq!(episodes(&team).len(), 1);
}

#[test]
fn a_client_reads_its_own_session_files() {
    let team = team();
    let claude = write_claude_code(&team, &root(&team), &["Make refunds idempotent."]);
    write_codex(&team, &root(&team), "Split the ledger.");
    let past = SystemTime::now() - Duration::from_secs(600);
    std::fs::File::options().append(true).open(claude).unwrap().set_modified(past).unwrap();
    for (client, title) in [
        ("claude-code", "Make refunds idempotent"),
        ("codex-mcp-client", "Split the ledger"),
        ("another", "Split the ledger"),
    ] {
        let brief = server(&team, client).call("memory_compact", &json!({"dry_run": true}));
        assert_eq!(brief["title"], title, "{client}: {brief}");
    }
}

#[test]
fn a_path_of_an_own_session_file_is_read() {
    let (team, home) = (team(), Workspace::empty(HEIR));
    let below = format!("{}/plans", root(&team));
    for path in [
        write_claude_code(&home, &below, &["Make refunds idempotent."]),
        write_codex(&home, &root(&team), "Make refunds idempotent."),
        write_subagent(&home, &root(&team), &["Make refunds idempotent."]),
    ] {
        let mut client = server_with_home(&team, &home);
        let brief = client.call("memory_compact", &json!({"transcript": path}));
        assert_eq!(brief["title"], "Make refunds idempotent", "{brief}");
    }
}

#[test]
fn a_path_inside_the_workspace_is_read() {
    let team = team();
    team.write(
        "notes/talk.txt",
        "User: Make refunds idempotent.\nAgent: Refunds have a key now.\n",
    );
    let absolute = format!("{}/notes/talk.txt", root(&team));
    let url = format!("file://{absolute}");
    for path in ["notes/talk.txt", "./notes/talk.txt", "docs/../notes/talk.txt", &absolute, &url] {
        let brief = server(&team, "test")
            .call("memory_compact", &json!({"transcript": path, "dry_run": true}));
        assert_eq!(brief["title"], "Make refunds idempotent", "{path}: {brief}");
    }
    let missing = server(&team, "test")
        .call_for_text("memory_compact", &json!({"transcript": "notes/none.txt"}));
    assert!(missing.contains("notes/none.txt"), "{missing}");
}

#[test]
fn any_other_path_is_refused_and_nothing_is_stored() {
    let (team, other, home) = (team(), team(), Workspace::empty(HEIR));
    let of_other = write_claude_code(&home, &root(&other), &["The other's secret plan."]);
    let no_session = format!("{CLAUDE_CODE_FOLDER}/history.jsonl");
    home.write(&no_session, claude_code_lines(&root(&team), &["The other's secret plan."]));
    let no_session = home.path().join(no_session).display().to_string();
    other.write("talk.txt", "User: The other's secret plan.\n");
    let outside = other.path().join("talk.txt").display().to_string();
    let mut client = server_with_home(&team, &home);
    client.call("session_start", &json!({"title": "Refunds"}));
    for tool in ["memory_compact", "session_end"] {
        for path in
            [&of_other, &no_session, &outside, "/etc/passwd", "~/.ssh/id_rsa", "../talk.txt"]
        {
            let answer = client.call_for_text(tool, &json!({"transcript": path}));
            assert!(answer.contains("neither in the workspace nor a session file"), "{answer}");
        }
    }
    assert!(episodes(&team).is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_of_the_workspace() {
    let (team, other) = (team(), Workspace::empty(HEIR));
    other.write("talk.txt", "User: The other's secret plan.\n");
    std::os::unix::fs::symlink(other.path().join("talk.txt"), team.path().join("talk.txt"))
        .unwrap();
    let answer =
        server(&team, "test").call_for_text("memory_compact", &json!({"transcript": "talk.txt"}));
    assert!(!answer.contains("secret"), "{answer}");
    assert!(episodes(&team).is_empty());
}

#[test]
fn a_conversation_that_has_grown_replaces_its_episode() {
    let team = team();
    let root = root(&team);
    write_claude_code(&team, &root, &["Make refunds idempotent.", "Refunds have a key now."]);
    let first = team.json("compact");
    let again = team.json("compact");
    assert_eq!(
        (&again["already"], &again["episode"]),
        (&json!(true), &first["episode"]),
        "{again}"
    );
    write_claude_code(
        &team,
        &root,
        &["Make refunds idempotent.", "Refunds have a key now.", "The key is the id of the order."],
    );
    let grown = team.json("compact");
    assert_eq!(grown["replaces"], json!([first["episode"]]), "{grown}");
    let episodes = episodes(&team);
    assert_eq!(episodes.len(), 1, "{episodes:?}");
    assert_eq!(episodes[0]["id"], grown["episode"]);
}

#[test]
fn compacting_and_then_ending_the_session_gives_one_episode() {
    let team = team();
    let root = root(&team);
    let mut client = server(&team, "claude-code");
    client.call("session_start", &json!({"title": "Refunds"}));
    write_claude_code(&team, &root, &["Make refunds idempotent.", "Refunds have a key now."]);
    let compacted = client.call("memory_compact", &json!({}));
    let ended = client.call("session_end", &json!({"outcome": "Done"}));
    let episodes = episodes(&team);
    assert_eq!(episodes.len(), 1, "{episodes:?}");
    assert_eq!(episodes[0]["id"], ended["id"]);
    let shown = record(&team, &ended);
    assert_eq!(shown["supersedes"], json!([compacted["episode"]]), "{shown}");
    assert_eq!(
        (&shown["goals"][0], &shown["outcome"]),
        (&json!("Make refunds idempotent."), &json!("Done"))
    );
    // What was said last is what is known of the conversation, and the work stays.
    let compacted = client.call("memory_compact", &json!({}));
    assert_eq!((&compacted["already"], &compacted["episode"]), (&json!(true), &ended["id"]));
}

#[test]
fn a_conversation_without_an_id_joins_the_session_too() {
    let team = team();
    team.heir("session start Refunds").ok();
    team.write("talk.txt", "User: Make refunds idempotent.\nAgent: Refunds have a key now.\n");
    team.heir("compact talk.txt").ok();
    team.heir("session end").ok();
    let episodes = episodes(&team);
    assert_eq!(episodes.len(), 1, "{episodes:?}");
    let shown = record(&team, &episodes[0]);
    assert_eq!(
        (&shown["title"], &shown["goals"][0]),
        (&json!("Refunds"), &json!("Make refunds idempotent."))
    );
}

#[test]
fn an_old_conversation_does_not_join_a_new_session() {
    let team = team();
    let path = write_claude_code(&team, &root(&team), &["Make refunds idempotent."]);
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    std::fs::File::options().append(true).open(path).unwrap().set_modified(past).unwrap();
    team.heir("session start Search").ok();
    team.heir("session end").ok();
    let episodes = episodes(&team);
    let shown = record(&team, &episodes[0]);
    assert_eq!(shown.get("goals"), None, "{shown}");
}

#[test]
fn ending_the_session_and_then_compacting_gives_one_episode() {
    let team = team();
    let root = root(&team);
    team.heir("session start Refunds").ok();
    write_claude_code(&team, &root, &["Make refunds idempotent.", "Refunds have a key now."]);
    let ended = team.json("session end");
    let compacted = team.json("compact");
    assert_eq!((&compacted["already"], &compacted["episode"]), (&json!(true), &ended["id"]));
    let texts = ["Make refunds idempotent.", "Refunds have a key now.", "The key is the order's."];
    write_claude_code(&team, &root, &texts);
    let grown = team.json("compact");
    assert_eq!(grown["replaces"], json!([ended["id"]]), "{grown}");
    let episodes = episodes(&team);
    assert_eq!((episodes.len(), &episodes[0]["id"]), (1, &grown["episode"]), "{episodes:?}");
    assert!(episodes[0]["text"].as_str().unwrap().starts_with("Refunds"), "{episodes:?}");
}

#[test]
fn a_session_takes_the_conversation_that_it_was_started_in() {
    let team = team();
    let root = root(&team);
    let mut client = server(&team, "claude-code");
    let started = client.call("session_start", &json!({"title": "Pears"}));
    let id = &started["id"].as_str().unwrap()[28..];
    let own = format!("session started {id}");
    let path = write_claude_code(&team, &root, &["Work on pears.", &own, "Pears are green."]);
    // Another agent of the same client writes its session file later.
    let other = path.replace(SESSION, "0f3c1c5e-7777-4222-8333-444455556666");
    let text = claude_code_lines(&root, &["Work on apples.", "Apples are red."]);
    std::fs::write(other, text.replace(SESSION, "another")).unwrap();
    let ended = client.call("session_end", &json!({}));
    assert_eq!(record(&team, &ended)["goals"][0], "Work on pears.");
}

#[test]
fn a_path_in_any_form_is_no_conversation() {
    let team = team();
    team.write("my talk.TXT", "User: Make refunds idempotent.\nAgent: Refunds have a key now.\n");
    team.write("empty.txt", "");
    let mut client = server(&team, "test");
    for path in ["\"my talk.TXT\"", "`my talk.TXT`", "./my talk.TXT", "my talk.TXT"] {
        let brief = client.call("memory_compact", &json!({"transcript": path, "dry_run": true}));
        assert_eq!(brief["title"], "Make refunds idempotent", "{path}: {brief}");
    }
    for path in ["plans", ".", "..", "~", ".env", "talk.jsonl.zst", "empty.txt", "a\0b"] {
        let answer = client.call_for_text("memory_compact", &json!({"transcript": path}));
        assert!(!answer.contains("stored"), "{path}: {answer}");
    }
    assert!(episodes(&team).is_empty());
}

#[cfg(unix)]
#[test]
fn a_fifo_among_the_session_files_is_not_opened() {
    let (team, home) = (team(), Workspace::empty(HEIR));
    let folder = home.path().join(CLAUDE_CODE_FOLDER).join("projects/-x");
    std::fs::create_dir_all(&folder).unwrap();
    let fifo = folder.join("f.jsonl");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut client = server_with_home(&team, &home);
    let answer = client.call_for_text("memory_compact", &json!({"transcript": fifo}));
    assert!(answer.contains("neither in the workspace nor a session file"), "{answer}");
    let folder = team.path().join("notes");
    std::fs::create_dir_all(&folder).unwrap();
    assert!(
        std::process::Command::new("mkfifo").arg(folder.join("f.md")).status().unwrap().success()
    );
    team.heir("import notes");
}

#[test]
fn the_file_of_a_subagent_is_not_the_session() {
    let (team, home) = (team(), Workspace::empty(HEIR));
    let path = write_claude_code(&home, &root(&team), &["Make refunds idempotent."]);
    let mut client = server_with_home(&team, &home);
    let stored = client.call("memory_compact", &json!({}));
    assert_eq!(stored["title"], "Make refunds idempotent", "{stored}");
    let lines = claude_code_lines(&root(&team), &["Search the code for refunds."]);
    let lines = lines
        .replace("\"type\":\"user\"", "\"isSidechain\":true,\"agentId\":\"a7\",\"type\":\"user\"");
    let lines = lines.replace(
        "\"type\":\"assistant\"",
        "\"isSidechain\":true,\"agentId\":\"a7\",\"type\":\"assistant\"",
    );
    assert!(lines.contains("isSidechain"), "{lines}");
    let subagent = std::path::Path::new(&path).with_file_name("agent-a7.jsonl");
    std::fs::write(&subagent, &lines).unwrap();
    let newest = client.call("memory_compact", &json!({"dry_run": true}));
    assert_eq!(newest["title"], "Make refunds idempotent", "{newest}");
    // Given by its path, it is a conversation of its own.
    let own = client.call("memory_compact", &json!({"transcript": subagent.to_str().unwrap()}));
    assert_eq!(own["title"], "Search the code for refunds", "{own}");
    assert_eq!(episodes(&team).len(), 2);
}

#[test]
fn a_file_without_a_conversation_is_refused_and_skipped() {
    let (team, home) = (team(), Workspace::empty(HEIR));
    let path = write_claude_code(&home, &root(&team), &["Make refunds idempotent."]);
    let empty = std::path::Path::new(&path).with_file_name("later.jsonl");
    let line = json!({"type": "user", "sessionId": "x", "uuid": "u", "cwd": root(&team), "isMeta": true,
        "message": {"role": "user", "content": "Caveat"}});
    std::fs::write(&empty, format!("{line}\n")).unwrap();
    let newest = server_with_home(&team, &home).call("memory_compact", &json!({"dry_run": true}));
    assert_eq!(newest["title"], "Make refunds idempotent", "{newest}");
    let refused = team.run(&["compact", empty.to_str().unwrap()]).failed(2);
    assert!(refused.contains("contains no conversation"), "{refused}");
}
