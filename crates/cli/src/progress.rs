//! A progress bar on the terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use heirloom_engine::{Progress, ProgressObserver};

/// Work that takes less time shows no bar.
const BAR_DELAY: Duration = Duration::from_secs(1);
/// The shortest time between two updates of the bar.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);
/// The width of the bar in characters.
const BAR_WIDTH_CHARS: usize = 30;

#[derive(Default)]
struct Bar {
    shown: Mutex<BarState>,
}

#[derive(Default)]
struct BarState {
    started: Option<Instant>,
    last: Option<Instant>,
}

/// Returns a progress bar; one that prints nothing where standard error is not a terminal.
pub(crate) fn bar() -> Progress {
    if io::stderr().is_terminal() {
        Progress::new(Arc::new(Bar::default()))
    } else {
        Progress::default()
    }
}

impl ProgressObserver for Bar {
    fn report(&self, work: &str, done: usize, total: usize) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let started = *shown.started.get_or_insert(now);
        let is_soon = shown.last.is_some_and(|last| now - last < REDRAW_INTERVAL);
        if now - started < BAR_DELAY || is_soon || total == 0 {
            return;
        }
        shown.last = Some(now);
        let full = BAR_WIDTH_CHARS * done.min(total) / total;
        let line = format!("{}{}", "█".repeat(full), "░".repeat(BAR_WIDTH_CHARS - full));
        drop(write!(io::stderr(), "\r\x1b[2K{work} {line} {done} of {total}"));
    }

    fn finish(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.last.take().is_some() {
            // Clear the line before the answer is printed.
            drop(write!(io::stderr(), "\r\x1b[2K"));
        }
        shown.started = None;
    }
}
