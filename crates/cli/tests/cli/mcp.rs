//! `heir mcp`, tested with the official client and with raw messages.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use heirloom_testkit::{McpClient, TEAM, Workspace};
use serde_json::{Value, json};

use crate::{HEIR, hostile_names};

/// Maximum size of the default list of tools, which every agent pays for.
const TOOLS_MAX_TOKENS: usize = 3_250;

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

#[test]
fn the_server_introduces_itself() {
    let [version, instructions, capabilities] = call_client(
        &team(),
        &["mcp"],
        &[
            ("getServerVersion", json!(null)),
            ("getInstructions", json!(null)),
            ("getServerCapabilities", json!(null)),
        ],
    );
    let version = result(&version);
    assert_eq!(
        (version["name"].as_str(), version["version"].as_str()),
        (Some("heirloom"), Some(env!("CARGO_PKG_VERSION")))
    );
    assert!(result(&instructions).as_str().unwrap().contains("context_resolve"), "{instructions}");
    for capability in ["tools", "resources", "prompts"] {
        assert!(result(&capabilities)[capability].is_object(), "{capabilities}");
    }
}

#[test]
fn the_default_list_of_tools_is_short() {
    let team = team();
    let names = |arguments: &[&str]| -> Vec<String> {
        let [tools] = call_client(&team, arguments, &[("listTools", json!({}))]);
        result(&tools)["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let (core, plans, all) =
        (names(&["mcp"]), names(&["mcp", "--tools", "plans"]), names(&["mcp", "--tools", "all"]));
    let has = |names: &[String], name: &str| names.iter().any(|listed| listed == name);
    assert!(has(&core, "context_resolve") && !has(&core, "adr_list"), "{core:?}");
    assert!(has(&plans, "adr_list") && plans.len() > core.len(), "{plans:?}");
    assert!(core.iter().chain(&plans).all(|name| has(&all, name)), "{all:?}");
}

#[test]
fn a_tool_answers_once_with_text_that_has_what_a_next_call_needs() {
    let store = json!({"content": "Refunds are events", "section": "decisions"});
    let calls =
        &[tool("memory_store", &store), tool("memory_recall", &json!({"query": "refunds"}))];
    let [stored, recalled] = call_client(&team(), &["mcp"], calls);
    let id = text_of(result(&stored)).split(' ').nth(2).unwrap().to_owned();
    for answer in [&stored, &recalled] {
        assert_eq!(result(answer).get("structuredContent"), None, "{answer}");
        assert!(text_of(result(answer)).contains(&id), "{answer}");
    }
    assert!(text_of(result(&recalled)).contains(".heirloom/memory/fact/"), "{recalled}");
}

#[test]
fn a_tool_answers_with_structured_content_on_request() {
    let [resolved] = call_client(
        &team(),
        &["mcp", "--structured"],
        &[tool("context_resolve", &json!({"plan": "0042", "agent": "001"}))],
    );
    let resolved = result(&resolved);
    assert_ne!(resolved["isError"], true, "{resolved}");
    let (text, values) = (text_of(resolved), &resolved["structuredContent"]["values"]);
    assert_eq!(
        (&values["voice"], &values["defaults"]["coverage"]),
        (&json!("terse"), &json!("90%"))
    );
    for part in [
        "terse",
        "90%",
        "professional",
        "Money is integer minor units.",
        "Draw the tables.",
        "Use SQLite",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}

#[test]
fn a_tool_that_is_not_listed_can_be_called() {
    let [records] = call_client(&team(), &["mcp"], &[tool("adr_list", &json!({}))]);
    assert!(text_of(result(&records)).contains("Use SQLite"), "{records}");
}

#[test]
fn mistakes_are_answered_with_candidates_and_the_server_continues() {
    let calls = &[
        tool("context_resolve", &json!({"plan": "0042-grph"})),
        tool("context_resolve", &json!({"plan": "9999"})),
        tool("context_resolve", &json!({"plan": "0042", "agent": "schemer"})),
        tool("context_resolve", &json!({"plann": "0042"})),
        tool("context_resolve", &json!({"plan": 42})),
        tool("context_resolved", &json!({})),
        tool("context_resolve", &json!({"plan": "0042"})),
    ];
    let [misspelt, no_plan, no_agent, no_argument, wrong_type, no_tool, fine] =
        call_client(&team(), &["mcp", "--structured"], calls);
    let mistakes = [
        (misspelt, vec!["0042-grph", "candidates: 0042-graph"]),
        (no_plan, vec!["9999", "candidates: 0042-graph, 0043-auth"]),
        (no_agent, vec!["schemer", "candidates: 001-schema"]),
        (no_argument, vec!["plann", "candidates: plan"]),
        (wrong_type, vec!["42", "string"]),
    ];
    for (answer, parts) in mistakes {
        let answer = result(&answer);
        assert_eq!(answer["isError"], true, "{answer}");
        assert!(
            parts.iter().all(|part| text_of(answer).contains(part)),
            "{parts:?} are not in:\n{}",
            text_of(answer)
        );
    }
    assert!(error(&no_tool).contains("context_resolved"), "{no_tool}");
    assert_eq!(result(&fine)["structuredContent"]["values"]["defaults"]["coverage"], "90%");
}

#[test]
fn contexts_are_resources() {
    let read = |uri: &str| ("readResource", json!({"uri": uri}));
    let calls = &[
        ("listResources", json!({})),
        ("listResourceTemplates", json!({})),
        read("heirloom://context"),
        read("heirloom://context/0042"),
        read("heirloom://context/0042/001"),
        read("heirloom://context/%30042/001-schema"),
        read("heirloom://context/0099"),
        read("heirloom://context/0042/001/more"),
        read("heirloom://contexts"),
        read("file:///etc/hostname"),
    ];
    let [listed, templates, workspace, plan, agent, encoded, no_plan, too_deep, no_resource, file] =
        call_client(&team(), &["mcp"], calls);
    assert_eq!(result(&listed)["resources"][0]["uri"], "heirloom://context");
    let templates: Vec<&str> = result(&templates)["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|template| template["uriTemplate"].as_str().unwrap())
        .collect();
    assert!(templates.contains(&"heirloom://context/{plan}/{agent}"), "{templates:?}");
    let text = |answer: &Value| result(answer)["contents"][0]["text"].as_str().unwrap().to_owned();
    assert!(
        text(&workspace).contains("professional") && !text(&workspace).contains("terse"),
        "{workspace}"
    );
    assert!(text(&plan).contains("Build the graph.") && !text(&plan).contains("terse"), "{plan}");
    assert!(text(&agent).contains("terse"), "{agent}");
    assert_eq!(text(&agent), text(&encoded));
    assert!(error(&no_plan).contains("0042-graph"), "{no_plan}");
    for answer in [too_deep, no_resource, file] {
        assert!(error(&answer).contains("there is no resource"), "{answer}");
    }
}

#[test]
fn add_memory_accepts_metadata() {
    let add = |kind: &str, content: &str, metadata: Value| {
        let arguments = json!({"planId": "0042", "agentId": "001", "type": kind, "content": content, "metadata": metadata});
        tool("add_memory", &arguments)
    };
    let calls = &[
        add("finding", "Flags matter", json!({})),
        add("decision", "Key", json!({"choice": "hash", "affects": ["002", "003"]})),
        add("blocker", "No tokenizer", json!({"status": "open"})),
        add("finding", "x", json!({"colour": "blue"})),
        tool("get_agent_memory", &json!({"planId": "0042", "agentId": "001"})),
        tool("memory_store", &json!({"section": "Decisions", "content": "Ship weekly"})),
        tool("memory_recall", &json!({"query": "ship"})),
        tool("memory_query", &json!({})),
    ];
    let [finding, _, _, coloured, memory, stored, recalled, all] =
        call_client(&team(), &["mcp", "--structured"], calls);
    assert_eq!(result(&finding)["structuredContent"]["name"], "finding-1");
    assert_eq!(result(&coloured)["structuredContent"]["name"], "finding-2", "{coloured}");
    let memory = &result(&memory)["structuredContent"];
    assert_eq!(memory["findings"], json!(["Flags matter", "x"]));
    assert_eq!(memory["entries"][1]["metadata"], json!({"colour": "blue"}));
    assert_eq!(memory["decisions"][0]["affects"], "002, 003");
    assert_eq!(memory["blockers"][0]["resolved"], false);
    let id = &result(&stored)["structuredContent"]["id"];
    assert_eq!(&result(&recalled)["structuredContent"]["hits"][0]["id"], id);
    assert_eq!(&result(&all)["structuredContent"]["hits"][0]["id"], id);
}

#[test]
fn the_memory_tools_are_listed() {
    let calls = &[("listTools", json!({}))];
    let [listed] = call_client(&team(), &["mcp", "--tools", "memory"], calls);
    let tools = result(&listed)["tools"].as_array().unwrap().clone();
    for name in [
        "memory_recall",
        "memory_query",
        "memory_store",
        "memory_supersede",
        "memory_archive",
        "memory_episodes",
        "memory_focus",
        "memory_release",
        "memory_connect",
        "memory_compact",
        "memory_search_archive",
        "memory_ingest_lifecycle",
    ] {
        assert!(tools.iter().any(|tool| tool["name"] == name), "{name}");
    }
    let [short] = call_client(&team(), &["mcp"], calls);
    let core: Vec<String> = result(&short)["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        core,
        [
            "context_resolve",
            "context_assemble",
            "retrieve_context",
            "get_agent_memory",
            "add_memory",
            "memory_recall",
            "memory_expand",
            "memory_store",
            "memory_supersede",
            "memory_focus",
            "memory_release",
            "memory_connect"
        ]
    );
}

#[test]
fn operator_commands_are_prompts() {
    let prompt =
        |name: &str, arguments: Value| ("getPrompt", json!({"name": name, "arguments": arguments}));
    let calls = &[
        prompt("note", json!({"text": "look at CI"})),
        prompt("notes", json!({})),
        prompt("memory", json!({})),
        prompt(
            "compact",
            json!({"transcript": "User: Fix it.\nAssistant: We'll use X instead of Y. Done."}),
        ),
        prompt("note", json!({})),
    ];
    let [noted, notes, memory, compact, without] = call_client(&team(), &["mcp"], calls);
    let text = |answer: &Value| {
        result(answer)["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
    };
    assert!(text(&noted).contains("stored note"), "{noted}");
    assert!(text(&notes).contains("look at CI"), "{notes}");
    assert!(text(&memory).contains("Working memory: 0 of 25 pins"), "{memory}");
    assert!(text(&compact).contains("stored as episode"), "{compact}");
    assert!(error(&without).contains("text"), "{without}");
}

#[test]
fn a_prompt_starts_an_agent_with_its_context() {
    let calls = &[
        ("listPrompts", json!({})),
        ("getPrompt", json!({"name": "start", "arguments": {"plan": "0042", "agent": "001"}})),
        ("getPrompt", json!({"name": "start"})),
        ("getPrompt", json!({"name": "start", "arguments": {"plan": "0099"}})),
        ("getPrompt", json!({"name": "stop"})),
    ];
    let [prompts, agent, workspace, no_plan, no_prompt] = call_client(&team(), &["mcp"], calls);
    assert_eq!(result(&prompts)["prompts"][0]["name"], "start");
    let text = |answer: &Value| {
        result(answer)["messages"][0]["content"]["text"].as_str().unwrap().to_owned()
    };
    assert!(text(&agent).contains("terse") && text(&agent).contains("Draw the tables."), "{agent}");
    assert!(text(&workspace).contains("professional"), "{workspace}");
    assert!(error(&no_plan).contains("0042-graph"), "{no_plan}");
    assert!(error(&no_prompt).contains("stop"), "{no_prompt}");
}

#[test]
fn hostile_names_reach_no_file_outside() {
    let inside = TEAM.replace("//- ", "//- team/");
    let outside = "//- outside/0001-secret-plan.md\n---\ntitle: SECRET\n---\nSECRET\n//- outside/agents/001-secret.md\nSECRET\n";
    let folder = Workspace::with(HEIR, &(inside + outside));
    let absolute = folder.path().join("outside").to_string_lossy().into_owned();
    let names = hostile_names(&absolute);
    let percent = |name: &str| name.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    let calls: Vec<(&str, Value)> = names
        .iter()
        .flat_map(|name| {
            [
                tool("context_resolve", &json!({"plan": name})),
                tool("context_resolve", &json!({"plan": "0042", "agent": name})),
                tool("context_resolve", &json!({"project": name})),
                tool("agent_new", &json!({"plan": name, "name": "Mole"})),
                tool("agent_list", &json!({"plan": name})),
                tool("adr_show", &json!({"id": name})),
                tool("graph_show", &json!({"node": name})),
                ("readResource", json!({"uri": format!("heirloom://context/{}", percent(name))})),
                (
                    "readResource",
                    json!({"uri": format!("heirloom://context/0042/{}", percent(name))}),
                ),
            ]
        })
        .collect();
    let answers = call_client_many(&folder, &["--root", "team", "mcp"], &calls);
    for (call, answer) in calls.iter().zip(&answers) {
        assert!(
            answer["error"].is_object() || answer["result"]["isError"] == true,
            "{call:?} was answered: {answer}"
        );
        assert!(!answer.to_string().contains("SECRET"), "{call:?} read outside: {answer}");
    }
    assert_eq!(names_in(&folder.path().join("outside")), ["0001-secret-plan.md", "agents"]);
    assert_eq!(names_in(&folder.path().join("outside/agents")), ["001-secret.md"]);
    assert_eq!(names_in(folder.path()), ["outside", "team"]);
}

#[test]
fn without_a_workspace_the_server_starts_and_calls_say_what_is_missing() {
    let folder = Workspace::empty(HEIR);
    let calls = &[
        ("getServerVersion", json!(null)),
        ("listTools", json!({})),
        tool("context_resolve", &json!({})),
        ("readResource", json!({"uri": "heirloom://context"})),
    ];
    let [version, tools, resolved, resource] = call_client(&folder, &["mcp"], calls);
    assert_eq!(result(&version)["name"], "heirloom");
    assert_eq!(result(&tools)["tools"][0]["name"], "context_resolve");
    assert_eq!(result(&resolved)["isError"], true, "{resolved}");
    assert!(text_of(result(&resolved)).contains("heir init"), "{resolved}");
    assert!(error(&resource).contains("heir init"), "{resource}");
}

#[test]
fn the_default_list_of_tools_has_few_tokens() {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured"]));
    let line = wire.ask("tools/list", &json!({}));
    let tools = serde_json::from_str::<Value>(&line).unwrap()["result"]["tools"].to_string();
    assert!(line.contains(&tools), "the message contains the tools in another form:\n{line}");
    let cost = heirloom_store::tokens::count(&tools);
    println!("the default tools/list costs {cost} tokens (o200k); {TOOLS_MAX_TOKENS} are allowed");
    assert!(cost <= TOOLS_MAX_TOKENS, "the default tools/list costs {cost} tokens");
}

#[test]
fn an_invalid_request_is_answered_and_the_server_continues() {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured"]));
    let lines: [(&[u8], i64, Value); 9] = [
        (b"garbage\n", -32700, json!(null)),
        (b"\xff\xfe\n", -32700, json!(null)),
        (b"{\"jsonrpc\":\r\n", -32700, json!(null)),
        (b"[]\n", -32600, json!(null)),
        (b"7\n", -32600, json!(null)),
        (b"{}\n", -32600, json!(null)),
        (b"{\"id\":5,\"method\":\"tools/list\"}\n", -32600, json!(5)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\"}\n", -32600, json!("a")),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n", -32600, json!(null)),
    ];
    for (line, code, id) in lines {
        wire.write(line);
        let answer: Value = serde_json::from_str(&wire.read_line()).unwrap();
        let shown = String::from_utf8_lossy(line);
        assert_eq!(answer["jsonrpc"], "2.0", "{shown}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer.get("id"), Some(&id), "{shown}: {answer}");
    }
    // An empty line, a notification and an error response get no answer.
    wire.write(b"\n{\"jsonrpc\":\"2.0\",\"method\":\"$/unknown\"}\n");
    wire.write(
        b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n",
    );
    assert!(wire.ask("tools/list", &json!({})).contains("context_resolve"));
    wire.close();
}

#[test]
fn a_line_that_is_too_long_is_rejected_and_the_server_continues() {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured"]));
    wire.write(&vec![b'x'; 17 * 1024 * 1024]);
    wire.write(b"\n");
    let answer: Value = serde_json::from_str(&wire.read_line()).unwrap();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(wire.ask("tools/list", &json!({})).contains("context_resolve"));
    wire.close();
}

/// The host of an agent waits for `initialize` before it shows anything, so the answer must not wait
/// for the disk.
#[test]
#[cfg(target_os = "linux")]
fn initialize_is_answered_before_a_file_of_the_workspace_is_opened() {
    let traces = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if !traces.is_ok_and(|output| output.status.success()) {
        println!("skipped: strace is not installed, or may not trace here");
        return;
    }
    let team = team();
    let trace = tempfile::NamedTempFile::new().unwrap();
    let heir = team.command();
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-qq", "-s", "65536", "-e", "trace=open,openat,openat2,write,writev", "-o"])
        .arg(trace.path())
        .arg(HEIR)
        .arg("mcp");
    copy_environment(&heir, &mut strace);
    let mut wire = McpClient::open(&mut strace);
    wire.ask("tools/call", &json!({"name": "context_resolve", "arguments": {"plan": "0042"}}));
    wire.close();

    let trace = std::fs::read_to_string(trace.path()).unwrap();
    let (before, after) = trace.split_once("serverInfo").expect("the trace contains the answer");
    let root = team.path().canonicalize().unwrap();
    let opened = |calls: &str| -> Vec<PathBuf> {
        calls
            .lines()
            .filter(|call| call.contains("open"))
            .filter_map(|call| call.split('"').nth(1))
            .map(|path| root.join(path))
            .filter(|path| path.starts_with(&root))
            .collect()
    };
    assert_eq!(opened(before), Vec::<PathBuf>::new());
    assert!(
        opened(after).iter().any(|path| path.ends_with("workspace.md")),
        "the trace must contain opened files:\n{after}"
    );
}

fn tool(name: &str, arguments: &Value) -> (&'static str, Value) {
    ("callTool", json!({"name": name, "arguments": arguments}))
}

fn result(answer: &Value) -> &Value {
    answer.get("result").unwrap_or_else(|| panic!("an error: {answer}"))
}

fn error(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("not an error: {answer}"))
}

/// Returns the text of a tool's result.
fn text_of(result: &Value) -> &str {
    assert_eq!(result["content"][0]["type"], "text", "{result}");
    result["content"][0]["text"].as_str().unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Starts `heir` with the official client, calls methods of the client, and returns their answers.
fn call_client<const N: usize>(
    workspace: &Workspace,
    arguments: &[&str],
    calls: &[(&str, Value); N],
) -> [Value; N] {
    call_client_many(workspace, arguments, calls).try_into().unwrap()
}

fn call_client_many(
    workspace: &Workspace,
    arguments: &[&str],
    calls: &[(&str, Value)],
) -> Vec<Value> {
    let client = Client::installed();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/mcp.mjs");
    let mut node = Command::new(&client.node);
    node.arg(script).arg(&client.folder).arg(HEIR).args(arguments);
    copy_environment(&workspace.command(), &mut node);
    let mut node = node
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node starts");
    node.stdin.take().unwrap().write_all(&serde_json::to_vec(calls).unwrap()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answers.len(), calls.len());
    answers
}

/// Sets the working folder and the environment of a command to those of another.
fn copy_environment(model: &Command, command: &mut Command) {
    command.current_dir(model.get_current_dir().expect("a folder"));
    for (name, value) in model.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// The official client, and Node to run it.
struct Client {
    folder: PathBuf,
    node: PathBuf,
}

impl Client {
    /// Returns their paths. Installs them if they are missing.
    fn installed() -> &'static Client {
        static CLIENT: OnceLock<Client> = OnceLock::new();
        CLIENT.get_or_init(|| {
            if let Some(client) = Self::find() {
                return client;
            }
            let installed = Command::new(env!("CARGO"))
                .args(["run", "--quiet", "--package", "xtask", "--", "clients"])
                .current_dir(repository())
                .status()
                .expect("cargo runs");
            assert!(installed.success(), "the official MCP client could not be installed");
            Self::find().expect("the official MCP client is installed")
        })
    }

    fn find() -> Option<Client> {
        let target = repository().join("target");
        let folder = target.join("mcp-client");
        let own_node = target.join(if cfg!(windows) {
            "mcp-node/Scripts/node.exe"
        } else {
            "mcp-node/bin/node"
        });
        let node = if own_node.exists() { own_node } else { "node".into() };
        let runs = Command::new(&node)
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success());
        (runs && folder.exists()).then_some(Client { folder, node })
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_client_has_pins_of_its_own() {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured"]));
    let store = json!({"section": "Decisions", "content": "Ship weekly"});
    let id = wire.call("memory_store", &store)["id"].clone();
    wire.call("memory_focus", &json!({"fact_ids": [id]}));
    let mut other = team.command();
    let released = other.env("HEIRLOOM_AGENT", "other").args(["memory", "release"]).output();
    assert!(released.unwrap().status.success());
    let pinned = wire.call("memory_focus", &json!({}));
    assert_eq!(pinned["items"][0]["text"], "Ship weekly", "{pinned}");
    assert_eq!(team.heir("memory focus").ok(), "nothing pinned\n");
    wire.close();
}
