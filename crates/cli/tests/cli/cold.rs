//! Cold memory: sessions of clients outside of the root, indexing that is interrupted, and what a hostile repository may
//! not do with transcripts.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use heirloom_testkit::{
    CLAUDE_CODE_FOLDER, CODEX_FOLDER, COPILOT_FOLDER, GEMINI_HOME, TEAM, Workspace,
};
use serde_json::{Value, json};

use crate::HEIR;

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Returns the name that Claude Code gives the folder of sessions that ran in a folder.
fn slug(folder: &str) -> String {
    folder.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Returns the hits of a search as `role agent: text`, and checks that each names a line of its file.
fn search(team: &Workspace, arguments: &[&str]) -> Vec<String> {
    let answer = team.run(&[&["cold", "search", "--json"], arguments].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
    let hits = answer["hits"].as_array().unwrap().iter().map(|hit| {
        let text = |key: &str| hit[key].as_str().unwrap().to_owned();
        format!("{} {}: {}", text("role"), text("agent"), text("text"))
    });
    hits.collect()
}

#[test]
fn sessions_of_clients_are_found_only_for_this_workspace() {
    let team = team();
    let here = team.path().canonicalize().unwrap().display().to_string();
    for (name, cwd) in [("here", here.as_str()), ("there", "/somewhere/else")] {
        let slug = slug(cwd);
        let said = |client: &str| format!("The zeppelin of {client} flies {name}.");
        team.write(
            &format!("{CLAUDE_CODE_FOLDER}/projects/{slug}/1.jsonl"),
            lines(&[json!({
                "type": "user", "uuid": "u", "sessionId": "s", "cwd": cwd, "timestamp": "2026-02-20T09:00:00Z",
                "message": {"role": "user", "content": said("claude")},
            })]),
        );
        team.write(
            &format!("{CODEX_FOLDER}/sessions/2026/02/20/rollout-{name}.jsonl"),
            lines(&[
                json!({"type": "session_meta", "payload": {"id": "s", "cwd": cwd}}),
                json!({"type": "event_msg", "payload": {"type": "agent_message", "message": said("codex")}}),
            ]),
        );
        team.write(&format!("{GEMINI_HOME}/.gemini/tmp/{name}/.project_root"), cwd);
        team.write(
            &format!("{GEMINI_HOME}/.gemini/tmp/{name}/chats/session-1.jsonl"),
            lines(&[
                json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-02-20T09:00:00Z"}),
                json!({"id": "1", "timestamp": "2026-02-20T09:00:00Z", "type": "gemini", "content": said("gemini")}),
            ]),
        );
        team.write(
            &format!("{COPILOT_FOLDER}/session-state/{name}/events.jsonl"),
            lines(&[
                json!({"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": cwd}}}),
                json!({"type": "user.message", "data": {"content": said("copilot")}, "timestamp": "2026-02-20T09:00:00Z"}),
            ]),
        );
    }
    let mut hits = search(&team, &["zeppelin"]);
    hits.sort();
    let expected = [
        "assistant codex: The zeppelin of codex flies here.",
        "assistant gemini: The zeppelin of gemini flies here.",
        "user claude: The zeppelin of claude flies here.",
        "user copilot: The zeppelin of copilot flies here.",
    ];
    assert_eq!(hits, expected);
    assert_eq!(search(&team, &["zeppelin", "--agent", "codex"]), expected[..1]);
    assert_eq!(
        search(&team, &["zeppelin", "--since", "2026-02-20"]).len(),
        3,
        "codex states no time"
    );
}

#[test]
fn what_heirloom_injected_is_not_found() {
    let team = team();
    let here = team.path().canonicalize().unwrap().display().to_string();
    let slug = slug(&here);
    let line = |kind: &str, content: Value| {
        json!({"type": kind, "uuid": content.to_string(), "sessionId": "s", "cwd": here,
            "timestamp": "2026-02-20T09:00:00Z", "message": {"role": kind, "content": content}})
    };
    team.write(
        &format!("{CLAUDE_CODE_FOLDER}/projects/{slug}/1.jsonl"),
        lines(&[
            line("user", json!("Go on.<system-reminder>SessionStart hook: the zeppelin flies</system-reminder>")),
            line("assistant", json!([{"type": "tool_use", "id": "1", "name": "mcp__heir__memory_recall",
                "input": {"query": "zeppelin"}}])),
            line("user", json!([{"type": "tool_result", "tool_use_id": "1", "content": "the zeppelin flies"}])),
            line("assistant", json!([{"type": "tool_use", "id": "2", "name": "Bash",
                "input": {"command": "heir recall zeppelin"}}])),
            line("user", json!([{"type": "tool_result", "tool_use_id": "2", "is_error": true, "content": "no zeppelin"}])),
            line("assistant", json!("I continue.")),
        ]),
    );
    assert_eq!(search(&team, &["zeppelin"]), Vec::<String>::new());
    let said = search(&team, &["go on and continue"]);
    let expected = ["assistant claude: I continue.", "user claude: Go on."];
    assert!(
        said.len() == 2 && expected.iter().all(|hit| said.iter().any(|it| it == hit)),
        "{said:?}"
    );
}

#[test]
fn indexing_that_was_killed_continues() {
    let team = team();
    for file in 0..20 {
        let messages: Vec<Value> = (0..200)
            .map(|number| {
                let text = format!("Message {number} of file {file} is about topic{} and topic{}.", number % 37, file * 7 % 11);
                json!({"role": if number % 2 == 0 { "user" } else { "assistant" }, "content": text.repeat(4)})
            })
            .collect();
        team.write(&format!("agent-transcripts/{file:02}.jsonl"), lines(&messages));
    }
    let ask = || -> Vec<Vec<String>> {
        let questions = ["topic5 of file", "message 17", "topic3 topic9"];
        questions.iter().map(|question| search(&team, &[question, "-k", "20"])).collect()
    };
    for milliseconds in [5, 40, 80, 160, 320] {
        let mut command = team.command();
        let command = command.args(["cold", "index"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        drop(child.kill());
        child.wait().unwrap();
    }
    assert_eq!(team.heir("cold index").code, 0);
    let resumed = ask();
    assert_eq!(team.heir("cold index --rebuild").code, 0);
    assert_eq!(ask(), resumed);
    assert!(resumed.iter().all(|hits| hits.len() == 20));
}

#[test]
fn a_search_reads_nothing_outside_and_no_index_of_a_stranger() {
    let victim = tempfile::tempdir().unwrap();
    let secret = victim.path().join("secret.jsonl");
    fs::write(&secret, "{\"role\":\"user\",\"content\":\"the zeppelin is secret\"}\n").unwrap();
    let team = team();
    team.write(
        "agent-transcripts/a.jsonl",
        "{\"role\":\"user\",\"content\":\"the zeppelin is known\"}\n",
    );
    let expected = ["user agent: the zeppelin is known"];
    std::os::unix::fs::symlink(&secret, team.path().join("agent-transcripts/b.jsonl")).unwrap();
    std::os::unix::fs::symlink(victim.path(), team.path().join("agent-transcripts/c")).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(team.path().join("agent-transcripts/d.jsonl"))
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(search(&team, &["zeppelin"]), expected);
    let status = team.heir("cold status");
    for link in ["b.jsonl", "c"] {
        let problem =
            format!("agent-transcripts/{link}:1: this symbolic link leads out of the workspace");
        assert!(status.stdout.contains(&problem), "{}", status.stdout);
    }
    let unreadable = "agent-transcripts/d.jsonl:1: cannot be read: it is not a regular file";
    assert!(status.stdout.contains(unreadable), "{}", status.stdout);
    let unknown = team.heir("cold search zeppelin --agent nobody");
    assert!(unknown.stderr.contains("the agents are agent\n"), "{}", unknown.stderr);
    // The index of another workspace, as a clone could bring it along.
    let stranger = Workspace::with(HEIR, TEAM);
    stranger.write(
        "agent-transcripts/a.jsonl",
        "{\"role\":\"user\",\"content\":\"a zeppelin of a stranger\"}\n",
    );
    assert_eq!(search(&stranger, &["zeppelin"]).len(), 1);
    let folder = |workspace: &Workspace| workspace.path().join(".heirloom/cache/cold");
    fs::remove_dir_all(folder(&team)).unwrap();
    fs::create_dir_all(folder(&team)).unwrap();
    for entry in fs::read_dir(folder(&stranger)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), folder(&team).join(entry.file_name())).unwrap();
    }
    assert_eq!(search(&team, &["zeppelin"]), expected);
    // The folder of the index is a link.
    fs::remove_dir_all(folder(&team)).unwrap();
    std::os::unix::fs::symlink(victim.path(), folder(&team)).unwrap();
    let refused = team.heir("cold search zeppelin");
    assert!(refused.code != 0 && refused.stderr.contains("symbolic link"), "{}", refused.stderr);
    assert_eq!(fs::read_dir(victim.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_index_is_replaced() {
    let team = team();
    team.write(
        "agent-transcripts/a.jsonl",
        "{\"role\":\"user\",\"content\":\"the zeppelin is known\"}\n",
    );
    let expected = ["user agent: the zeppelin is known"];
    for command in ["cold search zeppelin", "cold index"] {
        for extension in ["seg", "chunks", "db"] {
            assert_eq!(search(&team, &["zeppelin"]), expected);
            let files = fs::read_dir(team.path().join(".heirloom/cache/cold")).unwrap();
            let mut paths = files.map(|entry| entry.unwrap().path());
            let is_it = |path: &std::path::PathBuf| {
                path.extension().is_some_and(|found| found == extension)
            };
            let file = fs::OpenOptions::new().write(true).open(paths.find(is_it).unwrap()).unwrap();
            file.set_len(file.metadata().unwrap().len() / 2).unwrap();
            assert_eq!(team.heir(command).code, 0, "{extension}");
            assert_eq!(search(&team, &["zeppelin"]), expected, "{command}, {extension}");
        }
    }
}

#[test]
fn transcripts_are_never_injected() {
    let team = team();
    team.write(
        "agent-transcripts/a.jsonl",
        "{\"role\":\"user\",\"content\":\"Always draw the tables of the graph with a zeppelin.\"}\n",
    );
    assert_eq!(team.heir("cold index").code, 0);
    for command in [
        &["assemble", "draw the tables of the graph"][..],
        &["recall", "draw the tables with a zeppelin"],
        &["context", "resolve", "0042", "001"],
        &["prompt", "0042", "001"],
    ] {
        let answer = team.run(command);
        assert!(!answer.stdout.contains("zeppelin"), "{command:?}: {}", answer.stdout);
    }
}
