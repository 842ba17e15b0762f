//! A minimal MCP client for tests, which panics where the server does not behave.

use std::process::Command;

use serde_json::Value;

use crate::mcp::{self, StdioServer};

/// A session with an MCP server process. Dropping it kills the server.
#[derive(Debug)]
pub struct McpClient {
    server: StdioServer,
    last_id: u64,
}

impl McpClient {
    /// Starts a server and initialises the session.
    ///
    /// # Panics
    /// If the server does not start or does not respond to `initialize`.
    pub fn open(command: &mut Command) -> Self {
        Self::open_as("test", command)
    }

    /// Starts a server and initialises the session under the name of a client.
    ///
    /// # Panics
    /// If the server does not start or does not respond to `initialize`.
    pub fn open_as(name: &str, command: &mut Command) -> Self {
        let server = StdioServer::start(command).expect("the server starts");
        let mut client = McpClient { server, last_id: 0 };
        let response = client.ask("initialize", &mcp::initialize_params(name));
        assert!(response.contains("serverInfo"), "{response}");
        client.server.send(&mcp::initialized_notification()).unwrap();
        client
    }

    /// Sends a request and returns the line of the response.
    ///
    /// # Panics
    /// If the server has exited.
    pub fn ask(&mut self, method: &str, params: &Value) -> String {
        self.last_id += 1;
        self.server.send(&mcp::request(self.last_id, method, params)).unwrap();
        self.read_line()
    }

    /// Reads the next line that the server writes.
    ///
    /// # Panics
    /// If the server has exited.
    pub fn read_line(&mut self) -> String {
        self.server.read_line().unwrap()
    }

    /// Calls a tool of a server that was started with `--structured`, and returns the structured content of the result.
    ///
    /// # Panics
    /// If the server has exited, or the response is not valid.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let line = self.ask("tools/call", &mcp::call_params(tool, arguments));
        let mut response: Value = serde_json::from_str(&line).unwrap();
        response["result"]["structuredContent"].take()
    }

    /// Calls a tool and returns the text of the result.
    ///
    /// # Panics
    /// If the server has exited, or the response is not valid.
    pub fn call_for_text(&mut self, tool: &str, arguments: &Value) -> String {
        let line = self.ask("tools/call", &mcp::call_params(tool, arguments));
        let response: Value = serde_json::from_str(&line).unwrap();
        response["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Returns the id of the server's process.
    pub fn process_id(&self) -> u32 {
        self.server.process_id()
    }

    /// Sends raw bytes.
    ///
    /// # Panics
    /// If the server has exited.
    pub fn write(&mut self, bytes: &[u8]) {
        self.server.write(bytes).unwrap();
    }

    /// Closes the connection and waits for the server to exit.
    ///
    /// # Panics
    /// If the server exits with an error.
    pub fn close(self) {
        assert!(self.server.close().unwrap().success());
    }
}
