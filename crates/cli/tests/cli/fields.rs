//! The fields of requests: aliases, and errors for wrong fields.

use heirloom_testkit::{McpClient, TEAM, Workspace};
use serde_json::{Value, json};

use crate::HEIR;

fn team() -> Workspace {
    Workspace::with(HEIR, TEAM)
}

/// Calls a tool that must fail, and returns the error message.
fn failure(wire: &mut McpClient, tool: &str, arguments: &Value) -> String {
    let line = wire.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["result"]["isError"], true, "{line}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn every_operation_accepts_all_aliases_of_plan_and_agent() {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured"]));
    for (plan, agent) in [("plan", "agent"), ("planId", "agentId"), ("plan_id", "agent_id")] {
        let names = json!({plan: "0042", agent: "001"});
        let resolved = wire.call("context_resolve", &names);
        assert_eq!(resolved["values"]["voice"], "terse", "{plan}: {resolved:#}");
        let shown = wire.call("get_agent_memory", &names);
        assert_eq!(shown["owner"], "agent 001-schema in plan 0042-graph", "{plan}: {shown:#}");
        let added = wire.call(
            "add_memory",
            &json!({plan: "0042", agent: "001", "type": "finding", "content": plan}),
        );
        assert_eq!(added["done"], "added", "{plan}: {added:#}");
        let agents = wire.call("agent_list", &json!({plan: "0042"}));
        assert_eq!(agents["items"][0]["name"], "001-schema", "{plan}: {agents:#}");
        let started = wire.ask("prompts/get", &json!({"name": "start", "arguments": names}));
        assert!(started.contains("Draw the tables."), "{plan}: {started}");
    }
    let same = json!({"plan": "0042", "planId": "0042", "agent": null, "agentId": "001"});
    assert_eq!(wire.call("context_resolve", &same)["values"]["voice"], "terse");
    let message = failure(&mut wire, "context_resolve", &json!({"plan": "0042", "planId": "0043"}));
    assert!(message.contains("`plan` is given twice, as \"0042\" and as \"0043\""), "{message}");
    let message = failure(&mut wire, "context_resolve", &json!({"plane": "0042"}));
    assert!(message.contains("there is no field `plane`"), "{message}");
    wire.close();
}

#[test]
fn the_schema_lists_no_aliases() {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured", "--tools", "all"]));
    let listed = wire.ask("tools/list", &json!({}));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let resolve = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "context_resolve")
        .unwrap();
    let fields = resolve["inputSchema"]["properties"].as_object().unwrap();
    assert!(fields.contains_key("plan") && !fields.contains_key("planId"), "{resolve:#}");
}

/// Words of the parser that must not appear in error messages.
const PARSER_TERMS: [&str; 6] = [
    "unknown variant",
    "unknown field",
    "missing field",
    "invalid type",
    "invalid value",
    "expected struct",
];

#[track_caller]
fn check_message(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
    for term in PARSER_TERMS {
        assert!(!message.contains(term), "{term}: {message}");
    }
}

#[test]
fn an_error_names_the_wrong_field_and_the_allowed_values() {
    let team = team();
    let mut wire = McpClient::open(team.command().args(["mcp", "--structured"]));
    let add = |more: Value| {
        let mut request =
            json!({"planId": "0042", "agentId": "001", "type": "finding", "content": "x"});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let cases = [
        ("add_memory", json!({"planId": "0042"}), vec!["`type` is missing", "finding, decision"]),
        (
            "add_memory",
            add(json!({"type": "rumour"})),
            vec![
                "`type` must be one of finding, decision, blocker, question, lesson",
                "\"rumour\"",
            ],
        ),
        ("add_memory", add(json!({"content": 7})), vec!["`content` must be a string, and 7"]),
        ("add_memory", add(json!({"affects": "002"})), vec!["`affects` must be a list of strings"]),
        (
            "memory_recall",
            json!({"query": "x", "limit": "ten"}),
            vec!["`limit` must be an integer, 0 or more", "\"ten\""],
        ),
        ("memory_recall", json!({"query": "x", "limit": -3}), vec!["`limit`", "-3 was given"]),
        ("memory_eval", json!({"files": [{"name": "a"}]}), vec!["`files[0].text` is missing"]),
        (
            "memory_store",
            json!({"section": "Gossip", "content": "x"}),
            vec!["`section`", "Gossip", "Specs"],
        ),
    ];
    for (tool, request, parts) in cases {
        check_message(&failure(&mut wire, tool, &request), &parts);
    }
    wire.close();
}
