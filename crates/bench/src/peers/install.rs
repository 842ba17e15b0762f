//! Installing the pinned peers into a folder.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::packages::python_folder;
use super::{basic_memory, limps, memcite, server_memory};
use crate::failure::Failure;
use crate::programs;

/// A version of Python: major and minor.
type PythonVersion = (u32, u32);

/// A package to install.
struct Package {
    name: &'static str,
    version: &'static str,
    source: Source,
}

/// Where a package comes from, and what it needs.
enum Source {
    Npm,
    Pip {
        /// The oldest Python that it runs with, as its own metadata states.
        oldest: PythonVersion,
        /// The extras of the package, such as `[mcp]`.
        extras: &'static str,
        /// Further requirements to install.
        requirements: &'static [&'static str],
    },
}

const PACKAGES: [Package; 4] = [
    Package { name: limps::PACKAGE, version: limps::VERSION, source: Source::Npm },
    Package { name: server_memory::PACKAGE, version: server_memory::VERSION, source: Source::Npm },
    Package {
        name: basic_memory::PACKAGE,
        version: basic_memory::VERSION,
        source: Source::Pip { oldest: (3, 12), extras: "", requirements: &[] },
    },
    Package {
        name: memcite::PACKAGE,
        version: memcite::VERSION,
        // Its server needs version 1 of the `mcp` package.
        source: Source::Pip { oldest: (3, 10), extras: "[mcp]", requirements: &["mcp<2"] },
    },
];

/// The names of Python interpreters, newest first.
const PYTHON_NAMES: &[&str] =
    &["python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python3"];

/// The outcome of installing a package.
enum Outcome {
    Installed,
    /// A program that it needs is not on this machine.
    Skipped(String),
    Failed(Failure),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Installed => f.write_str("installed"),
            Outcome::Skipped(reason) => write!(f, "skipped: {reason}"),
            Outcome::Failed(failure) => write!(f, "failed: {failure}"),
        }
    }
}

/// Installs every peer that this machine can run, and reports why the others are skipped. Skipped
/// peers are no failure, unless all are skipped.
pub(crate) fn install(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::io("making", folder))?;
    let npm = programs::on_path("npm");
    let pythons = pythons();
    let outcomes = PACKAGES.map(|package| {
        eprintln!("installing {} {} into {}", package.name, package.version, folder.display());
        let outcome = match &package.source {
            Source::Npm => npm_package(npm.as_deref(), folder, &package),
            Source::Pip { oldest, extras, requirements } => {
                pip_package(&pythons, folder, &package, *oldest, extras, requirements)
            }
        };
        (package, outcome)
    });
    for (package, outcome) in &outcomes {
        eprintln!("{} {}: {outcome}", package.name, package.version);
    }
    let count = |is_counted: fn(&Outcome) -> bool| {
        outcomes.iter().filter(|(_, outcome)| is_counted(outcome)).count()
    };
    match (
        count(|outcome| matches!(outcome, Outcome::Failed(_))),
        count(|outcome| matches!(outcome, Outcome::Installed)),
    ) {
        (0, 0) => Err(Failure::new("no peer could be installed; the reasons are above")),
        (0, _) => Ok(()),
        (failed, _) => {
            let peers = if failed == 1 { "peer" } else { "peers" };
            Err(Failure::new(format!("{failed} {peers} could not be installed; see above")))
        }
    }
}

fn npm_package(npm: Option<&Path>, folder: &Path, package: &Package) -> Outcome {
    let Some(npm) = npm else { return Outcome::Skipped("npm is not installed".to_owned()) };
    outcome(run(Command::new(npm)
        .args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"])
        .arg(folder)
        .arg(format!("{}@{}", package.name, package.version))
        // The install script would restart the daemons of an installation that the user works with.
        .env("LIMPS_SKIP_POSTINSTALL", "1")))
}

fn pip_package(
    pythons: &[(PathBuf, PythonVersion)],
    folder: &Path,
    package: &Package,
    oldest: PythonVersion,
    extras: &str,
    requirements: &[&str],
) -> Outcome {
    let Some((python, _)) = pythons.iter().find(|(_, version)| *version >= oldest) else {
        let newest = match pythons.iter().map(|(_, version)| version).max() {
            Some((major, minor)) => format!("the newest here is {major}.{minor}"),
            None => "none is installed".to_owned(),
        };
        let (major, minor) = oldest;
        return Outcome::Skipped(format!("it needs Python {major}.{minor} or later; {newest}"));
    };
    let environment = python_folder(folder, package.name);
    let requirement = format!("{}{extras}=={}", package.name, package.version);
    let created = run(Command::new(python).args(["-m", "venv"]).arg(&environment));
    outcome(created.and_then(|()| {
        run(Command::new(environment.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", &requirement])
            .args(requirements))
    }))
}

fn outcome(result: Result<(), Failure>) -> Outcome {
    result.map_or_else(Outcome::Failed, |()| Outcome::Installed)
}

/// Returns the installed Python interpreters with their versions.
fn pythons() -> Vec<(PathBuf, PythonVersion)> {
    let version = |python: &Path| -> Option<PythonVersion> {
        let script = "import sys; print(sys.version_info[0], sys.version_info[1])";
        let output = Command::new(python).args(["-c", script]).output().ok()?;
        let output = String::from_utf8(output.stdout).ok()?;
        let (major, minor) = output.trim().split_once(' ')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let pythons = PYTHON_NAMES.iter().filter_map(|name| programs::on_path(name));
    pythons.filter_map(|python| version(&python).map(|version| (python, version))).collect()
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let command_line = format!("{command:?}");
    let status = command.status().map_err(Failure::io("running", Path::new(&command_line)))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::command(command_line, status, &[])),
    }
}
