//! The doors that other programs use: MCP over stdio and HTTP on loopback.
//!
//! Both loop over the table of operations and hold no logic of their own. A door opens the
//! workspace anew for each call, so that it sees what people and other processes write.

pub mod mcp;
pub mod openapi;
mod prompts;
pub mod rest;

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use heirloom_engine::{Error, Op, Reply, Session};
use serde_json::Value;

/// Opens the workspace; called for each request and never before the first one.
pub type Open = Arc<dyn Fn() -> Result<Session, Error> + Send + Sync>;

/// Runs an operation and puts its answer into the form that the door needs there, where the answer
/// lives: off the event loop, since it reads files, unless the answer is at hand.
async fn call<T: Send + 'static>(
    open: &Open,
    op: &'static Op,
    request: Value,
    form: fn(&Reply) -> T,
) -> Result<T, Error> {
    let run = move |session: &Session, request: Value| {
        let answer = || op.call(session, request).map(|reply| form(&reply));
        panic::catch_unwind(AssertUnwindSafe(answer)).unwrap_or_else(|_| Err(crashed(op)))
    };
    let answer = match open() {
        Ok(session) if op.is_at_hand(&session, &request) => run(&session, request),
        Ok(session) => tokio::task::spawn_blocking(move || run(&session, request))
            .await
            .unwrap_or_else(|_| Err(crashed(op))),
        Err(error) => Err(error),
    };
    answer.map_err(|error| Error { hint: error.hint.as_deref().map(with_fields), ..error })
}

fn crashed(op: &Op) -> Error {
    Error::system(format!("{} crashed", op.spec.name)).hint("please report this")
}

/// Names the fields of a request where a hint names the flags of the command line. A whole command
/// stays as it is.
fn with_fields(hint: &str) -> String {
    let mut out = String::new();
    for (at, span) in hint.split('`').enumerate() {
        if at > 0 {
            out.push('`');
        }
        match span.starts_with("heir ") {
            true => out.push_str(span),
            false => push_with_fields(span, &mut out),
        }
    }
    out
}

fn push_with_fields(text: &str, out: &mut String) {
    let mut parts = text.split("--");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        out.push_str(&part[..end].replace('-', "_"));
        out.push_str(&part[end..]);
    }
}

/// Starts the event loop that both doors run on.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_hint_names_fields_and_not_flags() {
        let hint = super::with_fields("leave the secret out, or insist with --allow-secret");
        assert_eq!(hint, "leave the secret out, or insist with allow_secret");
        assert_eq!(super::with_fields("`--dry-run` shows first"), "`dry_run` shows first");
        let hint = "see `heir recall --help` or say --dry-run";
        assert_eq!(super::with_fields(hint), "see `heir recall --help` or say dry_run");
    }
}
