//! A thread that notices an input that never ends.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::crash;

/// No input of a few kilobytes may take longer.
const LIMIT: Duration = Duration::from_secs(10);

/// Watches one input at a time.
#[derive(Debug, Clone, Default)]
pub struct Watchdog(Arc<Mutex<Option<Running>>>);

#[derive(Debug)]
struct Running {
    since: Instant,
    target: &'static str,
    input: Vec<u8>,
}

impl Watchdog {
    /// Starts the thread. On a hang it keeps the input and ends the process: a thread that does not come back cannot be
    /// ended alone.
    pub fn start() -> Self {
        let watchdog = Self::default();
        let watched = watchdog.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_secs(1));
                if let Some((target, input)) = watched.overdue() {
                    eprintln!(
                        "{target}: an input of {} bytes takes over {} s",
                        input.len(),
                        LIMIT.as_secs()
                    );
                    crash::keep(target, &input);
                    process::exit(1);
                }
            }
        });
        watchdog
    }

    /// Notes that an input starts.
    pub fn begin(&self, target: &'static str, input: &[u8]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Running { since: Instant::now(), target, input: input.to_vec() });
    }

    /// Notes that it ended.
    pub fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn overdue(&self) -> Option<(&'static str, Vec<u8>)> {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running
            .as_ref()
            .filter(|running| running.since.elapsed() > LIMIT)
            .map(|running| (running.target, running.input.clone()))
    }
}
