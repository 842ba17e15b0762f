//! Other memory tools (peers), at pinned versions, on the same data in the same run.
//!
//! Each is asked in the way that works best with it. A tool that finds nothing with a whole question is asked word by
//! word, and the results are merged here, in its favour.

mod basic_memory;
mod heir_server;
mod install;
mod limps;
mod limps_listing;
mod memcite;
mod server_memory;
mod table;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heirloom_testkit::ChildGuard;
use serde_json::Value;

use crate::failure::Failure;

pub(crate) use install::install;
pub(crate) use limps::VERSION as LIMPS_VERSION;
pub(crate) use limps_listing::{limps, limps_listing};
pub(crate) use table::measure;

/// The default folder of installed peers.
pub(crate) const DEFAULT_FOLDER: &str = "target/peers";

/// How long a peer may take to store all memories.
const LOAD_TIMEOUT: Duration = Duration::from_secs(3600);

/// How often a running command is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

fn install_hint(folder: &Path) -> String {
    format!("run `heirloom-bench peers install --dir {}`", folder.display())
}

/// Returns the path of an npm package, or why it is not available.
fn node_package(folder: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    let path = folder.join("node_modules").join(package);
    let manifest = path.join("package.json");
    let Ok(text) = std::fs::read_to_string(&manifest) else {
        return Err(format!(
            "{package} is not installed in {}; {}",
            folder.display(),
            install_hint(folder)
        ));
    };
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    let installed = manifest["version"].as_str().unwrap_or("of unknown version");
    if installed != version {
        let hint = install_hint(folder);
        return Err(format!("the installed {package} is {installed}, not {version}; {hint}"));
    }
    std::path::absolute(path).map_err(|error| error.to_string())
}

/// Returns the folder of a Python package's virtual environment.
fn python_folder(folder: &Path, package: &str) -> PathBuf {
    folder.join("python").join(package)
}

/// Returns the path of a Python package's program, or why it is not available.
fn python_program(
    folder: &Path,
    package: &str,
    version: &str,
    program: &str,
) -> Result<PathBuf, String> {
    let environment = python_folder(folder, package);
    let path = environment.join("bin").join(program);
    let metadata = format!("{}-{version}.dist-info", package.replace('-', "_"));
    let libraries = std::fs::read_dir(environment.join("lib")).into_iter().flatten().flatten();
    let is_pinned = libraries
        .into_iter()
        .any(|library| library.path().join("site-packages").join(&metadata).is_dir());
    if !path.is_file() || !is_pinned {
        let hint = install_hint(folder);
        return Err(format!(
            "{package} {version} is not installed in {}; {hint}",
            folder.display()
        ));
    }
    std::path::absolute(path).map_err(|error| error.to_string())
}

/// Runs a command to its end, and fails if it takes longer than `LOAD_TIMEOUT`.
fn run_to_end(command: &mut Command) -> Result<(), Failure> {
    let program = PathBuf::from(command.get_program());
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = ChildGuard(child.map_err(Failure::io("starting", &program))?);
    let started = Instant::now();
    loop {
        let ended = child.0.try_wait().map_err(Failure::io("waiting for", &program))?;
        match ended {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(Failure::new(format!("{}: {status}", program.display()))),
            None if started.elapsed() > LOAD_TIMEOUT => {
                let minutes = LOAD_TIMEOUT.as_secs() / 60;
                return Err(Failure::new(format!(
                    "{} did not finish within {minutes} minutes",
                    program.display()
                )));
            }
            None => std::thread::sleep(POLL_INTERVAL),
        }
    }
}
