//! Installing the pinned versions into a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{basic_memory, limps, memcite, python_folder, server_memory};
use crate::failure::Failure;
use crate::programs;

/// The oldest Python that each package runs with, and what it needs besides.
const PYTHON: &[(&str, &str, &[&str])] = &[
    (basic_memory::PACKAGE, basic_memory::VERSION, &[]),
    // Its server speaks the first version of the protocol's library.
    (memcite::PACKAGE, memcite::VERSION, &["mcp<2"]),
];

/// Pythons that may be there, the newest first.
const PYTHONS: &[&str] = &["python3.14", "python3.13", "python3.12", "python3"];

/// Installs all peers that can be installed here; one that cannot does not stop the others.
pub(crate) fn install(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    let mut failures = Vec::new();
    match programs::on_path("npm") {
        Some(npm) => failures.extend(node_packages(&npm, folder).err()),
        None => failures.push(Failure::new("npm is not installed, and two peers are npm packages")),
    }
    match python() {
        Some(python) => failures.extend(
            PYTHON.iter().filter_map(|package| python_package(&python, folder, package).err()),
        ),
        None => failures.push(Failure::new("no Python from 3.12 on is installed")),
    }
    match failures.is_empty() {
        true => Ok(()),
        false => {
            let said: Vec<String> = failures.iter().map(ToString::to_string).collect();
            Err(Failure::new(said.join("\n")))
        }
    }
}

fn node_packages(npm: &Path, folder: &Path) -> Result<(), Failure> {
    let packages = [
        format!("{}@{}", limps::PACKAGE, limps::VERSION),
        format!("{}@{}", server_memory::PACKAGE, server_memory::VERSION),
    ];
    eprintln!("installing {} into {}", packages.join(", "), folder.display());
    run(Command::new(npm)
        .args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"])
        .arg(folder)
        .args(&packages)
        // The package would otherwise restart the daemons of an installation that the user works with.
        .env("LIMPS_SKIP_POSTINSTALL", "1"))
}

fn python_package(
    python: &Path,
    folder: &Path,
    (package, version, besides): &(&str, &str, &[&str]),
) -> Result<(), Failure> {
    let own = python_folder(folder, package);
    let wanted = match *package {
        memcite::PACKAGE => format!("{package}[mcp]=={version}"),
        package => format!("{package}=={version}"),
    };
    eprintln!("installing {wanted} into {}", own.display());
    run(Command::new(python).args(["-m", "venv"]).arg(&own))?;
    run(Command::new(own.join("bin/python"))
        .args(["-m", "pip", "install", "--quiet", &wanted])
        .args(*besides))
}

/// Finds a Python from 3.12 on, by its version and not by its name.
fn python() -> Option<PathBuf> {
    let new_enough = |python: &PathBuf| {
        let asked = "import sys; sys.exit(sys.version_info < (3, 12))";
        Command::new(python).args(["-c", asked]).status().is_ok_and(|status| status.success())
    };
    PYTHONS.iter().filter_map(|name| programs::on_path(name)).find(new_enough)
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let shown = format!("{command:?}");
    let status = command.status().map_err(Failure::io("running", Path::new(&shown)))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Command {
            command: shown,
            status: status.to_string(),
            stderr: String::new(),
        }),
    }
}
