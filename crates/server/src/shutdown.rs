//! Waits for the signal to stop.

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
