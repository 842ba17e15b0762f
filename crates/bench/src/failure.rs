//! The error that ends a run. A run with an error prints no numbers.

use std::fmt;
use std::io;
use std::path::Path;

/// The error of a run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An operation on a file or a process failed.
    Io { doing: String, source: io::Error },
    /// A command failed.
    Command { command: String, status: String, stderr: String },
    /// A command succeeded with a wrong answer.
    Unexpected { command: String, reason: String },
    /// A requirement of the run is not met.
    Setup(String),
}

impl Failure {
    /// Creates an error from a reason.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Failure::Setup(reason.into())
    }

    /// Returns an adapter for `map_err` that adds the operation and its path.
    pub(crate) fn io(doing: &str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
        let doing = format!("{doing} {}", path.display());
        move |source| Failure::Io { doing, source }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Io { doing, source } => write!(f, "{doing}: {source}"),
            Failure::Command { command, status, stderr } => {
                write!(f, "`{command}` failed ({status})")?;
                for line in stderr.lines() {
                    write!(f, "\n  {line}")?;
                }
                Ok(())
            }
            Failure::Unexpected { command, reason } => {
                write!(f, "`{command}` succeeded, but {reason}")
            }
            Failure::Setup(reason) => f.write_str(reason),
        }
    }
}
