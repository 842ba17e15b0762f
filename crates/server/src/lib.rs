//! The interfaces for other programs: MCP over stdio and HTTP on the loopback address.
//!
//! Both are derived from the table of operations and contain no logic of their own. The workspace is
//! opened for each request, so that changes by users and other processes are visible.

mod http;
mod limits;
pub mod mcp;
mod nightly;
pub mod openapi;
mod prompts;
pub mod rest;
mod shutdown;
mod wording;

pub use shutdown::poll_until_stopped;

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use heirloom_engine::{Client, Error, Op, Reply, Scope, Session, ops};
use serde_json::Value;

/// Opens the workspace. It is called for each request, and not before the first one.
pub trait SessionOpener: Send + Sync {
    /// Opens what a request needs.
    fn open(&self, scope: Scope) -> Result<Session, Error>;

    /// Opens the workspace of the caller; `None` if that would have to wait for another process or failed.
    fn try_open(&self) -> Option<Session>;
}

/// A shared opener of the workspace.
pub type SharedOpener = Arc<dyn SessionOpener>;

/// Runs an operation and converts its reply with `convert`. It runs on a blocking thread, because it
/// reads files and may wait for locks, unless the operation can be answered from memory; then it runs
/// on the event loop. Only a few run at once; the others wait.
async fn call<T: Send + 'static>(
    open: &SharedOpener,
    client: &Arc<Client>,
    op: &'static Op,
    request: Value,
    convert: fn(&Reply) -> T,
) -> Result<T, Error> {
    let run = move |session: &Session, request: Value| {
        ops::run(op, session, request).map(|reply| convert(&reply))
    };
    let prepare_inline = || {
        let prepare = op.prepare_inline?;
        let session = open.try_open()?.with_client(client.clone());
        Some(session).filter(|session| prepare(session, &request))
    };
    match catch_panic(op, || Ok(prepare_inline()))? {
        Some(session) => catch_panic(op, || run(&session, request)),
        None => {
            let slot = limits::wait_for_slot(op).await;
            let (open, client) = (open.clone(), client.clone());
            let work = move || {
                // The slot is held until the work ends, even if the client has gone.
                let _slot = slot;
                catch_panic(op, || {
                    let session = open.open(op.scope(&request))?.with_client(client);
                    run(&session, request)
                })
            };
            tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(panic_error(op, "")))
        }
    }
}

/// Runs a closure and converts a panic into an error, so that the server keeps running.
fn catch_panic<T>(op: &Op, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let message = payload.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| payload.downcast_ref::<&str>().copied());
        Err(panic_error(op, message.unwrap_or_default()))
    })
}

fn panic_error(op: &Op, message: &str) -> Error {
    Error::system(format!("{} crashed: {message}", op.spec.name)).hint("please report this bug")
}

/// Creates the event loop for both servers. It has threads for the operations that may run at once, and two that may
/// be blocked by standard input and output. The allocator keeps what a thread has freed for that thread, so more
/// threads would use more memory.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.max_blocking_threads(limits::MAX_PARALLEL_OPERATIONS + 2).enable_all().build()
}
