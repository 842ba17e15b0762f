//! Waits for the signal to stop.

use std::time::Duration;

/// Calls `poll` at once and then at every interval, until it returns an error or the process is interrupted or asked to
/// terminate.
pub fn poll_until_stopped<E>(
    interval: Duration,
    mut poll: impl FnMut() -> Result<(), E>,
) -> std::io::Result<Result<(), E>> {
    let run = async {
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // One future for all turns, so that a signal during a poll is not lost.
        let mut stop = std::pin::pin!(requested());
        loop {
            tokio::select! {
                biased;
                () = &mut stop => return Ok(()),
                _ = ticks.tick() => poll()?,
            }
        }
    };
    Ok(crate::runtime()?.block_on(run))
}

/// Waits until the process is interrupted or asked to terminate.
#[cfg(unix)]
pub(crate) async fn requested() {
    use tokio::signal::unix::{SignalKind, signal};

    let wait = async |kind: SignalKind| match signal(kind) {
        Ok(mut signals) => drop(signals.recv().await),
        // Without a handler, the signal ends the process.
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        () = wait(SignalKind::interrupt()) => {}
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::hangup()) => {}
    }
}

/// Waits until the process is interrupted.
#[cfg(not(unix))]
pub(crate) async fn requested() {
    drop(tokio::signal::ctrl_c().await);
}
