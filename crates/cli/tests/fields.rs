//! The fields of requests: their spellings, and what is said of a field that is not right.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use heirloom_testkit::{TEAM, Wire, Workspace};
use serde_json::{Value, json};

fn team() -> Workspace {
    Workspace::with(env!("CARGO_BIN_EXE_heir"), TEAM)
}

/// Returns what a call of a tool says went wrong.
fn failure(wire: &mut Wire, tool: &str, arguments: &Value) -> String {
    let line = wire.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["result"]["isError"], true, "{line}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn plans_and_agents_go_by_any_spelling_in_every_operation() {
    let team = team();
    let mut wire = Wire::open(team.command().args(["mcp"]));
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
    let said = failure(&mut wire, "context_resolve", &json!({"plan": "0042", "planId": "0043"}));
    assert!(said.contains("`plan` is given twice, as \"0042\" and as \"0043\""), "{said}");
    let said = failure(&mut wire, "context_resolve", &json!({"plane": "0042"}));
    assert!(said.contains("there is no field `plane`"), "{said}");
    wire.close();
}

#[test]
fn the_schema_names_each_field_once() {
    let team = team();
    let mut wire = Wire::open(team.command().args(["mcp", "--tools", "all"]));
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
