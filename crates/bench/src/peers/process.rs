//! Running the programs of peers.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heirloom_testkit::ChildGuard;

use crate::failure::Failure;

/// How long a peer may take to store all memories.
pub(super) const LOAD_TIMEOUT: Duration = Duration::from_secs(3600);

/// How often a running command is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a command to its end, and fails if it takes longer than `LOAD_TIMEOUT`.
pub(crate) fn run_to_end(command: &mut Command) -> Result<(), Failure> {
    let program = PathBuf::from(command.get_program());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = ChildGuard(child.map_err(Failure::io("starting", &program))?);
    let started = Instant::now();
    loop {
        let ended = child.0.try_wait().map_err(Failure::io("waiting for", &program))?;
        match ended {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(Failure::new(format!("{}: {status}", program.display()))),
            None if started.elapsed() > LOAD_TIMEOUT => {
                let minutes = LOAD_TIMEOUT.as_secs() / 60;
                return Err(Failure::new(format!(
                    "{} did not finish within {minutes} minutes",
                    program.display()
                )));
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    }
}
