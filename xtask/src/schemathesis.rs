//! Installs schemathesis, which tests the HTTP interface by its OpenAPI document.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{root, run};

/// The package and everything that it needs, each with its version.
const REQUIREMENTS: &str = "crates/cli/tests/clients/schemathesis.txt";

/// Written when the installation is finished: the requirements that it was made from.
const INSTALLED: &str = "installed.txt";

/// Installs schemathesis under `target/schemathesis`, unless these versions are there.
pub(crate) fn install() -> Result<(), String> {
    let folder = root().join("target/schemathesis");
    let requirements = fs::read_to_string(root().join(REQUIREMENTS))
        .map_err(|error| format!("{REQUIREMENTS}: {error}"))?;
    let marker = folder.join(INSTALLED);
    if fs::read_to_string(&marker).is_ok_and(|installed| installed == requirements) {
        return Ok(());
    }
    run("python3", &["-m", "venv", "--clear", &folder.to_string_lossy()])?;
    install_requirements(&folder)?;
    fs::write(&marker, requirements).map_err(|error| format!("{}: {error}", marker.display()))
}

fn install_requirements(folder: &Path) -> Result<(), String> {
    let python = python(folder);
    let mut arguments = vec!["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    // A constraint fixes the version of what is needed here: systems and versions of Python differ in that.
    arguments.extend(["--constraint", REQUIREMENTS, "schemathesis"]);
    run(&python.to_string_lossy(), &arguments)
}

fn python(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python3" })
}
