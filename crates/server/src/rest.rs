//! HTTP on loopback: `POST /v1/<operation>`.
//!
//! A browser can be made to send requests to loopback by any page it shows. So a request whose
//! `Host` is not this machine (DNS rebinding) or whose `Origin` is foreign is refused.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use heirloom_engine::{Error, ErrorKind, OPS, Op, Reply};
use serde_json::{Value, json};

use crate::{Open, call, openapi};

/// The largest body that is taken.
pub const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// A server that is bound and not yet running.
pub struct Bound {
    listener: tokio::net::TcpListener,
    /// Where it listens.
    pub address: SocketAddr,
}

/// Binds a port of loopback; 0 takes any that is free.
pub async fn bind(port: u16) -> std::io::Result<Bound> {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    Ok(Bound { listener, address })
}

impl Bound {
    /// Serves until the process is interrupted.
    pub async fn serve(self, open: Open) -> std::io::Result<()> {
        let stop = async {
            drop(tokio::signal::ctrl_c().await);
        };
        axum::serve(self.listener, router(open)).with_graceful_shutdown(stop).await
    }
}

/// Returns the routes.
pub fn router(open: Open) -> Router {
    Router::new()
        .route("/openapi.json", get(async || axum::Json(openapi::document())))
        .route(
            "/health",
            get(async || axum::Json(json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")}))),
        )
        .route("/v1/{*operation}", any(operation))
        .fallback(async |uri: Uri| {
            failure(
                StatusCode::NOT_FOUND,
                &Error::not_found(
                    format!("there is nothing at {}", uri.path()),
                    vec!["/v1/<operation>".into(), "/openapi.json".into()],
                ),
            )
        })
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(middleware::from_fn(only_from_here))
        .with_state(open)
}

async fn operation(
    State(open): State<Open>,
    Path(path): Path<String>,
    method: Method,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Response {
    let Some(op) = find(&path) else {
        let names: Vec<&str> = OPS.iter().map(|op| op.spec.name).collect();
        let near = heirloom_engine::nearest(&path.replace('/', "_"), &names);
        return failure(
            StatusCode::NOT_FOUND,
            &Error::not_found(format!("there is no operation `{path}`"), near)
                .hint("GET /openapi.json lists them"),
        );
    };
    if method != Method::POST {
        let mut response = failure(
            StatusCode::METHOD_NOT_ALLOWED,
            &Error::bad_input(format!("{method} is not taken here"))
                .hint(format!("POST /v1/{}", op.spec.name)),
        );
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("POST"));
        return response;
    }
    let body = match body {
        Ok(body) => body,
        Err(rejection) => {
            return failure(
                rejection.status(),
                &Error::bad_input(rejection.body_text())
                    .hint(format!("a body may have {BODY_LIMIT} bytes")),
            );
        }
    };
    let request: Value = match body.is_empty() {
        true => Value::Null,
        false => match serde_json::from_slice(&body) {
            Ok(request) => request,
            Err(error) => {
                return failure(
                    StatusCode::BAD_REQUEST,
                    &Error::bad_input(format!("the body is not JSON: {error}")),
                );
            }
        },
    };
    match call(&open, op, request, Reply::data).await {
        Ok(data) => axum::Json(data).into_response(),
        Err(error) => failure(status_of(error.kind), &error),
    }
}

/// An operation's name, or its words on the command line as a path.
fn find(path: &str) -> Option<&'static Op> {
    OPS.iter().find(|op| op.spec.name == path || op.words().eq(path.split('/')))
}

fn status_of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::BadInput | ErrorKind::Unconfirmed => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::NoWorkspace => StatusCode::CONFLICT,
        ErrorKind::System => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn failure(status: StatusCode, error: &Error) -> Response {
    (status, axum::Json(json!({"error": error}))).into_response()
}

async fn only_from_here(request: Request, next: Next) -> Response {
    if !is_for_here(request.headers(), request.uri()) {
        return failure(
            StatusCode::FORBIDDEN,
            &Error::bad_input("this Host is not served here").hint("use 127.0.0.1 or localhost"),
        );
    }
    if !is_from_here(request.headers()) {
        return failure(
            StatusCode::FORBIDDEN,
            &Error::bad_input("requests of this Origin are refused"),
        );
    }
    next.run(request).await
}

/// One Host, and it is this machine. A second one could be meant for somebody behind us.
fn is_for_here(headers: &HeaderMap, uri: &Uri) -> bool {
    let hosts: Vec<&str> = headers.get_all(header::HOST).iter().map(text_of).collect();
    match hosts.as_slice() {
        [] => uri.host().is_some_and(is_loopback),
        [host] => is_loopback(host),
        _ => false,
    }
}

fn is_from_here(headers: &HeaderMap) -> bool {
    let is_ours = |origin: &str| {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(is_loopback)
    };
    headers.get_all(header::ORIGIN).iter().map(text_of).all(is_ours)
}

fn text_of(value: &header::HeaderValue) -> &str {
    value.to_str().unwrap_or("unreadable")
}

/// Returns whether `host[:port]` names this machine.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, port)) if port.is_empty() || is_port(port) => return name == "::1",
            _ => return false,
        },
        None => host,
    };
    let (name, port) = name.split_once(':').map_or((name, None), |(name, port)| (name, Some(port)));
    port.is_none_or(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
        && (name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1")
}

fn is_port(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
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
