//! Clients of MCP servers: over standard input and output, or over HTTP.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heirloom_testkit::mcp::{self, PROTOCOL_VERSION, StdioServer};
use serde_json::Value;

use crate::failure::Failure;

const SESSION_HEADER: &str = "mcp-session-id";

/// The way in which messages reach a server.
pub(crate) trait Transport {
    /// Sends a request, and returns the response to it and how long that took to arrive.
    fn exchange(&mut self, request: &Value) -> Result<(Value, Duration), Failure>;

    /// Sends a message that gets no response.
    fn notify(&mut self, message: &Value) -> Result<(), Failure>;
}

/// A session with an MCP server.
pub(crate) struct McpClient<T> {
    transport: T,
    last_id: u64,
    waiting_time: Duration,
}

/// A session over standard input and output. The server is killed when this is dropped.
pub(crate) type StdioClient = McpClient<StdioServer>;

/// A session over HTTP.
pub(crate) type HttpClient = McpClient<HttpTransport>;

impl<T: Transport> McpClient<T> {
    fn initialise(transport: T) -> Result<Self, Failure> {
        let mut client = McpClient { transport, last_id: 0, waiting_time: Duration::ZERO };
        client.ask("initialize", &mcp::initialize_params("bench"))?;
        client.transport.notify(&mcp::initialized_notification())?;
        Ok(client)
    }

    /// Calls a tool, and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Failure> {
        self.ask("tools/call", &mcp::call_params(tool, arguments))
    }

    /// Returns how long the responses since the last call of this function took to arrive.
    pub(crate) fn take_response_time(&mut self) -> Duration {
        std::mem::take(&mut self.waiting_time)
    }

    /// Sends a request, and returns the result.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Result<Value, Failure> {
        self.last_id += 1;
        let request = mcp::request(self.last_id, method, params);
        let (mut response, waited) = self.transport.exchange(&request)?;
        self.waiting_time += waited;
        match response.get("error") {
            Some(error) => Err(Failure::new(format!("{method}: {error}"))),
            None => Ok(response["result"].take()),
        }
    }
}

/// Returns the text of a tool's result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

impl StdioClient {
    /// Starts a server and initialises the session.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        let program = command.get_program().to_owned();
        let server = StdioServer::start(command.stderr(Stdio::null()))
            .map_err(Failure::io("starting", Path::new(&program)))?;
        McpClient::initialise(server)
    }
}

impl Transport for StdioServer {
    fn exchange(&mut self, request: &Value) -> Result<(Value, Duration), Failure> {
        let started = Instant::now();
        self.notify(request)?;
        loop {
            let line = self.read_line();
            let line = line.map_err(Failure::io("reading from", Path::new("the server")))?;
            let waited = started.elapsed();
            // Some servers print lines that are no messages.
            let Ok(response) = serde_json::from_str::<Value>(&line) else { continue };
            if response["id"] == request["id"] && response.get("method").is_none() {
                return Ok((response, waited));
            }
        }
    }

    fn notify(&mut self, message: &Value) -> Result<(), Failure> {
        self.send(message).map_err(Failure::io("writing to", Path::new("the server")))
    }
}

/// A connection to a server over HTTP.
pub(crate) struct HttpTransport {
    url: String,
    agent: ureq::Agent,
    /// The session id that the server has assigned.
    session: Option<String>,
}

impl HttpClient {
    /// Initialises a session with a running server.
    pub(crate) fn open(url: &str) -> Result<Self, Failure> {
        let agent = ureq::Agent::new_with_defaults();
        McpClient::initialise(HttpTransport { url: url.to_owned(), agent, session: None })
    }
}

impl Transport for HttpTransport {
    fn exchange(&mut self, request: &Value) -> Result<(Value, Duration), Failure> {
        let started = Instant::now();
        let text = self.post(request)?;
        let waited = started.elapsed();
        // The body is a stream of events, or one object.
        let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let mut responses = events.chain([text.as_str()]).filter_map(|text| {
            let response = serde_json::from_str::<Value>(text).ok();
            response.filter(|response| response["id"] == request["id"])
        });
        let response = responses.next();
        let response = response.ok_or_else(|| Failure::new(format!("{}: {text}", self.url)))?;
        Ok((response, waited))
    }

    fn notify(&mut self, message: &Value) -> Result<(), Failure> {
        self.post(message).map(drop)
    }
}

impl HttpTransport {
    /// Posts a message, and returns the body of the response.
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
        let mut response = call.send(message.to_string()).map_err(failed)?;
        let session = response.headers().get(SESSION_HEADER).and_then(|value| value.to_str().ok());
        if let Some(session) = session.map(str::to_owned) {
            self.session = Some(session);
        }
        response.body_mut().read_to_string().map_err(failed)
    }
}
