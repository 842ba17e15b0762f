//! Other tools of the kind, at pinned versions, on the same data in the same run.
//!
//! Each is asked in the way that finds most with it. Where a tool finds nothing with a whole question, it is asked
//! word by word and the answers are merged here, which flatters it.

mod basic_memory;
mod heir_server;
mod install;
mod limps;
mod limps_listing;
pub(crate) mod mcp;
mod memcite;
mod server_memory;
mod table;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::failure::Failure;

pub(crate) use install::install;
pub(crate) use limps::VERSION as LIMPS_VERSION;
pub(crate) use limps_listing::{limps, limps_listing};
pub(crate) use table::measure;

/// Where peers are installed unless told otherwise.
pub(crate) const DEFAULT_FOLDER: &str = "target/peers";

/// How long a peer may take to remember everything.
const LOAD_TIMEOUT: Duration = Duration::from_secs(3600);

/// How long between two looks at one that works.
const LOOK: Duration = Duration::from_millis(50);

fn advice(folder: &Path) -> String {
    format!("run `heirloom-bench peers install --dir {}`", folder.display())
}

/// Returns where an npm package lies, or why it cannot take part.
fn node_package(folder: &Path, package: &str, version: &str) -> Result<PathBuf, String> {
    let found = folder.join("node_modules").join(package);
    let manifest = found.join("package.json");
    let Ok(text) = std::fs::read_to_string(&manifest) else {
        return Err(format!(
            "{package} is not installed in {}; {}",
            folder.display(),
            advice(folder)
        ));
    };
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    let installed = manifest["version"].as_str().unwrap_or("of unknown version");
    if installed != version {
        let advice = advice(folder);
        return Err(format!("the installed {package} is {installed}, not {version}; {advice}"));
    }
    std::path::absolute(found).map_err(|error| error.to_string())
}

/// The folder of a Python package's own environment.
fn python_folder(folder: &Path, package: &str) -> PathBuf {
    folder.join("python").join(package)
}

/// Returns a program of a Python package, or why it cannot take part.
fn python_program(
    folder: &Path,
    package: &str,
    version: &str,
    program: &str,
) -> Result<PathBuf, String> {
    let own = python_folder(folder, package);
    let found = own.join("bin").join(program);
    let named = format!("{}-{version}.dist-info", package.replace('-', "_"));
    let libraries = std::fs::read_dir(own.join("lib")).into_iter().flatten().flatten();
    let is_there = libraries
        .into_iter()
        .any(|library| library.path().join("site-packages").join(&named).is_dir());
    if !found.is_file() || !is_there {
        let advice = advice(folder);
        return Err(format!(
            "{package} {version} is not installed in {}; {advice}",
            folder.display()
        ));
    }
    std::path::absolute(found).map_err(|error| error.to_string())
}

/// A process that ends with this.
struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Runs a command to its end, if that comes in time.
fn finish(command: &mut Command) -> Result<(), Failure> {
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
                    "it had not remembered all after {minutes} minutes"
                )));
            }
            None => std::thread::sleep(LOOK),
        }
    }
}
