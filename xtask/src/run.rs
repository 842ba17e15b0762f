//! Runs commands in the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the repository")
        .to_path_buf()
}

/// Runs a command in the root of the repository; fails if the command does.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    eprintln!("\n$ {program} {}", arguments.join(" "));
    let status = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .status()
        .map_err(|error| format!("{program}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{program} {}` ended with {status}", arguments.join(" ")))
    }
}

/// Runs cargo.
pub(crate) fn cargo(arguments: &[&str]) -> Result<(), String> {
    run(&cargo_program(), arguments)
}

/// Returns the cargo that runs this program.
pub(crate) fn cargo_program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}
