//! A bar on the terminal while something takes longer than a moment.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use heirloom_engine::{Progress, Watcher};

/// What is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar moves.
const PACE: Duration = Duration::from_millis(100);
/// How many characters wide it is.
const WIDTH: usize = 30;

#[derive(Default)]
struct Bar {
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    started: Option<Instant>,
    last: Option<Instant>,
}

/// Returns a bar on the terminal, or nothing where nobody would see it.
pub(crate) fn bar() -> Progress {
    if io::stderr().is_terminal() {
        Progress::to(Arc::new(Bar::default()))
    } else {
        Progress::default()
    }
}

impl Watcher for Bar {
    fn tell(&self, done: usize, total: usize) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let started = *shown.started.get_or_insert(now);
        let is_soon = shown.last.is_some_and(|last| now - last < PACE);
        if now - started < PATIENCE || is_soon || total == 0 {
            return;
        }
        shown.last = Some(now);
        let full = WIDTH * done.min(total) / total;
        let line = format!("{}{}", "█".repeat(full), "░".repeat(WIDTH - full));
        drop(write!(io::stderr(), "\rindexing {line} {done} of {total}"));
    }

    fn end(&self) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.last.take().is_some() {
            // The line is wiped: what follows is the answer.
            drop(write!(io::stderr(), "\r\x1b[2K"));
        }
        shown.started = None;
    }
}
