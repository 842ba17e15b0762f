//! The direction of the dependencies, as the architecture draws it.

use std::collections::BTreeSet;
use std::process::Command;

use crate::floors;
use crate::run::{cargo_program, root};

/// The crates of the workspace that each crate may depend on, directly or transitively.
const MAY_USE: &[(&str, &[&str])] = &[
    ("heirloom-core", &[]),
    ("heirloom-store", &["heirloom-core"]),
    ("heirloom-index", &["heirloom-core"]),
    ("heirloom-embed", &["heirloom-core"]),
    ("heirloom-syntax", &["heirloom-core"]),
    ("heirloom-engine", UNDER_ENGINE),
    ("heirloom-server", UNDER_SERVER),
    ("heirloom", UNDER_BINARY),
    ("heirloom-testkit", &["heirloom-core"]),
    ("heirloom-bench", UNDER_BENCH),
    ("heirloom-fuzz", UNDER_FUZZ),
];

const UNDER_ENGINE: &[&str] =
    &["heirloom-core", "heirloom-store", "heirloom-index", "heirloom-embed", "heirloom-syntax"];
const UNDER_BENCH: &[&str] = &[
    "heirloom-core",
    "heirloom-store",
    "heirloom-index",
    "heirloom-embed",
    "heirloom-syntax",
    "heirloom-engine",
    "heirloom-testkit",
];
const UNDER_FUZZ: &[&str] = &[
    "heirloom-core",
    "heirloom-store",
    "heirloom-index",
    "heirloom-embed",
    "heirloom-syntax",
    "heirloom-testkit",
];
const UNDER_SERVER: &[&str] = &[
    "heirloom-core",
    "heirloom-store",
    "heirloom-index",
    "heirloom-embed",
    "heirloom-syntax",
    "heirloom-engine",
];
const UNDER_BINARY: &[&str] = &[
    "heirloom-core",
    "heirloom-store",
    "heirloom-index",
    "heirloom-embed",
    "heirloom-syntax",
    "heirloom-engine",
    "heirloom-server",
];

/// What the core must not see: files, clocks, databases, the network.
const BANNED_FROM_CORE: &[&str] = &[
    "tokio", "axum", "rmcp", "rusqlite", "tantivy", "tempfile", "clap", "ureq", "notify", "ignore",
];

/// Checks the direction.
pub(crate) fn check() -> Result<(), String> {
    for (name, allowed) in MAY_USE {
        let used = dependencies(name)?;
        let ours =
            used.iter().filter(|used| used.starts_with("heirloom") && used.as_str() != *name);
        if let Some(wrong) = ours.clone().find(|used| !allowed.contains(&used.as_str())) {
            return Err(format!("{name} must not depend on {wrong}; see ARCHITECTURE.md"));
        }
        let banned = BANNED_FROM_CORE
            .iter()
            .find(|banned| *name == "heirloom-core" && used.contains(**banned));
        if let Some(banned) = banned {
            return Err(format!("heirloom-core must not depend on {banned}: the core is pure"));
        }
    }
    eprintln!("layers: {} crates depend in the right direction", MAY_USE.len());
    floors::check()
}

fn dependencies(name: &str) -> Result<BTreeSet<String>, String> {
    let output = Command::new(cargo_program())
        .args([
            "tree",
            "--package",
            name,
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect())
}
