//! Programs of the operating system that tests need.

use std::path::Path;
use std::process::Command;

use crate::run::run;

/// Installs strace on Linux, where a test traces which files the server opens; no other system has it.
pub(crate) fn install_strace() -> Result<(), String> {
    if !cfg!(target_os = "linux") || can_trace() {
        return Ok(());
    }
    let installed = install_packages(&["strace"]);
    if can_trace() {
        return Ok(());
    }
    Err(format!(
        "a test needs strace: install it and allow tracing (in a container: --cap-add SYS_PTRACE){}",
        installed.err().map(|error| format!("\n  {error}")).unwrap_or_default()
    ))
}

fn can_trace() -> bool {
    let output = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Installs packages with apt-get, which works for root on Debian and its derivatives.
pub(crate) fn install_packages(names: &[&str]) -> Result<(), String> {
    if printed("apt-get", "--version").is_none() {
        return Err(format!("there is no apt-get to install {} with", names.join(" and ")));
    }
    if printed("id", "-u").as_deref() != Some("0") {
        return Err(format!("apt-get could install {}, but only for root", names.join(" and ")));
    }
    run("apt-get", &["update", "-qq"])?;
    let mut arguments = vec!["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq"];
    arguments.push("--no-install-recommends");
    arguments.extend(names);
    run("env", &arguments)
}

/// Returns what a program prints for an argument, if it runs.
pub(crate) fn printed(program: impl AsRef<Path>, argument: &str) -> Option<String> {
    let output = Command::new(program.as_ref()).arg(argument).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
