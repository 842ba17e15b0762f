//! Everything that CI checks; what fails fastest comes first.

use std::process::Command;

use crate::run::{cargo, cargo_program};
use crate::{clients, layers, schemathesis, system, tests};

/// Runs everything that CI checks.
pub(crate) fn everything() -> Result<(), String> {
    require_component("rustfmt", "fmt")?;
    require_component("clippy", "clippy")?;
    cargo(&["fmt", "--all", "--check"])?;
    layers::check()?;
    system::install_strace()?;
    clients::install()?;
    schemathesis::install()?;
    cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--quiet",
        "--",
        "--deny",
        "warnings",
    ])?;
    tests::run()
}

/// Installs a component of the toolchain unless it is there.
fn require_component(component: &str, command: &str) -> Result<(), String> {
    let is_installed = || {
        let output = Command::new(cargo_program()).args([command, "--version"]).output();
        output.is_ok_and(|output| output.status.success())
    };
    if is_installed() {
        return Ok(());
    }
    let added = crate::run::run("rustup", &["component", "add", component]);
    if is_installed() {
        return Ok(());
    }
    Err(format!(
        "cargo {command} is needed: run `rustup component add {component}`{}",
        added.err().map(|error| format!(" ({error})")).unwrap_or_default()
    ))
}
