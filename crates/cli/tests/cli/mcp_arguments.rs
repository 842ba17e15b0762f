//! The arguments that MCP clients send: other spellings of the same request, and mistakes.

use heirloom_testkit::{McpClient, TEAM, Workspace};
use serde_json::{Map, Value, json};

use crate::HEIR;

/// Calls a tool. Returns the text of the result, and whether it is an error.
fn call(client: &mut McpClient, tool: &str, arguments: &Value) -> (String, bool) {
    let line = client.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
    let answer: Value = serde_json::from_str(&line).unwrap();
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (text.to_owned(), result["isError"] == true)
}

fn open(workspace: &Workspace) -> McpClient {
    McpClient::open(workspace.command().args(["mcp", "--tools", "all"]))
}

/// Returns the tools with their schemas.
fn tools(client: &mut McpClient) -> Vec<(String, Value)> {
    let answer: Value = serde_json::from_str(&client.ask("tools/list", &json!({}))).unwrap();
    let tools = answer["result"]["tools"].as_array().unwrap();
    let entry =
        |tool: &Value| (tool["name"].as_str().unwrap().to_owned(), tool["inputSchema"].clone());
    tools.iter().map(entry).collect()
}

/// Returns a value that matches the schema of a field.
fn valid_value(field: &Value) -> Value {
    match (field["enum"].as_array(), field["type"].as_str()) {
        (Some(words), _) => words[0].clone(),
        (None, Some("integer" | "number")) => json!(1),
        (None, Some("boolean")) => json!(true),
        (None, Some("array")) if field["items"]["type"] == "object" => {
            json!([{"name": "a.md", "text": "a"}])
        }
        (None, Some("array")) => json!(["x"]),
        (None, Some("object")) => json!({"x": "x"}),
        _ => json!("x"),
    }
}

fn is_type(field: &Value, name: &str) -> bool {
    field["type"] == name
        || field["type"].as_array().is_some_and(|types| types.contains(&json!(name)))
}

#[test]
fn null_is_accepted_for_every_optional_field() {
    let team = Workspace::with(HEIR, TEAM);
    let mut client = open(&team);
    for (tool, schema) in tools(&mut client) {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        let arguments: Map<String, Value> = properties
            .into_iter()
            .map(|(name, field)| match required.contains(&json!(name)) {
                true => (name, valid_value(&field)),
                false => (name, Value::Null),
            })
            .collect();
        let (text, _) = call(&mut client, &tool, &Value::Object(arguments));
        assert!(!text.contains("null"), "{tool}: {text}");
    }
    client.close();
}

#[test]
fn a_wrong_type_is_answered_with_the_name_of_the_field_and_the_tool() {
    let team = Workspace::with(HEIR, TEAM);
    let mut client = open(&team);
    let mut mistakes = 0;
    for (tool, schema) in tools(&mut client) {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().cloned().unwrap_or_default();
        for (name, field) in &properties {
            let wrong = match () {
                () if !is_type(field, "string") => json!("wrong"),
                () if !is_type(field, "object") => json!({"wrong": 1}),
                () => json!(5.5),
            };
            let mut arguments: Map<String, Value> = required
                .iter()
                .filter_map(Value::as_str)
                .map(|name| (name.to_owned(), valid_value(&properties[name])))
                .collect();
            arguments.insert(name.clone(), wrong);
            let (text, is_error) = call(&mut client, &tool, &Value::Object(arguments));
            assert!(is_error, "{tool}.{name}: {text}");
            assert!(text.contains(&format!("`{name}` must be")), "{tool}.{name}: {text}");
            let hint = format!("hint: see the parameters of `{tool}`");
            assert!(text.ends_with(&hint), "{tool}.{name}: {text}");
            mistakes += 1;
        }
    }
    assert!(mistakes > 200, "{mistakes}");
    client.close();
}

#[test]
fn a_whole_number_may_be_written_as_a_float() {
    let team = Workspace::with(HEIR, TEAM);
    let mut client = open(&team);
    for (tool, arguments) in [
        ("memory_recall", json!({"query": "money", "limit": 5.0})),
        ("memory_recall", json!({"query": "money", "k": 5.0})),
        ("graph_show", json!({"node": "0042", "depth": 1.0})),
    ] {
        let (text, is_error) = call(&mut client, tool, &arguments);
        assert!(!is_error, "{tool} {arguments}: {text}");
    }
    let (text, is_error) = call(&mut client, "memory_recall", &json!({"query": "x", "limit": 5.5}));
    assert!(is_error && text.contains("`limit` must be an integer"), "{text}");
    client.close();
}

#[test]
fn parameters_that_do_not_match_the_method_are_answered_with_the_reason() {
    let team = Workspace::with(HEIR, TEAM);
    let mut client = open(&team);
    let cases = [
        ("tools/call", json!({"name": "notes", "arguments": "x"}), "`arguments` must be an object"),
        ("tools/call", json!({"name": "notes", "arguments": []}), "`arguments` must be an object"),
        ("tools/call", json!({"name": 5}), "`name` must be a string, and 5 was given"),
        ("tools/call", json!({"arguments": {}}), "`name` is missing"),
        ("tools/call", json!({}), "`name` is missing"),
        ("tools/call", json!(null), "`name` is missing"),
        ("tools/call", json!([]), "`params` must be an object, but a list was sent"),
        ("tools/call", json!("x"), "`params` must be an object, but \"x\" was sent"),
        ("tools/call", json!({"name": "nothing"}), "there is no tool `nothing`"),
        ("prompts/get", json!({"name": []}), "`name` must be a string"),
        ("resources/read", json!({}), "`uri` is missing"),
    ];
    for (method, params, reason) in cases {
        let answer: Value = serde_json::from_str(&client.ask(method, &params)).unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{method} {params}: {message}");
    }
    let unknown: Value = serde_json::from_str(&client.ask("tools/nothing", &json!({}))).unwrap();
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    client.close();
}

#[test]
fn a_relation_is_one_of_a_list() {
    let team = Workspace::with(HEIR, TEAM);
    let mut client = open(&team);
    let tools = tools(&mut client);
    let (_, schema) = tools.iter().find(|(name, _)| name == "memory_connect").unwrap();
    let relations = ["depends_on", "contradicts", "enables", "replaces", "motivated_by"];
    assert_eq!(schema["properties"]["relation"]["enum"], json!(relations), "{schema}");
    let likes = json!({"source": "0042", "target": "0043", "relation": "likes"});
    let (text, is_error) = call(&mut client, "memory_connect", &likes);
    assert!(is_error && text.contains("`relation` must be one of depends_on, "), "{text}");
    client.close();
}

#[test]
fn a_template_of_a_pattern_may_be_a_structure() {
    let team = Workspace::with(HEIR, TEAM);
    let mut client = open(&team);
    for (trigger, template) in [
        ("endpoint", json!({"route": "/x", "steps": ["validate", 2]})),
        ("release", json!(["tag", "publish"])),
        ("test", json!("arrange, act, assert")),
    ] {
        let arguments = json!({"trigger": trigger, "template": template});
        let (text, is_error) = call(&mut client, "pattern_add", &arguments);
        assert!(!is_error, "{text}");
        let exported = team.run(&["export"]).stdout;
        assert!(exported.contains(&format!("\"template\":{template}")), "{exported}");
    }
    let number = json!({"trigger": "x", "template": 5});
    let (text, is_error) = call(&mut client, "pattern_add", &number);
    assert!(is_error && text.contains("`template` must be a string"), "{text}");
    client.close();
}

#[test]
fn a_request_about_no_memory_is_refused() {
    let team = Workspace::with(HEIR, TEAM);
    let mut client = open(&team);
    for (tool, field) in [
        ("memory_archive", "fact_ids"),
        ("memory_restore", "fact_ids"),
        ("note_done", "ids"),
        ("memory_import", "files"),
    ] {
        let (text, is_error) = call(&mut client, tool, &json!({field: []}));
        assert!(is_error && text.contains(&format!("`{field}` is empty")), "{tool}: {text}");
    }
    let (text, is_error) = call(&mut client, "episode_edit", &json!({"id": "x", "set": {}}));
    assert!(is_error && text.contains("`set` is empty"), "{text}");
    client.close();
}
