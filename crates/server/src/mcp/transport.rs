//! A transport for JSON-RPC messages, one per line, over a pair of streams.
//!
//! The transport of the library drops a line that is not valid JSON, so the client waits for a
//! response forever. This one responds to every invalid line with a JSON-RPC error, whose id is null
//! if none could be read, and continues.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use heirloom_core::{byte_order_mark, json};
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// A longer line is rejected, so that a client that never ends its line does not exhaust memory.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The JSON-RPC error code for a line that is not JSON.
const PARSE_ERROR: i64 = -32700;
/// The JSON-RPC error code for JSON that is not a request.
const INVALID_REQUEST: i64 = -32600;
/// The JSON-RPC error code for parameters that do not match the method.
const INVALID_PARAMS: i64 = -32602;

/// The write half; `None` once it is closed.
type Writer<W> = Arc<Mutex<Option<W>>>;

/// A write in progress. It is stored, because the future that waits for the next line may be dropped
/// and created again.
type PendingWrite = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// The transport of a server.
pub(super) struct JsonLines<R, W> {
    reader: BufReader<R>,
    /// The part of the current line that was read so far.
    line: Vec<u8>,
    /// Whether the rest of an overlong line is being skipped.
    is_skipping: bool,
    writer: Writer<W>,
    pending_error: Option<PendingWrite>,
}

impl<R: AsyncRead + Unpin, W> JsonLines<R, W> {
    /// Creates a transport from two streams.
    pub(super) fn new(reader: R, writer: W) -> Self {
        JsonLines {
            reader: BufReader::new(reader),
            line: Vec::new(),
            is_skipping: false,
            writer: Arc::new(Mutex::new(Some(writer))),
            pending_error: None,
        }
    }

    /// Reads a line into `self.line`; `None` at the end of the stream. It is cancellation-safe: bytes
    /// that were read are kept if the future is dropped.
    async fn next_line(&mut self) -> io::Result<Option<LineLength>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(None);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let consumed = end.map_or(available.len(), |end| end + 1);
            if !self.is_skipping {
                self.line.extend_from_slice(&available[..consumed]);
            }
            self.reader.consume(consumed);
            let was_skipping = self.is_skipping;
            self.is_skipping = end.is_none() && (was_skipping || self.line.len() > MAX_LINE_BYTES);
            if self.is_skipping && !was_skipping {
                self.line.clear();
                return Ok(Some(LineLength::TooLong));
            }
            if end.is_some() && !was_skipping {
                let is_too_long = self.line.len() > MAX_LINE_BYTES;
                return Ok(Some(if is_too_long { LineLength::TooLong } else { LineLength::Fits }));
            }
        }
    }
}

/// Whether a line is within the limit.
enum LineLength {
    Fits,
    TooLong,
}

impl<R, W> Transport<RoleServer> for JsonLines<R, W>
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
        let writer = self.writer.clone();
        async move { write_line(&writer, line?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(pending) = &mut self.pending_error {
                let written = pending.await;
                self.pending_error = None;
                written.ok()?;
            }
            let line = match self.next_line().await.ok()?? {
                LineLength::TooLong => Line::Invalid(error_response(
                    INVALID_REQUEST,
                    &Value::Null,
                    &format!("Invalid request: a message may have at most {MAX_LINE_BYTES} bytes"),
                )),
                LineLength::Fits => parse_line(&self.line),
            };
            self.line.clear();
            match line {
                Line::Message(message) => return Some(*message),
                Line::Ignored => {}
                Line::Invalid(response) => {
                    let writer = self.writer.clone();
                    let line = response.to_string().into_bytes();
                    let write = async move { write_line(&writer, line).await };
                    self.pending_error = Some(Box::pin(write));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.writer.lock().await.take());
        Ok(())
    }
}

async fn write_line<W: AsyncWrite + Unpin>(
    writer: &Writer<W>,
    mut line: Vec<u8>,
) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    let Some(writer) = writer.as_mut() else {
        return Err(io::Error::new(io::ErrorKind::NotConnected, "the transport is closed"));
    };
    writer.write_all(&line).await?;
    writer.flush().await
}

/// A parsed line.
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// An empty line, an unknown notification or an invalid response.
    Ignored,
    /// An invalid line, with the error response to send.
    Invalid(Value),
}

fn parse_line(line: &[u8]) -> Line {
    let line = byte_order_mark::strip_bytes(line.trim_ascii());
    if line.is_empty() {
        return Line::Ignored;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Line::Message(Box::new(message));
    }
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("Parse error: {}", json::describe_syntax_error(&error));
            return Line::Invalid(error_response(PARSE_ERROR, &Value::Null, &message));
        }
    };
    let id = Some(&value["id"]).filter(|id| id.is_string() || id.is_number()).cloned();
    let is_response = value.get("result").is_some() || value.get("error").is_some();
    let is_notification = value["method"].is_string() && value.get("id").is_none();
    // Responding to a response could start an endless exchange.
    if is_response || is_notification {
        return Line::Ignored;
    }
    let (code, message) = match describe_defect(&value) {
        Some(defect) => (INVALID_REQUEST, format!("Invalid request: {defect}")),
        None => (
            INVALID_PARAMS,
            format!(
                "Invalid params: `params` must be an object, but {} was sent",
                json::describe(&value["params"])
            ),
        ),
    };
    Line::Invalid(error_response(code, &id.unwrap_or_default(), &message))
}

/// Describes why a JSON value is not a JSON-RPC request; `None` if only its parameters are invalid.
fn describe_defect(value: &Value) -> Option<String> {
    Some(match value {
        Value::Object(map) if map.get("jsonrpc") != Some(&json!("2.0")) => {
            "`jsonrpc` must be \"2.0\"".to_owned()
        }
        Value::Object(map) if !map.get("method").is_some_and(Value::is_string) => {
            "`method` must be a string".to_owned()
        }
        Value::Object(map) if !map.get("id").is_some_and(|id| id.is_string() || id.is_i64()) => {
            "`id` must be a string or an integer".to_owned()
        }
        Value::Object(_) => return None,
        other => {
            format!("a request must be a JSON object, but {} was sent", json::describe(other))
        }
    })
}

fn error_response(code: i64, id: &Value, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}
