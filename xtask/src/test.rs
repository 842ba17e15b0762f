//! Everything that CI checks, in the order in which a mistake is cheapest to find.

use std::process::Command;

use crate::run::cargo;
use crate::{clients, layers, references};

/// Runs everything that CI checks.
pub(crate) fn everything() -> Result<(), String> {
    if has_component("fmt") {
        cargo(&["fmt", "--all", "--check"])?;
    }
    if has_component("clippy") {
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
    }
    layers::check()?;
    references::check()?;
    clients::install()?;
    cargo(&["test", "--workspace", "--locked"])?;
    cargo(&[
        "run",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "heirloom-fuzz",
        "--",
        "--seconds",
        "60",
        // The same inputs on every machine: what a new seed finds is work for a person.
        "--seed",
        "1",
    ])
}

/// A toolchain may come without the formatter or the linter; the tests do not need them.
fn has_component(name: &str) -> bool {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let found = Command::new(cargo)
        .args([name, "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("cargo {name} is not installed; skipped");
    }
    found
}
