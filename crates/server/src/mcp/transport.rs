//! Lines of JSON-RPC over a pair of streams.
//!
//! The library's own transport drops a line that is not JSON, and a client that waits for its answer
//! waits for ever. This one answers every line that cannot be served with an error of JSON-RPC, whose
//! id is null where none could be read, and goes on.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use heirloom_core::json;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// A longer line is refused: a client that never ends its line must not fill the memory.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The line is not JSON.
const PARSE_ERROR: i64 = -32700;
/// The line is JSON and no request.
const INVALID_REQUEST: i64 = -32600;

/// The write half; `None` once it is closed.
type Writer<W> = Arc<Mutex<Option<W>>>;

/// A write that goes on when whoever waits for the next line stops waiting.
type Answering = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A transport for a server.
pub(super) struct Lines<R, W> {
    read: BufReader<R>,
    /// What was read of the next line.
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is being passed over.
    is_skipping: bool,
    write: Writer<W>,
    answering: Option<Answering>,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    /// Makes one of two streams.
    pub(super) fn new(read: R, write: W) -> Self {
        Lines {
            read: BufReader::new(read),
            line: Vec::new(),
            is_skipping: false,
            write: Arc::new(Mutex::new(Some(write))),
            answering: None,
        }
    }

    /// Reads a line into `self.line`; `None` at the end of the stream. What was read stays where it
    /// is if the future is dropped.
    async fn next_line(&mut self) -> io::Result<Option<Length>> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            if !self.is_skipping {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.read.consume(taken);
            let was_skipping = self.is_skipping;
            self.is_skipping = end.is_none() && (was_skipping || self.line.len() > MAX_LINE_BYTES);
            if self.is_skipping && !was_skipping {
                self.line.clear();
                return Ok(Some(Length::TooLong));
            }
            if end.is_some() && !was_skipping {
                let is_too_long = self.line.len() > MAX_LINE_BYTES;
                return Ok(Some(if is_too_long { Length::TooLong } else { Length::Fits }));
            }
        }
    }
}

enum Length {
    Fits,
    TooLong,
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_vec(&message).map_err(io::Error::from);
        let write = self.write.clone();
        async move { write_line(&write, line?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answering) = &mut self.answering {
                let written = answering.await;
                self.answering = None;
                written.ok()?;
            }
            let read = match self.next_line().await.ok()?? {
                Length::TooLong => Line::Refused(refusal(
                    INVALID_REQUEST,
                    &Value::Null,
                    &format!("Invalid request: a message may have {MAX_LINE_BYTES} bytes"),
                )),
                Length::Fits => read(&self.line),
            };
            self.line.clear();
            match read {
                Line::Message(message) => return Some(*message),
                Line::Ignored => {}
                Line::Refused(answer) => {
                    let write = self.write.clone();
                    let line = answer.to_string().into_bytes();
                    self.answering = Some(Box::pin(async move { write_line(&write, line).await }));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.write.lock().await.take());
        Ok(())
    }
}

async fn write_line<W: AsyncWrite + Unpin>(write: &Writer<W>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut write = write.lock().await;
    let Some(write) = write.as_mut() else {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "the transport is closed"));
    };
    write.write_all(&line).await?;
    write.flush().await
}

/// What a line is.
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A notification that this server does not know, or an empty line.
    Ignored,
    /// Nothing that can be served, with the answer to it.
    Refused(Value),
}

fn read(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Line::Ignored;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Line::Message(Box::new(message));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let what = format!("Parse error: {}", json::syntax_error(&error));
            return Line::Refused(refusal(PARSE_ERROR, &Value::Null, &what));
        }
    };
    let id = Some(&value["id"]).filter(|id| id.is_string() || id.is_number()).cloned();
    let is_answer = value.get("result").is_some() || value.get("error").is_some();
    let is_notification = value["method"].is_string() && value.get("id").is_none();
    // An answer to an answer could go on for ever.
    if is_answer || is_notification {
        return Line::Ignored;
    }
    Line::Refused(refusal(
        INVALID_REQUEST,
        &id.unwrap_or_default(),
        &format!("Invalid request: {}", what_is_missing(&value)),
    ))
}

fn what_is_missing(value: &Value) -> String {
    match value {
        Value::Object(map) if map.get("jsonrpc") != Some(&json!("2.0")) => {
            "`jsonrpc` must be \"2.0\"".to_owned()
        }
        Value::Object(map) if !map.get("method").is_some_and(Value::is_string) => {
            "`method` must be a string".to_owned()
        }
        Value::Object(map) if !map.get("id").is_some_and(|id| id.is_string() || id.is_i64()) => {
            "`id` must be a string or an integer".to_owned()
        }
        Value::Object(_) => "`params` are not those of the method".to_owned(),
        other => format!("a request is a JSON object, and {} was given", json::described(other)),
    }
}

fn refusal(code: i64, id: &Value, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
