//! Exit codes.

use std::process::ExitCode;

use heirloom_engine::ErrorKind;

/// The exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Code {
    /// Success.
    Success = 0,
    /// A check found something.
    Findings = 1,
    /// Wrong usage or bad input: a flag, a name, a file.
    BadInput = 2,
    /// There is no workspace.
    NoWorkspace = 3,
    /// The system failed: disk, permission, port.
    System = 4,
}

/// The exit codes, as the help and the manual explain them.
pub(crate) const EXIT_CODES_HELP: &str = "\
Exit codes:
  0  success
  1  a check found something (context validate, hot check, hot link --check, eval), some rows were not imported
     (import), or some ids were not found (show)
  2  wrong usage or bad input: a flag, a name, a file
  3  there is no workspace here
  4  the system failed: disk, permission, port";

impl Code {
    pub(crate) fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::BadInput | ErrorKind::Unconfirmed | ErrorKind::NotFound => Code::BadInput,
            ErrorKind::NoWorkspace => Code::NoWorkspace,
            ErrorKind::System => Code::System,
        }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code as u8)
    }
}
