//! Clients of MCP: over standard input and output, or over HTTP.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::failure::Failure;

const PROTOCOL_VERSION: &str = "2025-06-18";

fn initialize_params() -> Value {
    json!({
        "protocolVersion": PROTOCOL_VERSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}
    })
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call_params(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// Returns the result of a response, or its error.
fn take_result(mut answer: Value, method: &str) -> Result<Value, Failure> {
    match answer.get("error") {
        Some(error) => Err(Failure::new(format!("{method}: {error}"))),
        None => Ok(answer["result"].take()),
    }
}

/// Returns the text of a tool's result.
pub(crate) fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap_or_default()
}

/// A server with MCP over standard input and output. It is killed when this is dropped.
pub(crate) struct StdioClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
    waiting_time: Duration,
}

impl StdioClient {
    /// Starts a server and initialises the session.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        let program = command.get_program().to_owned();
        let program = Path::new(&program);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Failure::io("starting", program))?;
        let input = child.stdin.take();
        let output =
            child.stdout.take().ok_or_else(|| Failure::new("the server has no standard output"))?;
        let output = BufReader::new(output);
        let mut client =
            StdioClient { child, input, output, last_id: 0, waiting_time: Duration::ZERO };
        client.ask("initialize", &initialize_params())?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.ask("tools/call", &call_params(tool, arguments))
    }

    /// Returns how long responses took to arrive since the last call.
    pub(crate) fn take_waiting_time(&mut self) -> Duration {
        std::mem::take(&mut self.waiting_time)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.last_id += 1;
        let message = request(self.last_id, method, params);
        let started = Instant::now();
        self.send(&message)?;
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line);
            if read.map_err(Failure::io("reading from", Path::new("the server")))? == 0 {
                return Err(Failure::new(format!("the server exited before it answered {method}")));
            }
            let waited = started.elapsed();
            // Some servers print lines that are no messages.
            let Ok(answer) = serde_json::from_str::<Value>(&line) else { continue };
            if answer["id"] == self.last_id && answer.get("method").is_none() {
                self.waiting_time += waited;
                return take_result(answer, method);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let Some(input) = &mut self.input else { return Ok(()) };
        // One write for each message, since the server may read after each.
        let sent = input.write_all(format!("{message}\n").as_bytes());
        sent.map_err(Failure::io("writing to", Path::new("the server")))
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        drop(self.input.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A server with MCP over HTTP.
pub(crate) struct HttpClient {
    url: String,
    agent: ureq::Agent,
    session: Option<String>,
    last_id: u64,
    waiting_time: Duration,
}

const SESSION_HEADER: &str = "mcp-session-id";

impl HttpClient {
    /// Initialises a session with a running server.
    pub(crate) fn open(url: &str) -> Result<Self, Failure> {
        let agent = ureq::Agent::new_with_defaults();
        let (url, waiting_time) = (url.to_owned(), Duration::ZERO);
        let mut http = HttpClient { url, agent, session: None, last_id: 0, waiting_time };
        http.ask("initialize", &initialize_params())?;
        http.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(http)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.ask("tools/call", &call_params(tool, arguments))
    }

    /// Returns how long responses took to arrive since the last call.
    pub(crate) fn take_waiting_time(&mut self) -> Duration {
        std::mem::take(&mut self.waiting_time)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.last_id += 1;
        let message = request(self.last_id, method, params);
        let started = Instant::now();
        let text = self.post(&message)?;
        self.waiting_time += started.elapsed();
        // A response is a stream of events, or one object.
        let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let mut answers = events.chain([text.as_str()]).filter_map(|text| {
            serde_json::from_str::<Value>(text).ok().filter(|answer| answer["id"] == self.last_id)
        });
        let answer = answers.next();
        take_result(answer.ok_or_else(|| Failure::new(format!("{method}: {text}")))?, method)
    }

    fn post(&mut self, message: &Value) -> Result<String, Failure> {
        let failed = |error: ureq::Error| Failure::new(format!("{}: {error}", self.url));
        let mut call = self
            .agent
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if let Some(session) = &self.session {
            call = call
                .header(SESSION_HEADER, session)
                .header("mcp-protocol-version", PROTOCOL_VERSION);
        }
        let mut answer = call.send(message.to_string()).map_err(failed)?;
        let session = answer.headers().get(SESSION_HEADER).and_then(|value| value.to_str().ok());
        if let Some(session) = session.map(str::to_owned) {
            self.session = Some(session);
        }
        answer.body_mut().read_to_string().map_err(|error| Failure::new(error.to_string()))
    }
}
