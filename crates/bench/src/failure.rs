//! What ends a run: a benchmark that cannot vouch for its numbers prints none.

use std::fmt;
use std::io;
use std::path::Path;

/// Why no report could be made.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The file system or the process table refused something.
    Io { doing: String, source: io::Error },
    /// A command that was to be measured did not succeed.
    Command { command: String, status: String, stderr: String },
    /// A command succeeded and did something other than what its row claims.
    Unexpected { command: String, reason: String },
    /// The run cannot begin: something that it needs is absent or unfit.
    Setup(String),
}

impl Failure {
    /// Says why the run cannot go on.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Failure::Setup(reason.into())
    }

    /// Returns an adapter for `map_err` that says what was being done to `path`.
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
            Failure::Setup(what) => f.write_str(what),
        }
    }
}
