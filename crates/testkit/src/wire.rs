//! A server and its standard streams, without a client between.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A server that speaks MCP on its standard streams; it ends with this.
#[derive(Debug)]
pub struct Wire {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    asked: u64,
}

impl Wire {
    /// Starts a server, and introduces itself.
    ///
    /// # Panics
    /// Where the server does not start, or does not say who it is.
    pub fn open(command: &mut Command) -> Self {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let mut wire = Wire { server, to, from, asked: 0 };
        let answer = wire.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "wire", "version": "1"}
            }),
        );
        assert!(answer.contains("serverInfo"), "{answer}");
        wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        wire
    }

    /// Sends a request and returns the line of its answer.
    ///
    /// # Panics
    /// Where the server is gone.
    pub fn ask(&mut self, method: &str, params: &Value) -> String {
        self.asked += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        self.read_line()
    }

    /// Reads the next line that the server writes.
    ///
    /// # Panics
    /// Where the server is gone.
    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        line
    }

    /// Calls a tool and returns the data of its answer.
    ///
    /// # Panics
    /// Where the server is gone, or what it says is no answer.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let line = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        answer["result"]["structuredContent"].take()
    }

    /// Sends bytes as they are.
    ///
    /// # Panics
    /// Where the server is gone.
    pub fn write(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Hangs up.
    ///
    /// # Panics
    /// Where the server does not end well.
    pub fn close(mut self) {
        self.to = None;
        assert!(self.server.wait().unwrap().success());
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
