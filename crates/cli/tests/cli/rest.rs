//! `heir serve` over HTTP.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use heirloom_testkit::{TEAM, Workspace};
use serde_json::{Map, Value, json};

use crate::{HEIR, hostile_names};

const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

#[test]
fn an_operation_answers_in_json() {
    let server = Server::of_team();
    let agent = server.post("/v1/context_resolve", r#"{"plan": "0042", "agent": "001"}"#);
    assert_eq!((agent.status, agent.header("content-type")), (200, Some("application/json")));
    assert_eq!(agent.json()["values"]["voice"], "terse");
    assert_eq!(agent.json()["selectors"], json!({"plan": "0042-graph", "agent": "001-schema"}));

    let workspace = server.post("/v1/context_resolve", "");
    assert_eq!(
        (workspace.status, &workspace.json()["values"]["voice"]),
        (200, &json!("professional"))
    );
    assert_eq!(server.post("/v1/context_resolve", "{}").json(), workspace.json());
    assert_eq!(server.post("/v1/context/resolve", "{}").json(), workspace.json());
}

#[test]
fn a_context_is_assembled_at_a_path_of_its_own() {
    let server = Server::of_team();
    let body = r#"{"budget": 500, "signals": {"current_file": "src/graph.rs", "recent_errors": ["cycle"], "activity": "debugging"}}"#;
    let answer = server.post("/context/assemble", body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.json()["token_count"].as_u64().unwrap() <= 500);
    assert!(answer.json()["context"].is_string());
    let tiers = answer.json()["tiers"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(tiers, ["tier1", "tier2", "tier3", "tier4"]);
    assert_eq!(server.send("GET", "/context/assemble", &[], "").status, 405);
}

#[test]
fn memories_are_predicted_at_a_path_of_its_own() {
    let server = Server::of_team();
    server.workspace.write("src/graph_nodes.rs", "fn add_node() {}\n");
    let fact = r#"{"section": "Specs", "content": "src/graph_nodes.rs has no cycles"}"#;
    assert_eq!(server.post("/v1/memory_store", fact).status, 200);
    let answer = server.post("/context/predict", r#"{"file_opened": "src/graph_nodes.rs"}"#);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let first = &answer.json()["predicted_memories"][0];
    assert_eq!(first["title"], "src/graph_nodes.rs has no cycles");
    assert_eq!(answer.json()["confidence"], first["confidence"]);
    assert_eq!(server.post("/context/predict", "{}").status, 400);
}

#[test]
fn new_documents_are_served_at_once() {
    let server = Server::of_team();
    let plan = server.post("/v1/plan_new", r#"{"name": "Search"}"#);
    assert_eq!(plan.status, 200, "{}", plan.body);
    server
        .workspace
        .write("plans/0044-search/context.md", "---\nvoice: playful\nupdated: 2026-02-21\n---\n");
    assert_eq!(
        server.post("/v1/context_resolve", r#"{"plan": "44"}"#).json()["values"]["voice"],
        "playful"
    );
}

#[test]
fn mistakes_have_a_status_and_candidates() {
    let server = Server::of_team();
    let get = server.send("GET", "/v1/context_resolve", &[], "");
    assert_eq!((get.status, get.header("allow")), (405, Some("POST")));

    let resolve = |body: &str| server.post("/v1/context_resolve", body);
    let cases = [
        (server.post("/v1/context_resolv", "{}"), 404, "not_found", "context_resolve"),
        (server.post("/v1/context/resolv", "{}"), 404, "not_found", "context_resolve"),
        (server.post("/v2/context_resolve", "{}"), 404, "not_found", "/v1/<operation>"),
        (resolve(r#"{"plan": "0099"}"#), 404, "not_found", "0042-graph"),
        (resolve(r#"{"plan": "0042", "agent": "scheme"}"#), 404, "not_found", "001-schema"),
        (
            resolve(r#"{"plan": "#),
            400,
            "bad_input",
            "the text ends where a value is expected at line 1",
        ),
        (resolve(r#"["0042"]"#), 400, "bad_input", "context_resolve"),
        (resolve(r#"{"plann": "0042"}"#), 400, "bad_input", "plann"),
        (resolve(r#"{"plan": 42}"#), 400, "bad_input", "string"),
        (resolve("\u{feff}{}"), 400, "bad_input", "not JSON"),
        (resolve("null"), 400, "bad_input", "must be a JSON object, and null was given"),
    ];
    for (answer, status, kind, part) in cases {
        assert_eq!(
            (answer.status, answer.json()["error"]["kind"].as_str()),
            (status, Some(kind)),
            "{}",
            answer.body
        );
        assert!(answer.body.contains(part), "{part} is not in {}", answer.body);
    }
    let binary = server.send("POST", "/v1/context_resolve", &[], [0xff, 0x00]);
    assert_eq!(binary.status, 400, "{}", binary.body);
}

#[test]
fn null_for_an_optional_field_is_the_same_as_leaving_it_out() {
    let server = Server::of_team();
    let openapi = server.send("GET", "/openapi.json", &[], "").json();
    for (path, described) in openapi["paths"].as_object().unwrap() {
        let schema = &described["post"]["requestBody"]["content"]["application/json"]["schema"];
        // Undone once, there is nothing left to undo.
        if schema.get("required").is_some() || path == "/v1/undo" {
            continue;
        }
        let names = schema["properties"].as_object().unwrap().keys();
        let nulls: Map<String, Value> = names.map(|name| (name.clone(), Value::Null)).collect();
        let answer = server.post(path, &Value::Object(nulls).to_string());
        let without = server.post(path, "{}");
        assert_eq!(answer.status, without.status, "{path}: {}", answer.body);
        assert!(!answer.body.contains("null was given"), "{path}: {}", answer.body);
    }
    let required = server.post("/v1/memory_recall", r#"{"query": null, "limit": 5.0}"#);
    assert_eq!(required.status, 400);
    assert!(required.body.contains("`query` must be a string, and null"), "{}", required.body);
}

#[test]
fn hints_name_fields_and_operations() {
    let server = Server::of_team();
    let hint = |path: &str, body: &str| server.post(path, body).json()["error"]["hint"].clone();
    assert_eq!(
        hint("/v1/context_archive", r#"{"name": "workspace"}"#),
        json!("confirm with yes: true")
    );
    assert_eq!(
        hint("/v1/context_resolve", r#"{"plan": 42}"#),
        json!("see the parameters of `context_resolve`")
    );
    let unknown = hint("/v1/fact_show", r#"{"id": "ffffffff"}"#);
    let unknown = unknown.as_str().unwrap();
    assert!(unknown.starts_with("`memory_recall` and `memory_query` show ids"), "{unknown}");
}

#[test]
fn a_body_beyond_the_limit_is_rejected() {
    let server = Server::of_team();
    let padded = |length: usize| format!("{{{}}}", " ".repeat(length - 2));
    assert_eq!(server.post("/v1/context_resolve", &padded(MAX_BODY_BYTES)).status, 200);
    let over = server.post("/v1/context_resolve", &padded(MAX_BODY_BYTES + 1));
    assert_eq!(over.status, 413, "{}", over.body);
    assert!(over.body.contains(&MAX_BODY_BYTES.to_string()), "{}", over.body);
}

#[test]
fn a_folder_without_a_workspace_is_a_conflict() {
    let server = Server::start(Workspace::empty(HEIR), &["serve", "--port", "0"]);
    let answer = server.post("/v1/context_resolve", "{}");
    assert_eq!((answer.status, &answer.json()["error"]["kind"]), (409, &json!("no_workspace")));
    assert!(answer.body.contains("heir init"), "{}", answer.body);
}

#[test]
fn requests_of_other_hosts_and_origins_are_rejected() {
    let server = Server::of_team();
    let port = server.url.rsplit(':').next().unwrap();
    let here = format!("localhost:{port}");
    let other_name = format!("http://{here}");
    let other_scheme = server.url.replace("http://", "https://");
    let cases = [
        ("host", "evil.example", 403),
        ("host", "127.0.0.1.evil.example", 403),
        ("host", &here, 200),
        ("host", "[::1]", 200),
        ("origin", "https://evil.example", 403),
        ("origin", "http://localhost.evil.example", 403),
        ("origin", "null", 403),
        ("origin", "file://", 403),
        ("origin", "http://localhost:3000", 403),
        ("origin", "http://127.0.0.1:3000", 403),
        ("origin", "http://127.0.0.1", 403),
        ("origin", &other_name, 403),
        ("origin", &other_scheme, 403),
        ("origin", &server.url, 200),
    ];
    for (name, value, status) in cases {
        for (method, path) in
            [("POST", "/v1/context_resolve"), ("GET", "/openapi.json"), ("GET", "/health")]
        {
            assert_eq!(
                server.send(method, path, &[(name, value)], "").status,
                status,
                "{method} {path} with {name}: {value}"
            );
        }
    }
}

#[test]
fn every_operation_is_described_and_served() {
    let server = Server::of_team();
    let openapi = server.send("GET", "/openapi.json", &[], "").json();
    assert_eq!(
        (&openapi["openapi"], &openapi["info"]["version"]),
        (&json!("3.1.0"), &json!(env!("CARGO_PKG_VERSION")))
    );
    let paths = openapi["paths"].as_object().unwrap();
    for name in
        ["context_resolve", "context_health", "plan_list", "agent_new", "adr_list", "graph_show"]
    {
        assert!(paths.contains_key(&format!("/v1/{name}")), "{name} is not described");
    }
    for (path, described) in paths {
        let operation = &described["post"];
        // The id of a further path of an operation is that path.
        let id = path.trim_start_matches("/v1/").trim_matches('/').replace('/', ".");
        assert_eq!(operation["operationId"], id);
        assert!(
            operation["requestBody"]["content"]["application/json"]["schema"].is_object(),
            "{path}"
        );
        assert!(
            operation["responses"]["200"]["content"]["application/json"]["schema"].is_object(),
            "{path}"
        );
        let refused = server.post(path, r#"{"no_such_field": 1}"#);
        assert_eq!(refused.status, 400, "{path}: {}", refused.body);
        assert!(refused.body.contains("no_such_field"), "{path}: {}", refused.body);
    }
}

#[test]
fn concurrent_requests_are_answered() {
    let server = Server::of_team();
    let calls = [
        ("/v1/context_resolve", r#"{"plan": "0042", "agent": "001"}"#),
        ("/v1/plan_list", "{}"),
        ("/v1/adr_list", "{}"),
    ];
    let expected = calls.map(|(path, body)| server.post(path, body).body);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for at in 0..20 {
                    let (path, body) = calls[at % calls.len()];
                    let answer = server.post(path, body);
                    assert_eq!(
                        (answer.status, &answer.body),
                        (200, &expected[at % calls.len()]),
                        "{path}"
                    );
                }
            });
        }
    });
}

#[test]
fn hostile_names_reach_no_file_outside() {
    let inside = TEAM.replace("//- ", "//- team/");
    let outside = "//- outside/0001-secret-plan.md\n---\ntitle: SECRET\n---\nSECRET\n";
    let server = Server::start(
        Workspace::with(HEIR, &(inside + outside)),
        &["--root", "team", "serve", "--port", "0"],
    );
    let absolute = server.workspace.path().join("outside").to_string_lossy().into_owned();
    for name in hostile_names(&absolute) {
        let requests = [
            ("/v1/context_resolve", json!({"plan": name})),
            ("/v1/context_resolve", json!({"plan": "0042", "agent": name})),
            ("/v1/context_resolve", json!({"project": name})),
            ("/v1/agent_new", json!({"plan": name, "name": "Mole"})),
            ("/v1/adr_show", json!({"id": name})),
            ("/v1/graph_show", json!({"node": name})),
        ];
        for (path, request) in requests {
            let answer = server.post(path, &request.to_string());
            assert!(
                [400, 404].contains(&answer.status),
                "{path} {request}: {} {}",
                answer.status,
                answer.body
            );
            assert!(
                !answer.body.contains("SECRET"),
                "{path} {request} read outside: {}",
                answer.body
            );
        }
    }
    for path in [
        "/v1/../openapi.json",
        "/v1/..%2f..%2fetc%2fpasswd",
        "/v1/%00",
        "/v1//etc/passwd",
        "/..%2f..%2foutside",
    ] {
        let answer = server.post(path, "{}");
        assert!([404, 405].contains(&answer.status), "{path}: {} {}", answer.status, answer.body);
    }
    assert_eq!(names_in(&server.workspace.path().join("outside")), ["0001-secret-plan.md"]);
    assert_eq!(names_in(server.workspace.path()), ["outside", "team"]);
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A running `heir serve`, which is killed when this is dropped.
pub(crate) struct Server {
    process: Child,
    pub(crate) url: String,
    client: ureq::Agent,
    pub(crate) workspace: Workspace,
}

impl Server {
    fn of_team() -> Self {
        Self::start(Workspace::with(HEIR, TEAM), &["serve", "--port", "0"])
    }

    pub(crate) fn start(workspace: Workspace, arguments: &[&str]) -> Self {
        let process = workspace
            .command()
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("heir starts");
        // Connections are not reused, because the server may close one after an error.
        let client = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_idle_connections(0)
            .proxy(None)
            .build()
            .into();
        let mut server = Server { process, url: String::new(), client, workspace };
        let mut line = String::new();
        BufReader::new(server.process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        server.url = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("unexpected output {line:?}"))
            .to_owned();
        assert!(server.url.starts_with("http://127.0.0.1:"), "{}", server.url);
        server
    }

    fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("content-type", "application/json")], body)
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Reply {
        let mut request =
            ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let sent = match body.as_ref() {
            [] => self.client.run(request.body(()).unwrap()),
            body => self.client.run(request.body(body).unwrap()),
        };
        let mut response = sent.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect();
        Reply {
            status: response.status().as_u16(),
            headers,
            body: response.body_mut().read_to_string().unwrap(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A response of the server.
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}
