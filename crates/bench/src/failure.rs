//! The error that ends a run. A run with an error prints no numbers.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitStatus;

/// The error of a run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An operation on a file or a process failed.
    Io { doing: String, source: io::Error },
    /// A command failed.
    Command { command: String, status: String, stderr: String },
    /// A command succeeded with a wrong answer.
    WrongAnswer { command: String, reason: String },
    /// The run cannot continue for another reason.
    Other(String),
}

impl Failure {
    /// Creates an error from a reason.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Failure::Other(reason.into())
    }

    /// Returns an adapter for `map_err` that adds the operation and its path.
    pub(crate) fn io(doing: &str, path: &Path) -> impl FnOnce(io::Error) -> Failure {
        let doing = format!("{doing} {}", path.display());
        move |source| Failure::Io { doing, source }
    }

    /// Creates the error of a command that has failed.
    pub(crate) fn command(command: impl fmt::Display, status: ExitStatus, stderr: &[u8]) -> Self {
        Failure::Command {
            command: command.to_string(),
            status: status.to_string(),
            stderr: String::from_utf8_lossy(stderr).into_owned(),
        }
    }
}

#[cfg(feature = "tantivy")]
impl From<tantivy::TantivyError> for Failure {
    fn from(error: tantivy::TantivyError) -> Self {
        Failure::new(format!("tantivy: {error}"))
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
            Failure::WrongAnswer { command, reason } => {
                write!(f, "`{command}` succeeded, but {reason}")
            }
            Failure::Other(reason) => f.write_str(reason),
        }
    }
}
