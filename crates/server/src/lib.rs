//! The doors that other programs use: MCP over stdio and HTTP on loopback.
//!
//! Both loop over the table of operations and hold no logic of their own. A door opens the
//! workspace anew for each call, so that it sees what people and other processes write.

pub mod mcp;
pub mod openapi;
mod prompts;
pub mod rest;

use std::sync::Arc;

use heirloom_engine::{Error, Op, Reply, Session};
use serde_json::Value;

/// Opens the workspace; called for each request and never before the first one.
pub type Open = Arc<dyn Fn() -> Result<Session, Error> + Send + Sync>;

/// Runs an operation off the event loop, since it reads files, and puts its answer into the form
/// that the door needs there, where the answer lives.
async fn call<T: Send + 'static>(
    open: &Open,
    op: &'static Op,
    request: Value,
    form: fn(&Reply) -> T,
) -> Result<T, Error> {
    let open = open.clone();
    let done =
        tokio::task::spawn_blocking(move || op.call(&open()?, request).map(|reply| form(&reply)))
            .await;
    let answer = done.unwrap_or_else(|crash| {
        Err(Error {
            kind: heirloom_engine::ErrorKind::System,
            message: format!("{} crashed: {crash}", op.spec.name),
            hint: Some("please report this".into()),
            candidates: vec![],
        })
    });
    answer.map_err(|error| Error { hint: error.hint.as_deref().map(with_fields), ..error })
}

/// Names the fields of a request where a hint names the flags of the command line.
fn with_fields(hint: &str) -> String {
    let mut parts = hint.split("--");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        out.push_str(&part[..end].replace('-', "_"));
        out.push_str(&part[end..]);
    }
    out
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
    }
}
