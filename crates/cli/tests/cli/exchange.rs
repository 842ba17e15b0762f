//! Summaries by a language model, and export and import.

use std::io::{Read, Write};
use std::net::TcpListener;

use heirloom_testkit::{TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

/// Returns a transcript in the format of Claude Code.
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
fn a_model_that_does_not_answer_causes_a_warning() {
    let team = team();
    team.write("session.jsonl", transcript());
    team.write(
        ".heirloom/config.toml",
        "[llm]\nendpoint = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n",
    );
    let mut command = team.command();
    command.env("HEIRLOOM_LLM_ENDPOINT", "http://127.0.0.1:1/v1");
    command.args(["compact", "session.jsonl", "--json"]);
    let brief: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let warning = brief["warnings"][0].as_str().unwrap();
    let prefix = "the model at http://127.0.0.1:1/v1 wrote no summary: ";
    assert!(warning.starts_with(prefix), "{brief:#}");
    assert_eq!(brief["summary_by"], "structure");
    assert!(brief["episode"].is_string());
}

/// Returns whether an HTTP request has the body length that its header states.
fn is_complete(request: &[u8]) -> bool {
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
        while !is_complete(&request) {
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

/// Returns the contents of memory without the locations.
fn state(workspace: &Workspace) -> Value {
    let mut state = json!({
        "facts": workspace.json("fact list --all")["hits"],
        "episodes": workspace.json("episode list --all")["hits"],
        "notes": workspace.json("notes --all")["hits"],
        "stats": workspace.json("stats"),
        "agent": workspace.json("memory show 0042 001"),
    });
    remove_locations(&mut state);
    state
}

fn remove_locations(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.shift_remove("source");
            map.shift_remove("_meta");
            map.values_mut().for_each(remove_locations);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_locations),
        _ => {}
    }
}

#[test]
fn an_export_restores_the_same_state_in_an_empty_workspace() {
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
    let other = Workspace::with(HEIR, TEAM);
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
}

#[test]
fn a_file_that_is_not_text_does_not_stop_the_import_of_a_folder() {
    let team = team();
    team.write("notes/a.md", "---\ntitle: A\n---\n- [tip] One\n");
    team.write("notes/b.md", b"---\ntitle: B\n---\n- [tip] caf\xe9\n");
    team.write("notes/c.md", "---\ntitle: C\n---\n- [tip] Three\n");
    let imported = team.json("import notes");
    assert_eq!(
        (&imported["taken"]["fact"], imported["problems"].as_array().unwrap().len()),
        (&json!(2), 1)
    );
    let problem = &imported["problems"][0];
    assert!(problem["path"].as_str().unwrap().ends_with("b.md"), "{problem}");
    assert_eq!(problem["message"], "this is not UTF-8 text");
    assert_eq!(team.heir("import notes").code, 1);
    team.heir("import notes/b.md").failed(2);
}

#[test]
fn the_same_file_by_another_path_is_not_imported_again() {
    let team = team();
    team.write("notes/a.md", "---\ntitle: A\n---\n- [tip] One\n\n## Relations\n- uses [[B]]\n");
    team.write("notes/b.md", "---\ntitle: B\n---\n- [tip] Two\n");
    team.write("CLAUDE.md", "- Run the tests\n");
    let absolute = team.path().to_string_lossy().into_owned();
    assert_eq!(team.json("import notes CLAUDE.md")["taken"], json!({"edge": 1, "fact": 3}));
    for paths in [
        vec!["./notes".to_owned(), "./CLAUDE.md".to_owned()],
        vec!["plans/../notes".to_owned(), "plans/../CLAUDE.md".to_owned()],
        vec![format!("{absolute}/notes"), format!("{absolute}/CLAUDE.md")],
    ] {
        let words: Vec<&str> =
            ["import"].into_iter().chain(paths.iter().map(String::as_str)).collect();
        let again = team.json(&words.join(" "));
        assert_eq!((&again["taken"], &again["already"]), (&json!({}), &json!(4)), "{paths:?}");
    }
}
