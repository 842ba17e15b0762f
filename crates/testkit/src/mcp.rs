//! The messages that an MCP client sends, and a server process that receives them over its standard streams.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use crate::child_guard::ChildGuard;

/// The protocol version that the clients ask for.
pub const PROTOCOL_VERSION: &str = "2025-06-18";

/// Returns a request.
pub fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Returns the parameters of the request `initialize`.
pub fn initialize_params(client: &str) -> Value {
    json!({
        "protocolVersion": PROTOCOL_VERSION, "capabilities": {},
        "clientInfo": {"name": client, "version": "1"}
    })
}

/// Returns the notification that follows the response to `initialize`.
pub fn initialized_notification() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

/// Returns the parameters of the request `tools/call`.
pub fn call_params(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// A server process that exchanges messages over its standard streams, one per line. Dropping it kills the
/// server.
#[derive(Debug)]
pub struct StdioServer {
    process: ChildGuard,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl StdioServer {
    /// Starts a server.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut process = ChildGuard(child);
        let stdin = process.0.stdin.take();
        let stdout = process.0.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(StdioServer { process, stdin, stdout: BufReader::new(stdout) })
    }

    /// Returns the id of the server's process.
    pub fn process_id(&self) -> u32 {
        self.process.0.id()
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the server has exited.
    pub fn send(&mut self, message: &Value) -> io::Result<()> {
        // One write for each message, since the server may read after each.
        self.write(format!("{message}\n").as_bytes())
    }

    /// Sends raw bytes.
    ///
    /// # Errors
    /// If the server has exited.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write_all(bytes)
    }

    /// Reads the next line that the server writes.
    ///
    /// # Errors
    /// If the server has exited.
    pub fn read_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stdout.read_line(&mut line)? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server has exited")),
            _ => Ok(line),
        }
    }

    /// Closes standard input and waits for the server to exit.
    ///
    /// # Errors
    /// If the system cannot wait for the process.
    pub fn close(mut self) -> io::Result<ExitStatus> {
        self.stdin = None;
        self.process.0.wait()
    }
}
