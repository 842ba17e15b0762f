//! HTTP connections, with bounds on their number, on the time that a client takes to send a request, and on the
//! size of what is received at once.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::limits::acquire;

/// Connections that are open at once; others wait in the queue of the system.
const MAX_CONNECTIONS: usize = 512;

/// The time that a client has for the headers of a request, and that an idle connection stays open.
const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(15);

/// The time that a client has for the body of a request.
pub(crate) const BODY_READ_TIMEOUT: Duration = Duration::from_secs(30);

/// A larger body is received together with few others.
const SMALL_BODY_MAX_BYTES: u64 = 64 * 1024;

/// Large bodies that are received at once.
const MAX_PARALLEL_LARGE_BODIES: usize = 4;

static CONNECTIONS: Semaphore = Semaphore::const_new(MAX_CONNECTIONS);
static LARGE_BODIES: Semaphore = Semaphore::const_new(MAX_PARALLEL_LARGE_BODIES);

/// The time to wait after a connection could not be accepted, because the process has too many files open.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Serves connections until `interrupted` ends, and then waits for those that are open.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    interrupted: impl Future<Output = ()>,
) {
    let connections = GracefulShutdown::new();
    tokio::select! {
        () = accept_connections(&listener, &router, &connections) => {}
        () = interrupted => {}
    }
    connections.shutdown().await;
}

/// Accepts connections forever.
async fn accept_connections(
    listener: &TcpListener,
    router: &Router,
    connections: &GracefulShutdown,
) {
    loop {
        let slot = acquire(&CONNECTIONS).await;
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let connection = connections.watch(serve_connection(stream, router.clone()));
        tokio::spawn(async move {
            let _slot = slot;
            // A client that disconnects, is too slow or breaks the protocol ends only its own connection.
            drop(connection.await);
        });
    }
}

/// Serves the requests of a connection.
fn serve_connection<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    router: Router,
) -> impl GracefulConnection<Output = Result<(), hyper::Error>> + Send {
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_READ_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}

/// Why a body was not received.
pub(crate) enum BodyError {
    /// The client took too long.
    Timeout,
    /// The body is too large, or the connection failed.
    Rejected(BytesRejection),
}

/// Receives the body of a request.
pub(crate) async fn receive_body(request: Request) -> Result<Bytes, BodyError> {
    let _slot = match is_small(request.headers()) {
        true => None,
        false => acquire(&LARGE_BODIES).await,
    };
    let received = tokio::time::timeout(BODY_READ_TIMEOUT, Bytes::from_request(request, &()));
    received.await.map_err(|_| BodyError::Timeout)?.map_err(BodyError::Rejected)
}

/// Returns whether the headers announce a small body. One without a length may be large.
fn is_small(headers: &HeaderMap) -> bool {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match length {
        Some(length) => length.parse().is_ok_and(|bytes: u64| bytes <= SMALL_BODY_MAX_BYTES),
        None => !headers.contains_key(header::TRANSFER_ENCODING),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use heirloom_engine::{Error, Scope, Session};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::{SessionOpener, rest};

    struct NoWorkspace;

    impl SessionOpener for NoWorkspace {
        fn open(&self, _: Scope) -> Result<Session, Error> {
            Err(Error::bad_input("there is no workspace in this test"))
        }

        fn try_open(&self) -> Option<Session> {
            None
        }
    }

    /// Sends bytes and then nothing, and returns the answer when the server has closed the connection. The clock
    /// is simulated: it advances to the next timeout as soon as nothing else happens.
    fn send_and_wait(bytes: &str) -> String {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (mut client, server) = tokio::io::duplex(64 * 1024);
            tokio::spawn(serve_connection(server, rest::router(Arc::new(NoWorkspace))));
            client.write_all(bytes.as_bytes()).await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            answer
        })
    }

    #[test]
    fn a_client_that_does_not_finish_its_headers_is_disconnected() {
        let answer = send_and_wait("POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
        assert!(!answer.contains("200"), "{answer}");
        assert_eq!(send_and_wait(""), "");
    }

    #[test]
    fn a_client_that_does_not_finish_its_body_is_told_and_disconnected() {
        let request = "POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
        let answer = send_and_wait(request);
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(answer.contains("the body was not received within 30 s"), "{answer}");
    }

    #[test]
    fn an_idle_connection_is_closed_after_its_answer() {
        let answer = send_and_wait("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }

    #[test]
    fn a_body_without_a_length_may_be_large() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
        };
        assert!(is_small(&HeaderMap::new()) && is_small(&headers("content-length", "65536")));
        for (name, value) in
            [("content-length", "65537"), ("content-length", "x"), ("transfer-encoding", "chunked")]
        {
            assert!(!is_small(&headers(name, value)), "{name}: {value}");
        }
    }
}
