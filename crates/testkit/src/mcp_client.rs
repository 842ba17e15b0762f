//! A minimal MCP client that talks to a server over its standard streams.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A connection to an MCP server process. Dropping it kills the server.
#[derive(Debug)]
pub struct McpClient {
    server: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
}

impl McpClient {
    /// Starts a server and initialises the connection.
    ///
    /// # Panics
    /// If the server does not start or does not respond to `initialize`.
    pub fn open(command: &mut Command) -> Self {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let (stdin, stdout) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let mut wire = McpClient { server, stdin, stdout, last_id: 0 };
        let response = wire.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "wire", "version": "1"}
            }),
        );
        assert!(response.contains("serverInfo"), "{response}");
        wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        wire
    }

    /// Sends a request and returns the line of the response.
    ///
    /// # Panics
    /// If the server has exited.
    pub fn ask(&mut self, method: &str, params: &Value) -> String {
        self.last_id += 1;
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}),
        );
        self.read_line()
    }

    /// Reads the next line that the server writes.
    ///
    /// # Panics
    /// If the server has exited.
    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line
    }

    /// Calls a tool and returns the structured content of the result.
    ///
    /// # Panics
    /// If the server has exited, or the response is not valid.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let line = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let mut response: Value = serde_json::from_str(&line).unwrap();
        response["result"]["structuredContent"].take()
    }

    /// Sends raw bytes.
    ///
    /// # Panics
    /// If the server has exited.
    pub fn write(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Closes the connection and waits for the server to exit.
    ///
    /// # Panics
    /// If the server exits with an error.
    pub fn close(mut self) {
        self.stdin = None;
        assert!(self.server.wait().unwrap().success());
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
