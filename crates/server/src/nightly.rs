//! Consolidation of the memory every day while a server runs.

use std::sync::Arc;
use std::time::Duration;

use heirloom_engine::{Client, Error, OPS, Reply, Scope, is_consolidation_due};
use jiff::civil::Time;
use serde_json::{Value, json};

use crate::wording::format_hint;
use crate::{SharedOpener, call};

/// How often the time is compared: a machine that slept notices within this time.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// How long to wait after a consolidation failed, since the next one probably fails, too.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(3600);

/// Consolidates the memory every day at a time of day in UTC, or as soon as that was missed, and passes each answer to
/// `report`. It never ends.
pub(crate) async fn consolidate_daily(
    open: SharedOpener,
    at: Time,
    report: &dyn Fn(Result<Value, Error>),
) {
    let client: Arc<Client> = Arc::default();
    let Some(op) = OPS.iter().find(|op| op.spec.name == "consolidate") else { return };
    loop {
        let is_due = {
            let open = open.clone();
            let check = move || {
                let session = open.open(Scope::Workspace);
                session.is_ok_and(|session| is_consolidation_due(&session, at))
            };
            tokio::task::spawn_blocking(check).await.unwrap_or(false)
        };
        let mut pause = CHECK_INTERVAL;
        if is_due {
            let data = |reply: &Reply| reply.data(&format_hint);
            let answer = call(&open, &client, op, json!({}), data).await;
            if answer.is_err() {
                pause = PAUSE_AFTER_FAILURE;
            }
            report(answer);
        }
        tokio::time::sleep(pause).await;
    }
}
