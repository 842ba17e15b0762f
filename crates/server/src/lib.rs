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

/// Whoever can open the workspace; asked for each request and never before the first one.
pub trait Opens: Send + Sync {
    /// Opens it.
    fn open(&self) -> Result<Session, Error>;

    /// Opens it, unless one has to wait for another process.
    fn open_at_once(&self) -> Option<Session>;
}

/// Whoever can open the workspace, for all requests.
pub type Open = Arc<dyn Opens>;

/// Runs an operation and puts its answer into the form that the door needs there, where the answer
/// lives: off the event loop, since it reads files and may wait for others, unless the operation can
/// answer at once.
async fn call<T: Send + 'static>(
    open: &Open,
    op: &'static Op,
    request: Value,
    form: fn(&Reply) -> T,
) -> Result<T, Error> {
    let run = move |session: &Session, request: Value| {
        op.call(session, request).map(|reply| form(&reply))
    };
    let prepare_inline = || {
        let prepare = op.prepare_inline?;
        open.open_at_once().filter(|session| prepare(session, &request))
    };
    let answer = match caught(op, || Ok(prepare_inline()))? {
        Some(session) => caught(op, || run(&session, request)),
        None => {
            let open = open.clone();
            let work = move || caught(op, || run(&open.open()?, request));
            tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(crashed(op, "")))
        }
    };
    answer.map_err(|error| Error { hint: error.hint.as_deref().map(with_fields), ..error })
}

/// Does something; a crash is an answer as well.
fn caught<T>(op: &Op, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|crash| {
        let said = crash.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| crash.downcast_ref::<&str>().copied());
        Err(crashed(op, said.unwrap_or_default()))
    })
}

fn crashed(op: &Op, said: &str) -> Error {
    Error::system(format!("{} crashed: {said}", op.spec.name)).hint("please report this")
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
