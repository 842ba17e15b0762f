//! Running commands, and the whole list that CI runs.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository").to_path_buf()
}

/// Runs a command in the root; it must succeed.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    eprintln!("\n$ {program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).current_dir(root()).status().map_err(|error| format!("{program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program} {}` ended with {status}", arguments.join(" "))) }
}

/// Runs cargo, the one that runs this.
pub(crate) fn cargo(arguments: &[&str]) -> Result<(), String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run(&cargo, arguments)
}

/// Runs everything that CI checks.
pub(crate) fn everything() -> Result<(), String> {
    if has_component("fmt") {
        cargo(&["fmt", "--all", "--check"])?;
    }
    if has_component("clippy") {
        cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--", "--deny", "warnings"])?;
    }
    crate::layers::check()?;
    crate::references::check()?;
    crate::clients::install()?;
    cargo(&["test", "--workspace", "--locked"])?;
    cargo(&["run", "--release", "--locked", "--quiet", "--package", "heirloom-fuzz", "--", "--seconds", "60"])
}

/// A toolchain may come without the formatter or the linter; the tests do not need them.
fn has_component(name: &str) -> bool {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let found = Command::new(cargo).args([name, "--version"]).output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("cargo {name} is not installed; skipped");
    }
    found
}
