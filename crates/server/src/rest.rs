//! HTTP on the loopback address: `POST /v1/<operation>`.
//!
//! Any web page can make a browser send requests to the loopback address. So a request is rejected if
//! its `Host` is not this machine (DNS rebinding) or its `Origin` is not this server. Pages of other servers on
//! this machine are other sites: what a port serves is not known.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, RawPathParams, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use heirloom_core::hint::{Hint, format_hints};
use heirloom_core::json as json_text;
use heirloom_engine::{Client, Error, ErrorKind, OPS, Op, Reply};
use jiff::civil::Time;
use serde_json::{Map, Value, json};

use crate::http::{self, BodyError};
use crate::nightly::consolidate_daily;
use crate::wording::format_hint;
use crate::{SharedOpener, call, openapi, shutdown};

/// The maximum size of a request body in bytes.
pub const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// A server that is bound to a port and not running yet.
pub struct BoundServer {
    listener: tokio::net::TcpListener,
    /// The address that it listens on.
    pub address: SocketAddr,
}

/// Binds a port of the loopback address; port 0 selects a free one.
pub async fn bind(port: u16) -> std::io::Result<BoundServer> {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    Ok(BoundServer { listener, address })
}

impl BoundServer {
    /// Serves requests until the process is interrupted.
    pub async fn serve(self, open: SharedOpener) -> std::io::Result<()> {
        http::serve(self.listener, router(open), shutdown::requested()).await;
        Ok(())
    }

    /// Serves requests, and consolidates the memory every day at a time of day in UTC, until the process is interrupted.
    /// The answer of each consolidation is passed to `report`.
    pub async fn serve_and_consolidate(
        self,
        open: SharedOpener,
        at: Time,
        report: &dyn Fn(Result<Value, Error>),
    ) -> std::io::Result<()> {
        tokio::select! {
            served = self.serve(open.clone()) => served,
            () = consolidate_daily(open, at, report) => Ok(()),
        }
    }
}

/// What the handler of a request needs.
#[derive(Clone)]
struct ServerState {
    open: SharedOpener,
    /// Stands for all programs that make requests: HTTP does not tell them apart.
    client: Arc<Client>,
}

/// Returns the routes.
pub fn router(open: SharedOpener) -> Router {
    let paths = OPS.iter().flat_map(|op| op.paths.iter().map(move |path| (*path, op)));
    let with_paths = paths.fold(Router::new(), |router, (path, op)| {
        let run = async |state, parameters: RawPathParams, request| {
            let fields = parameters.iter().map(|(name, value)| (name.to_owned(), value.into()));
            run_operation(state, op, fields.collect(), request).await
        };
        router.route(path, any(run))
    });
    with_paths
        .route("/openapi.json", get(async || axum::Json(openapi::document())))
        .route(
            "/health",
            get(async || axum::Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))),
        )
        .route("/v1/{*operation}", any(operation))
        .fallback(async |uri: Uri| {
            error_response(
                StatusCode::NOT_FOUND,
                &Error::not_found(
                    format!("the path {} does not exist", uri.path()),
                    vec!["/v1/<operation>".into(), "/openapi.json".into()],
                ),
            )
        })
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(middleware::from_fn(reject_foreign_requests))
        .with_state(ServerState { open, client: Arc::default() })
}

async fn operation(
    State(state): State<ServerState>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    let Some(op) = find_operation(&path) else {
        let names: Vec<&str> = OPS.iter().map(|op| op.spec.name).collect();
        let near = heirloom_engine::nearest(&path.replace('/', "_"), &names);
        return error_response(
            StatusCode::NOT_FOUND,
            &Error::not_found(format!("there is no operation `{path}`"), near)
                .hint("GET /openapi.json lists the operations"),
        );
    };
    run_operation(State(state), op, Map::new(), request).await
}

/// Runs an operation with the fields that the path of the request states, and those of its body.
async fn run_operation(
    State(state): State<ServerState>,
    op: &'static Op,
    of_path: Map<String, Value>,
    request: Request,
) -> Response {
    let method = request.method().clone();
    if method != Method::POST {
        let mut response = error_response(
            StatusCode::METHOD_NOT_ALLOWED,
            &Error::bad_input(format!("the method {method} is not allowed here"))
                .hint(format!("use POST /v1/{}", op.spec.name)),
        );
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("POST"));
        return response;
    }
    let body = http::receive_body(request).await;
    let request = read_body(op, body).and_then(|body| with_path_fields(body, of_path));
    let request = match request {
        Ok(request) => request,
        Err((status, error)) => return error_response(status, &error),
    };
    match call(&state.open, &state.client, op, request, |reply: &Reply| reply.data(&format_hint))
        .await
    {
        Ok(data) => axum::Json(data).into_response(),
        Err(error) => error_response(status_code(error.kind), &error),
    }
}

/// Reads the request from the body; an empty body is a request without fields.
fn read_body(op: &Op, body: Result<Bytes, BodyError>) -> Result<Value, (StatusCode, Error)> {
    let body = body.map_err(|error| match error {
        BodyError::Timeout => {
            let seconds = http::BODY_READ_TIMEOUT.as_secs();
            let message = format!("the body was not received within {seconds} s");
            (StatusCode::REQUEST_TIMEOUT, Error::bad_input(message))
        }
        BodyError::Rejected(rejection) => {
            let error = match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => Error::bad_input("the body is too large")
                    .hint(format!("a body may have at most {MAX_BODY_BYTES} bytes")),
                _ => Error::bad_input("the body could not be read").hint("send the request again"),
            };
            (rejection.status(), error)
        }
    })?;
    if body.is_empty() {
        return Ok(json!({}));
    }
    serde_json::from_slice(&body).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let message =
            format!("the body is not JSON: {} at {place}", json_text::syntax_reason(&error));
        let hint = Hint::text("send a JSON object; /openapi.json describes ").help(op.spec.name);
        (StatusCode::BAD_REQUEST, Error::bad_input(message).hint(hint))
    })
}

/// Adds the fields that the path states to a request. Its body must not state others.
fn with_path_fields(
    mut body: Value,
    of_path: Map<String, Value>,
) -> Result<Value, (StatusCode, Error)> {
    let Some(fields) = body.as_object_mut() else { return Ok(body) };
    for (name, value) in of_path {
        if fields.get(&name).is_some_and(|stated| *stated != value) {
            let message = format!("the path and the body state different values of `{name}`");
            let error = Error::bad_input(message).hint(format!("leave out `{name}` in the body"));
            return Err((StatusCode::BAD_REQUEST, error));
        }
        fields.insert(name, value);
    }
    Ok(body)
}

/// Finds an operation by its name, or by its words on the command line as a path.
fn find_operation(path: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.spec.name == path || op.words().eq(path.split('/')))
}

fn status_code(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::BadInput | ErrorKind::Unconfirmed => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::NoWorkspace => StatusCode::CONFLICT,
        ErrorKind::System => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn error_response(status: StatusCode, error: &Error) -> Response {
    let mut body = json!({"error": error});
    format_hints(&mut body, &format_hint);
    (status, axum::Json(body)).into_response()
}

async fn reject_foreign_requests(request: Request, next: Next) -> Response {
    if !has_loopback_host(request.headers(), request.uri()) {
        return error_response(
            StatusCode::FORBIDDEN,
            &Error::bad_input("the Host of the request is not this machine")
                .hint("use 127.0.0.1 or localhost"),
        );
    }
    if !has_own_origin(request.headers(), request.uri()) {
        return error_response(
            StatusCode::FORBIDDEN,
            &Error::bad_input("the Origin of the request is not this server"),
        );
    }
    next.run(request).await
}

/// Returns whether there is exactly one Host and it is this machine. With several Host headers, another
/// program could read another one than this server.
fn has_loopback_host(headers: &HeaderMap, uri: &Uri) -> bool {
    let hosts: Vec<&str> = headers.get_all(header::HOST).iter().map(header_text).collect();
    match hosts.as_slice() {
        [] => uri.host().is_some_and(is_loopback),
        [host] => is_loopback(host),
        _ => false,
    }
}

/// Returns whether the Origin, if there is one, is the address that the request was sent to. A browser sets both
/// headers, and a page cannot change them.
fn has_own_origin(headers: &HeaderMap, uri: &Uri) -> bool {
    let host = headers.get(header::HOST).map(header_text);
    let host = host.or_else(|| uri.authority().map(Authority::as_str)).unwrap_or_default();
    let is_own = |origin: &str| {
        origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    };
    headers.get_all(header::ORIGIN).iter().map(header_text).all(is_own)
}

/// Returns the text of a header; one that is not ASCII never names this machine.
fn header_text(value: &header::HeaderValue) -> &str {
    value.to_str().unwrap_or("unreadable")
}

/// Returns whether `host[:port]` names this machine.
fn is_loopback(host: &str) -> bool {
    let address_end = if host.starts_with('[') { host.find(']').unwrap_or(0) } else { 0 };
    let name_end = host[address_end..].find(':').map_or(host.len(), |colon| address_end + colon);
    let (name, port) = host.split_at(name_end);
    let is_loopback_name =
        name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1" || name == "[::1]";
    is_loopback_name && port.bytes().skip(1).all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:4747", "[::1]", "[::1]:80"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1@evil.example",
            "[::1].evil.example",
            "",
            "localhost:80@x",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
