//! Speaking MCP: to a process by its pipes, or to a server by HTTP.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::failure::Failure;

const VERSION: &str = "2025-06-18";

fn hello() -> Value {
    json!({
        "protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}
    })
}

fn request(number: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
}

fn called(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// What an answer holds, unless it is an error.
fn result(mut answer: Value, method: &str) -> Result<Value, Failure> {
    match answer.get("error") {
        Some(error) => Err(Failure::new(format!("{method}: {error}"))),
        None => Ok(answer["result"].take()),
    }
}

/// Returns the text of an answer.
pub(crate) fn text(answer: &Value) -> &str {
    answer["content"][0]["text"].as_str().unwrap_or_default()
}

/// A server that is spoken to by its pipes. It ends with this.
pub(crate) struct StdioClient {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    number: u64,
    waited: Duration,
}

impl StdioClient {
    /// Starts a server and greets it.
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
        let output = child.stdout.take().ok_or_else(|| Failure::new("a server without output"))?;
        let output = BufReader::new(output);
        let mut pipes = StdioClient { child, input, output, number: 0, waited: Duration::ZERO };
        pipes.ask("initialize", &hello())?;
        pipes.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(pipes)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.ask("tools/call", &called(tool, arguments))
    }

    /// Returns how long one waited for answers since this was last asked.
    pub(crate) fn take_waiting_time(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.number += 1;
        let message = request(self.number, method, params);
        let started = Instant::now();
        self.send(&message)?;
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line);
            if read.map_err(Failure::io("hearing", Path::new("a server")))? == 0 {
                return Err(Failure::new(format!("the server ended before it answered {method}")));
            }
            let waited = started.elapsed();
            // Some print more than answers.
            let Ok(answer) = serde_json::from_str::<Value>(&line) else { continue };
            if answer["id"] == self.number && answer.get("method").is_none() {
                self.waited += waited;
                return result(answer, method);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let Some(input) = &mut self.input else { return Ok(()) };
        // A pipe takes every write at once, so that a message is one.
        let sent = input.write_all(format!("{message}\n").as_bytes());
        sent.map_err(Failure::io("speaking to", Path::new("a server")))
    }
}

impl Drop for StdioClient {
    fn drop(&mut self) {
        drop(self.input.take());
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A server that is spoken to by HTTP.
pub(crate) struct HttpClient {
    url: String,
    agent: ureq::Agent,
    session: Option<String>,
    number: u64,
    waited: Duration,
}

const SESSION: &str = "mcp-session-id";

impl HttpClient {
    /// Greets a server.
    pub(crate) fn open(url: &str) -> Result<Self, Failure> {
        let agent = ureq::Agent::new_with_defaults();
        let (url, waited) = (url.to_owned(), Duration::ZERO);
        let mut http = HttpClient { url, agent, session: None, number: 0, waited };
        http.ask("initialize", &hello())?;
        http.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(http)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.ask("tools/call", &called(tool, arguments))
    }

    /// Returns how long one waited for answers since this was last asked.
    pub(crate) fn take_waiting_time(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.number += 1;
        let message = request(self.number, method, params);
        let started = Instant::now();
        let text = self.post(&message)?;
        self.waited += started.elapsed();
        // An answer is a stream of events, or one object.
        let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let mut answers = events.chain([text.as_str()]).filter_map(|text| {
            serde_json::from_str::<Value>(text).ok().filter(|answer| answer["id"] == self.number)
        });
        let answer = answers.next();
        result(answer.ok_or_else(|| Failure::new(format!("{method}: {text}")))?, method)
    }

    fn post(&mut self, message: &Value) -> Result<String, Failure> {
        let failed = |error: ureq::Error| Failure::new(format!("{}: {error}", self.url));
        let mut call = self
            .agent
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if let Some(session) = &self.session {
            call = call.header(SESSION, session).header("mcp-protocol-version", VERSION);
        }
        let mut answer = call.send(message.to_string()).map_err(failed)?;
        let given = answer.headers().get(SESSION).and_then(|value| value.to_str().ok());
        if let Some(given) = given.map(str::to_owned) {
            self.session = Some(given);
        }
        answer.body_mut().read_to_string().map_err(|error| Failure::new(error.to_string()))
    }
}
