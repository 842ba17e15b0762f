//! Transcripts, imports and exports, through the real binary.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read, Write};
use std::net::TcpListener;

use heirloom_testkit::{TEAM, Workspace};
use serde_json::{Value, json};

fn team() -> Workspace {
    Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM)
}

/// A transcript as Claude Code writes it.
fn transcript() -> String {
    let lines = [
        json!({"type": "user", "timestamp": "2026-02-22T09:00:00Z", "cwd": "/w", "message": {"role": "user", "content": "Please make login use sessions."}}),
        json!({"type": "assistant", "timestamp": "2026-02-22T09:01:00Z", "cwd": "/w", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "We'll use server sessions instead of JWT."},
            {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "/w/src/auth.rs", "old_string": "a", "new_string": "b"}}]}}),
        json!({"type": "user", "timestamp": "2026-02-22T09:02:00Z", "cwd": "/w", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}}),
        json!({"type": "assistant", "timestamp": "2026-02-22T09:10:00Z", "cwd": "/w", "message": {"role": "assistant", "content": [{"type": "text", "text": "Login uses sessions now. Should the old tokens be revoked?"}]}}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_transcript_becomes_an_episode_and_what_is_needed_to_go_on() {
    let team = team();
    team.write("session.jsonl", transcript());
    team.run(&["memory", "add", "0042", "001", "blocker", "No test database"]).ok();
    let brief = team.json("compact session.jsonl --plan 0042 --agent 001");
    assert_eq!(brief["files"], json!(["src/auth.rs"]));
    assert!(brief["decisions"].to_string().contains("sessions instead of JWT"), "{brief:#}");
    assert!(brief["unanswered"].to_string().contains("revoked"), "{brief:#}");
    assert_eq!(brief["open"][0]["text"], "No test database");
    assert_eq!(brief["summary_by"], "structure");
    let shown = team.json(&format!("episode show {}", brief["episode"].as_str().unwrap()));
    assert_eq!(shown["record"]["duration_seconds"], 600);
    let again = team.json("compact session.jsonl");
    assert_eq!((again["already"].as_bool(), &again["episode"]), (Some(true), &brief["episode"]));
    assert_eq!(team.json("episode list")["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn a_model_that_does_not_answer_is_a_warning() {
    let team = team();
    team.write("session.jsonl", transcript());
    team.write(
        ".heirloom/config.toml",
        "[llm]\nendpoint = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n",
    );
    let compact = |allowed: &str| -> Value {
        let mut command = team.command();
        command.env("HEIRLOOM_LLM_ENDPOINT", allowed);
        command.args(["compact", "session.jsonl", "--json"]);
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
    };
    let refused = compact("");
    let warning = refused["warnings"][0].as_str().unwrap();
    assert!(warning.contains("HEIRLOOM_LLM_ENDPOINT=http://127.0.0.1:1/v1"), "{refused:#}");
    team.write("session.jsonl", format!("{}\n", transcript()));
    let brief = compact("http://127.0.0.1:1/v1");
    assert!(brief["warnings"][0].as_str().unwrap().contains("127.0.0.1:1"), "{brief:#}");
    assert_eq!(brief["summary_by"], "structure");
    assert!(brief["episode"].is_string());
}

/// Whether an HTTP request has all of the body that it announces.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
    });
    length.is_some_and(|length| body.len() >= length)
}

#[test]
fn a_model_that_answers_writes_the_summary() {
    let team = team();
    team.write("session.jsonl", transcript());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let model = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut part = [0; 4096];
        while !is_whole(&request) {
            let read = stream.read(&mut part).unwrap();
            assert!(read > 0, "the request broke off");
            request.extend_from_slice(&part[..read]);
        }
        let body =
            json!({"choices": [{"message": {"content": "Sessions replaced tokens."}}]}).to_string();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
        write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        String::from_utf8_lossy(&request).into_owned()
    });
    team.write(
        ".heirloom/config.toml",
        format!("[llm]\nendpoint = \"http://127.0.0.1:{port}/v1\"\nmodel = \"small\"\n"),
    );
    let output = team
        .command()
        .env("HEIRLOOM_LLM_KEY", "k3y")
        .env("HEIRLOOM_LLM_ENDPOINT", format!("http://127.0.0.1:{port}/v1"))
        .args(["compact", "session.jsonl", "--json"])
        .output()
        .unwrap();
    let brief: Value = serde_json::from_slice(&output.stdout).unwrap();
    let request = model.join().unwrap();
    assert!(request.starts_with("POST /v1/chat/completions"), "{request}");
    assert!(request.contains("Bearer k3y") && request.contains("login use sessions"), "{request}");
    assert_eq!(
        (brief["summary"].as_str(), brief["summary_by"].as_str()),
        (Some("Sessions replaced tokens."), Some("small"))
    );
}

/// Everything that a listing says, apart from where it is written.
fn state(workspace: &Workspace) -> Value {
    let mut state = json!({
        "facts": workspace.json("fact list --all")["hits"],
        "episodes": workspace.json("episode list --all")["hits"],
        "notes": workspace.json("notes --all")["hits"],
        "stats": workspace.json("stats"),
        "agent": workspace.json("memory show 0042 001"),
    });
    forget_places(&mut state);
    state
}

fn forget_places(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.shift_remove("source");
            map.shift_remove("_meta");
            map.values_mut().for_each(forget_places);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_places),
        _ => {}
    }
}

#[test]
fn an_export_imported_into_an_empty_workspace_is_the_same_state() {
    let team = team();
    let store = |text: &str| {
        team.json(&format!("fact add --section Decisions {text}"))["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (a, b, c) = (store("Alpha"), store("Beta"), store("Gamma"));
    team.run(&["fact", "edit", &a, "Alpha two"]).ok();
    team.run(&["memory", "archive", &b]).ok();
    team.run(&["memory", "archive", &c]).ok();
    team.run(&["memory", "restore", &c]).ok();
    team.run(&["memory", "connect", &a, &c, "enables"]).ok();
    team.run(&["fact", "add", "--section", "Specs", "Secret habit", "--private"]).ok();
    team.run(&["memory", "focus", &c]).ok();
    team.run(&["note", "later"]).ok();
    team.run(&["memory", "add", "0042", "001", "finding", "Found | it\nhere"]).ok();
    team.run(&["memory", "add", "0042", "001", "blocker", "Stuck"]).ok();
    team.run(&["memory", "resolve", "0042", "001", "blocker-1", "freed"]).ok();
    let exported = team.heir("export --private").ok();
    let other = Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM);
    other.write("memory.jsonl", &exported);
    other.heir("import memory.jsonl").ok();
    assert_eq!(state(&other), state(&team));
    assert_eq!(other.json("import memory.jsonl")["taken"], json!({}));
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&other.heir("export --private").ok()), sorted(&exported));
    let markdown = other.heir("export --format markdown").ok();
    assert!(markdown.contains("## Decisions\n") && markdown.contains("- Gamma"), "{markdown}");
}

#[test]
fn rows_that_cannot_be_taken_are_named_and_the_rest_is() {
    let team = team();
    team.write(
        "memory.jsonl",
        "{\"type\":\"entity\",\"name\":\"Billing\",\"entityType\":\"service\",\"observations\":[\"is written in Rust\",\"owns invoices\"]}\nnot json\n{\"type\":\"entity\",\"name\":\"Ledger\",\"entityType\":\"service\",\"observations\":[\"is append-only\"]}\n{\"type\":\"relation\",\"from\":\"Billing\",\"to\":\"Ledger\",\"relationType\":\"depends_on\"}\n",
    );
    let ran = team.heir("import memory.jsonl");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("memory.jsonl:2:")
            && ran.stdout.contains("3 facts")
            && ran.stdout.contains("1 edge"),
        "{}",
        ran.stdout
    );
    assert_eq!(team.json("stats")["relations"], 1);
    let again = team.json("import memory.jsonl");
    assert_eq!(again["taken"], json!({}), "{again}");
}

#[test]
fn instructions_and_notes_of_other_tools_are_taken() {
    let team = team();
    team.write("CLAUDE.md", "# Project\n\n## Conventions\n\n- Run `just test` before a commit\n- Never log card numbers\n");
    team.write(
        "notes/auth.md",
        "---\ntitle: Auth\npermalink: auth\n---\n\n# Auth\n\n## Observations\n- [decision] Sessions over JWT #auth\n\n## Relations\n- depends_on [[Store]]\n",
    );
    team.write("notes/store.md", "---\ntitle: Store\npermalink: store\n---\n\n## Observations\n- [design] Redis holds sessions\n");
    team.write(".pi/memory/facts.jsonl", "{\"_type\":\"fact\",\"id\":\"f1\",\"section\":\"Decisions\",\"content\":\"Ship weekly\",\"status\":\"active\",\"created_at\":\"2026-01-01T00:00:00Z\"}\n");
    team.heir("import CLAUDE.md notes .pi/memory/facts.jsonl").ok();
    let facts = team.json("fact list")["hits"].to_string();
    for text in
        ["just test", "card numbers", "Sessions over JWT", "Redis holds sessions", "Ship weekly"]
    {
        assert!(facts.contains(text), "{text} is not in {facts}");
    }
    assert_eq!(team.json("stats")["relations"], 1);
    let adopted = team.heir("adopt --dry-run").ok();
    assert!(adopted.contains("heir import .pi/memory/facts.jsonl"), "{adopted}");
}

#[test]
fn a_document_of_an_export_cannot_leave_the_workspace() {
    let team = team();
    for path in ["../x.memory.md", "/etc/x.memory.md", ".git/hooks/x.memory.md", "plans/x.md"] {
        let line = json!({"v": 1, "kind": "document", "path": path, "text": "x"});
        team.write("e.jsonl", format!("{line}\n"));
        let ran = team.heir("import e.jsonl --format heirloom");
        assert_eq!(ran.code, 1, "{path}: {}", ran.stdout);
        assert!(ran.stdout.contains("e.jsonl:1:"), "{}", ran.stdout);
    }
}
