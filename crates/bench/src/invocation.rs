//! A program that is run: timed, traced, or for its output.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use heirloom_testkit::NOW;
use serde_json::Value;

use crate::failure::Failure;

/// How often the memory of a running process is read.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// A program with its arguments and environment.
#[derive(Clone)]
pub(crate) struct Invocation {
    /// The full path of the program, since it runs in another folder.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// The working folder.
    pub(crate) folder: PathBuf,
    /// Environment variables that are set in addition to the inherited ones.
    pub(crate) variables: Vec<(&'static str, String)>,
}

impl Invocation {
    /// Creates an invocation without environment variables of its own.
    pub(crate) fn new(program: &Path, arguments: &[&str], folder: &Path) -> Self {
        Invocation {
            program: program.to_path_buf(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            folder: folder.to_path_buf(),
            variables: Vec::new(),
        }
    }

    /// Creates an invocation of heir at a fixed time, so that freshness is the same in every run.
    pub(crate) fn heir(heir: &Path, arguments: &[&str], folder: &Path) -> Self {
        let invocation = Invocation::new(heir, arguments, folder);
        invocation.with_variable("HEIRLOOM_NOW", NOW).with_variable("NO_COLOR", "1")
    }

    /// Creates an invocation of `git status` without the user's settings, which would change what git
    /// compares.
    pub(crate) fn git_status(git: &Path, folder: &Path) -> Self {
        let invocation = Invocation::new(git, &["status", "--short"], folder);
        invocation
            .with_variable("GIT_CONFIG_GLOBAL", "/dev/null")
            .with_variable("GIT_CONFIG_NOSYSTEM", "1")
    }

    /// Adds an environment variable.
    pub(crate) fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Adds an argument.
    pub(crate) fn with_argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Runs it untimed, and returns its standard output.
    ///
    /// The output goes through a file, since limps exits before a pipe is drained and loses all after 64 KiB.
    pub(crate) fn output(&self) -> Result<String, Failure> {
        let failed = || Failure::io("running", &self.program);
        let mut stdout = tempfile::tempfile().map_err(failed())?;
        let mut command = self.command();
        command.stdout(stdout.try_clone().map_err(failed())?);
        let output = command.output().map_err(failed())?;
        if !output.status.success() {
            return Err(Failure::command(self, output.status, &output.stderr));
        }
        let bytes = read_from_start(&mut stdout).map_err(failed())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Runs it untimed, and returns its standard output as JSON.
    pub(crate) fn json_output(&self) -> Result<Value, Failure> {
        serde_json::from_str(&self.output()?)
            .map_err(|error| self.wrong_answer(format!("its answer is not JSON: {error}")))
    }

    /// Runs it once, and returns the wall time from spawn to exit.
    pub(crate) fn run_timed(&self) -> Result<Duration, Failure> {
        let failed = || Failure::io("running", &self.program);
        let mut stderr = tempfile::tempfile().map_err(failed())?;
        let mut command = self.command();
        command.stdout(Stdio::null()).stderr(stderr.try_clone().map_err(failed())?);
        let started = Instant::now();
        let status = command.spawn().and_then(|mut child| child.wait());
        let elapsed = started.elapsed();
        let status = status.map_err(failed())?;
        if status.success() {
            return Ok(elapsed);
        }
        let stderr = read_from_start(&mut stderr).map_err(failed())?;
        Err(Failure::command(self, status, &stderr))
    }

    /// Runs it untimed, and returns its peak resident memory in bytes, or why that is not known.
    ///
    /// The system drops this number when the process exits, so it is polled.
    pub(crate) fn peak_memory(&self) -> Result<Result<u64, String>, Failure> {
        let failed = || Failure::io("running", &self.program);
        let mut command = self.command();
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(failed())?;
        let status_file = format!("/proc/{}/status", child.id());
        let mut peak = Err("the system does not report the peak memory of a process".to_owned());
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed())? {
                break status;
            }
            let process = fs::read_to_string(&status_file).ok();
            if let Some(kilobytes) = process.as_deref().and_then(parse_peak_memory) {
                peak = Ok(kilobytes * 1024);
            }
            thread::sleep(POLL_INTERVAL);
        };
        match status.success() {
            true => Ok(peak),
            false => Err(Failure::command(self, status, &[])),
        }
    }

    /// Starts it and kills it after a time. Returns whether it was killed; it may have ended before.
    pub(crate) fn run_killed_after(&self, time: Duration) -> Result<bool, Failure> {
        let failed = || Failure::io("running", &self.program);
        let mut command = self.command();
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = child.map_err(failed())?;
        thread::sleep(time);
        if let Some(status) = child.try_wait().map_err(failed())? {
            return match status.success() {
                true => Ok(false),
                false => Err(Failure::command(self, status, &[])),
            };
        }
        child.kill().map_err(failed())?;
        child.wait().map_err(failed())?;
        Ok(true)
    }

    /// Returns the first line that a program prints with `--version`.
    pub(crate) fn version(program: &Path, folder: &Path) -> Result<String, Failure> {
        let output = Invocation::new(program, &["--version"], folder).output()?;
        Ok(output.lines().next().unwrap_or("").trim().to_owned())
    }

    /// Creates the error of an answer that is wrong.
    pub(crate) fn wrong_answer(&self, reason: impl Into<String>) -> Failure {
        Failure::WrongAnswer { command: self.to_string(), reason: reason.into() }
    }

    /// Returns the command without input, for a caller that decides where its output goes.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.program.file_name().unwrap_or(self.program.as_os_str());
        write!(f, "{}", name.display())?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

fn read_from_start(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the peak resident memory of this process in bytes, if the system reports it.
pub(crate) fn peak_memory_of_this_process() -> Result<u64, String> {
    let status = fs::read_to_string("/proc/self/status").ok();
    let kilobytes = status.as_deref().and_then(parse_peak_memory);
    let bytes = kilobytes.map(|kilobytes| kilobytes * 1024);
    bytes.ok_or_else(|| "the system does not report the peak memory of a process".to_owned())
}

/// Reads the peak resident memory in kilobytes from the line `VmHWM:   123 kB` of a process's status.
fn parse_peak_memory(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
